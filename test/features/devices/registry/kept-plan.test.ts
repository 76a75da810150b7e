/** Devices are mostly registered one by one or a few at once, and not planned again each time. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  newDevice,
  registerByKey,
  registerByStaff,
  registerOne,
} from '../../../../src/features/devices/registry/device-registration.ts'
import { type Transaction, unnamed } from '../../../../src/platform/database/connect.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { serviceOrigin } from '../../../../src/platform/record/event.ts'
import type { TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'

/** After five plans the server compares them with one for any values. */
const USES = 12

let number = 0

/** A device with something to be found by. */
function labelledDevice({ seed }: TestApp) {
  number += 1
  const fields = {
    workspaceId: seed.uuid,
    deviceKey: `P-${number}`,
    name: `Pump ${number}`,
    templateId: seed.template.uuid,
    hardwareId: null,
    tags: { site: 'north' },
  }
  return newDevice(serviceOrigin, fields, undefined)
}

async function registration(app: TestApp, trx: Transaction) {
  const [key] = await trx.query<{ id: string; slug: string }>(
    unnamed(`SELECT k.id, w.slug FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
             WHERE k.workspace_id = $1 AND k.kind = 'provision'`),
    [app.seed.uuid],
  )
  assert.ok(key)
  const of = { keyId: key.id, slug: key.slug, approval: 'approved', hasQuota: false } as const
  return () => ({
    ...labelledDevice(app),
    ...of,
    sealed: Buffer.from(newUuid()),
    response: undefined,
  })
}

type Register = (app: TestApp, trx: Transaction) => Promise<() => Promise<unknown>>

const statements: Readonly<Record<string, Register>> = {
  'devices.register': async (app, trx) => () =>
    registerByStaff(trx, [{ ...labelledDevice(app), customFields: {}, config: {} }]),
  'provisioning.register.labels': async (app, trx) => {
    const next = await registration(app, trx)
    return () => registerOne(trx, next())
  },
  'provisioning.register_many.labels': async (app, trx) => {
    const next = await registration(app, trx)
    return () => registerByKey(trx, [next(), next()])
  },
}

suite('a statement that registers labelled devices keeps its plan', () => {
  const freshTenants = useTenants()
  for (const [name, prepare] of Object.entries(statements)) {
    test(name, async (t) => {
      const app = await freshTenants(t)
      const plans = await app.database.transaction(async (trx) => {
        const register = await prepare(app, trx)
        for (let use = 1; use <= USES; use += 1) await register()
        return trx.query<{ custom_plans: number; uses: number }>(
          unnamed(`SELECT custom_plans, custom_plans + generic_plans AS uses
                   FROM pg_prepared_statements WHERE name = '${name}'`),
        )
      })
      assert.equal(plans.length, 1)
      assert.equal(plans[0]?.uses, USES)
      assert.ok((plans[0]?.custom_plans ?? USES) < USES / 2)
    })
  }
})
