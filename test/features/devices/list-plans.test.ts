/** Filters of the device list that few devices pass must not walk through all the others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Db, type Statement, unnamed } from '../../../src/database/connect.ts'
import { type DeviceFilter, pageOfDevices } from '../../../src/features/devices/store.ts'
import { startApp } from '../../support/app.ts'

test('what is rare is found by an index that holds nothing else', async (t) => {
  const { database, seed } = await startApp(t)
  await database.pool.query(
    `INSERT INTO devices (workspace_id, id, device_key, name, status, claimed_at)
     SELECT $1, gen_random_uuid(), 'k' || n, '', CASE n WHEN 7 THEN 'suspended' ELSE 'active' END,
            CASE n WHEN 8 THEN now() END
     FROM generate_series(1, 5000) AS n`,
    [seed.uuid],
  )
  await database.pool.query('ANALYZE devices')
  await database.pool.query(
    `INSERT INTO device_presence (workspace_id, device_id, connected, incarnation, node_id,
                                  last_seen_at)
     SELECT workspace_id, id, device_key = 'k9', 1, gen_random_uuid(), now() FROM devices`,
  )
  await database.pool.query('ANALYZE device_presence')
  const planOf = async (filter: DeviceFilter): Promise<string> => {
    let plan = ''
    const explaining = {
      async query({ text }: Statement, values: unknown[]) {
        const rows = await database.query<object>(unnamed(`EXPLAIN ${text}`), values)
        plan = rows.flatMap((row) => Object.values(row)).join('\n')
        return []
      },
    } as unknown as Db
    await pageOfDevices(explaining, seed.uuid, filter, 51)
    return plan
  }
  assert.match(await planOf({ status: 'suspended' }), /using devices_status /)
  assert.match(await planOf({ status: 'decommissioned' }), /using devices_status /)
  assert.match(await planOf({ claimed: true }), /using devices_claimed /)
  assert.match(await planOf({ connected: true }), /using device_presence_connected /)
})
