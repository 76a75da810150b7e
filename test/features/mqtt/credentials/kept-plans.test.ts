/** A fleet mostly connects one by one: statements of a CONNECT are not planned again each time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastingReads } from '../../../../src/features/mqtt/credentials/store.ts'
import { markSecretsUsed } from '../../../../src/features/mqtt/device-secrets/device-secret.ts'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { startApp } from '../../../support/app.ts'

/** After five plans the server compares them with one for any values. */
const USES = 12

test('the statements of a CONNECT keep their plans, also for a single device', async (t) => {
  const { database } = await startApp(t)
  const planned = await database.transaction(async (trx) => {
    const reads = lastingReads(trx)
    for (let use = 0; use < USES; use += 1) {
      const id = newUuid()
      await reads.devices.find(id)
      await reads.principals.find(id)
      const secret = { workspaceId: id, deviceId: id, kind: 'mqtt', generation: 1 } as const
      await markSecretsUsed(trx, [secret])
    }
    return trx.query<{ name: string; custom_plans: number }>(
      unnamed('SELECT name, custom_plans FROM pg_prepared_statements ORDER BY name'),
    )
  })
  const often = planned.filter(({ custom_plans }) => custom_plans > USES / 2)
  assert.deepEqual(often, [])
  for (const name of ['device_secrets.mark_used', 'mqtt_credentials.by_devices']) {
    assert.ok(planned.some((statement) => statement.name === name))
  }
})
