/** Staff and backends mostly add one device at a time, which is not planned again each time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  newDevice,
  registerByStaff,
} from '../../../../src/features/devices/registry/device-registration.ts'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { serviceOrigin } from '../../../../src/platform/record/event.ts'
import { startApp } from '../../../support/app.ts'

/** After five plans the server compares them with one for any values. */
const USES = 12

test('the statement that adds a device keeps its plan', async (t) => {
  const { database, seed } = await startApp(t)
  const plans = await database.transaction(async (trx) => {
    for (let use = 1; use <= USES; use += 1) {
      const deviceKey = `P-${use}`
      const fields = {
        workspaceId: seed.uuid,
        deviceKey,
        name: `Pump ${use}`,
        templateId: seed.template.uuid,
        hardwareId: null,
        tags: { site: 'north' },
      }
      const device = newDevice(serviceOrigin, fields, undefined)
      const added = await registerByStaff(trx, [{ ...device, customFields: {}, config: {} }])
      assert.equal(added.size, 1)
    }
    return trx.query<{ custom_plans: number }>(
      unnamed(`SELECT custom_plans FROM pg_prepared_statements WHERE name = 'devices.register'`),
    )
  })
  assert.equal(plans.length, 1)
  assert.ok((plans[0]?.custom_plans ?? USES) < USES / 2)
})
