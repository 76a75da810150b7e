/** Many devices at once, and jobs over them, for tests. */
import assert from 'node:assert/strict'
import { formatId, newUuid } from '../../src/lib/ids.ts'
import { as, type CallResult, type TestApp } from './app.ts'
import { until } from './until.ts'

export interface Fleet {
  /** Oldest first, as ids are sorted. */
  uuids: string[]
  /** `dev_…` */
  ids: string[]
}

/** Devices with an MQTT secret each, written straight into the database. */
export async function seedFleet(
  { app, seed }: TestApp,
  count: number,
  status = 'active',
): Promise<Fleet> {
  const uuids = Array.from({ length: count }, () => newUuid())
  const { pool } = app.database
  await pool.query(
    `INSERT INTO devices (workspace_id, id, device_key, name, template_id, status, suspended_from)
     SELECT $1, id, 'f-' || id, 'Fleet', $2, $3, CASE $3 WHEN 'suspended' THEN 'active' END
     FROM unnest($4::uuid[]) AS id`,
    [seed.uuid, seed.template.uuid, status, uuids],
  )
  await pool.query(
    `INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash)
     SELECT $1, id, 'mqtt', 1, sha256(id::text::bytea) FROM unnest($2::uuid[]) AS id`,
    [seed.uuid, uuids],
  )
  return { uuids, ids: uuids.map((uuid) => formatId('dev', uuid)) }
}

type Caller = Pick<TestApp, 'call' | 'seed'>

export const postJob = (
  { call, seed }: Caller,
  body: Record<string, unknown>,
  credential = as.user(seed.owner.token),
): Promise<CallResult> => call('POST', `/workspaces/${seed.id}/jobs`, { as: credential, body })

export const readJob = async ({ call, seed }: Caller, id: string): Promise<CallResult['body']> => {
  const path = `/workspaces/${seed.id}/jobs/${id}`
  return (await call('GET', path, { as: as.user(seed.owner.token) })).body
}

/** Waits for the end of a job. */
export const ended = (app: Caller, id: string): Promise<CallResult['body']> =>
  until(`job ${id} ends`, async () => {
    const job = await readJob(app, id)
    return job.ended_at !== null && job
  })

/** Starts a job and waits for its end. */
export async function runJob(
  app: Caller,
  body: Record<string, unknown>,
): Promise<CallResult['body']> {
  const created = await postJob(app, body)
  assert.equal(created.status, 201, created.text)
  return ended(app, created.body.id)
}

/** What became of the devices of a job. */
export async function itemsOf(
  { call, seed }: Caller,
  id: string,
  query = '',
): Promise<{ device_id: string; status: string; code: string | null; detail: string | null }[]> {
  const path = `/workspaces/${seed.id}/jobs/${id}/items?limit=200${query}`
  const answer = await call('GET', path, { as: as.user(seed.owner.token) })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.items
}
