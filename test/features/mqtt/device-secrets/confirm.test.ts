/** Confirming pending secrets of one device at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '../../../../src/platform/database/connect.ts'
import { confirmSecret } from '../../../../src/features/mqtt/device-secrets/store.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { startApp } from '../../../support/app.ts'

test('two first uses at once wait for each other in one order, and never in a circle', async (t) => {
  const app = await startApp(t)
  const { pool } = app.database
  const device = newUuid()
  const at = [app.seed.uuid, device]
  await pool.query(
    `INSERT INTO devices (workspace_id, id, device_key, name) VALUES ($1, $2, 'confirm-1', 'One')`,
    at,
  )
  await pool.query(
    `INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash, expires_at)
     SELECT $1, $2, 'mqtt', g, decode(repeat('0' || g, 32), 'hex'), now() + interval '1 day'
     FROM generate_series(1, 3) AS g`,
    at,
  )
  // Straight on a connection, as a pool would try again what was caught in a circle.
  const direct = {
    query: async (statement: { text: string }, values: unknown[]) =>
      (await pool.query(statement.text, values)).rows,
  } as unknown as Db
  const holder = await pool.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM device_secrets WHERE generation = 1 FOR UPDATE')
  const waiting = async (count: number): Promise<void> => {
    const text = `SELECT FROM pg_stat_activity
                  WHERE datname = current_database() AND wait_event_type = 'Lock'`
    while ((await pool.query(text)).rowCount !== count) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const third = confirmSecret.any(direct, {
    workspaceId: app.seed.uuid,
    ref: device,
    kind: 'mqtt',
    generation: 3,
  })
  await waiting(1)
  const second = confirmSecret.any(direct, {
    workspaceId: app.seed.uuid,
    ref: device,
    kind: 'mqtt',
    generation: 2,
  })
  await waiting(2)
  await holder.query('COMMIT')
  holder.release()
  assert.deepEqual(await Promise.all([third, second]), [true, false])
  const { rows } = await pool.query(
    'SELECT generation, expires_at FROM device_secrets WHERE device_id = $1',
    [device],
  )
  assert.deepEqual(rows, [{ generation: 3, expires_at: null }])
})
