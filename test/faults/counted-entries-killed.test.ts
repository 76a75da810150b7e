/**
 * kill -9 of a process while unauthenticated callers open sessions: each session that exists is an
 * entry of the audit log or in a count, and the count is appended by the next process.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { findEmbeddedPostgres } from '../../src/platform/database/embedded.ts'
import { preparedDataDir, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const KILLS = Number(process.env.MOORING_TEST_KILLS ?? 1)
const SESSIONS = 200
const CALLERS = 8

async function ask<Row>(dataDir: string, text: string): Promise<Row> {
  const client = new pg.Client(await findEmbeddedPostgres(dataDir))
  await client.connect()
  try {
    const { rows } = await client.query(text)
    return rows[0] as Row
  } finally {
    await client.end()
  }
}

const sums = `SELECT
  (SELECT count(*) FROM moid_sessions)::int AS sessions,
  (SELECT coalesce(sum(counted), 0) FROM audit_counts WHERE action = 'moid_session.created')::int
    AS counted,
  (SELECT coalesce(sum(coalesce((detail->>'count')::int, 1)), 0) FROM audit_log
   WHERE action = 'moid_session.created')::int AS entries,
  (SELECT count(*) FROM audit_log WHERE action = 'moid_session.created')::int AS rows`

interface Sums {
  sessions: number
  counted: number
  entries: number
  rows: number
}

test(`counts of a process that is killed ${KILLS} times are never lost`, {
  timeout: 300_000 + KILLS * 30_000,
}, async (t) => {
  const dataDir = await preparedDataDir(t)
  let service = await startService(t, dataDir)
  for (let kill = 0; kill < KILLS; kill += 1) {
    let opened = 0
    const { call } = service
    // Until the process is gone.
    const openSessions = async (): Promise<void> => {
      for (;;) {
        const response = await call('POST', '/moid/session', { body: {} }).catch(() => undefined)
        if (response === undefined) return
        if (response.status === 201) opened += 1
      }
    }
    const callers = Array.from({ length: CALLERS }, openSessions)
    await until('many sessions are open', () => opened >= SESSIONS)
    await service.stop('SIGKILL')
    await Promise.all(callers)
    service = await startService(t, dataDir)
    const { sessions, counted, entries, rows } = await ask<Sums>(dataDir, sums)
    assert.ok(sessions >= opened && rows < sessions)
    assert.equal(entries + counted, sessions)
  }
  await ask(dataDir, `UPDATE audit_counts SET window_start = window_start - interval '1 hour'`)
  await until('the counts are appended', async () => {
    const { counted } = await ask<Sums>(dataDir, sums)
    return counted === 0
  })
  const { sessions, entries } = await ask<Sums>(dataDir, sums)
  assert.equal(entries, sessions)
})
