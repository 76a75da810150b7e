/**
 * Calls of mobile identities are metered to a workspace while they hold a device of it. Anyone can
 * open sessions that name a workspace: their calls cost it nothing.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestApp } from '../../../support/app.ts'
import { as } from '../../../support/app.ts'
import { sql, useBilledTenants } from '../../../support/billing.ts'
import { inParallel, newDevice, newPhone, openClaim } from '../../../support/phones-and-devices.ts'
import { examplePlans, plansFile } from '../../../support/plans.ts'
import { until } from '../../../support/until.ts'

const CALLS = 1_500
const SESSIONS = 15

const file = examplePlans()
const [free] = file.plans as [(typeof file.plans)[number]]
const plan = { ...free, limits: { api_calls_per_month: CALLS } }
const environment = { MOORING_PLANS_FILE: plansFile({ ...file, plans: [plan] }) }

const createDevice = ({ call, seed }: TestApp) =>
  call('POST', `/workspaces/${seed.id}/devices`, {
    as: as.platformKey(seed.platformKey),
    body: { template_id: seed.template.id, device_key: 'own', name: 'Own' },
  })

/** The entries of the workspace in the ledger, from which invoices are computed. */
async function meteredCalls(app: TestApp): Promise<number> {
  await app.services.usage.flush()
  const [row] = await sql<{ calls: number }>(
    app,
    'SELECT coalesce(sum(api_calls), 0)::int AS calls FROM usage_hours WHERE workspace_id = $1',
    [app.seed.uuid],
  )
  return row?.calls ?? 0
}

describe('calls of mobile identities', () => {
  const start = useBilledTenants({ environment })

  test('that hold no device of a workspace use up nothing of its plan', async (t) => {
    const app = await start(t)
    const phones = await Promise.all(
      Array.from({ length: SESSIONS }, () => newPhone(app, app.seed.id)),
    )
    const paths = ['/moid/me', '/moid/devices', '/moid/claims']
    const calls = Array.from({ length: 2 * CALLS }, (_, at) => () => {
      const phone = phones[at % SESSIONS] as (typeof phones)[number]
      return phone.call('GET', paths[at % paths.length] as string)
    })
    const responses = await inParallel(calls, 16)
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200])
    await Promise.all(phones.map((phone) => openClaim(app, phone)))
    assert.equal(await meteredCalls(app), 0)
    // A limit is applied by the next flush that finds it reached.
    await app.services.usage.flush()
    assert.equal((await createDevice(app)).status, 201)
    assert.equal(await meteredCalls(app), 1)
  })

  test('are metered from the claim of a device to its release, on every process', async (t) => {
    const app = await start(t)
    const other = await app.sibling()
    const [phone, device] = [await newPhone(app, app.seed.id), await newDevice(app)]
    const elsewhere = { as: as.phone(phone.token) }
    assert.equal((await other.call('GET', '/moid/me', elsewhere)).status, 200)
    await device.bind((await openClaim(app, phone)).code)
    const before = await meteredCalls(app)
    for (let call = 0; call < 3; call += 1) await phone.call('GET', '/moid/devices')
    assert.equal(await meteredCalls(app), before + 3)
    await until('the other process has received the claim', async () => {
      await other.call('GET', '/moid/me', elsewhere)
      return (await meteredCalls(other)) > before + 3
    })
    await phone.call('DELETE', `/moid/devices/${device.id}`)
    const after = await meteredCalls(app)
    for (let call = 0; call < 3; call += 1) await phone.call('GET', '/moid/devices')
    assert.equal(await meteredCalls(app), after)
  })

  test('are metered to the workspace of the device, and to no other', async (t) => {
    const app = await start(t)
    const [phone, device] = [await newPhone(app), await newDevice(app)]
    await device.bind((await openClaim(app, phone)).code)
    const outsider = await newPhone(app, app.seed.other.id)
    const before = await meteredCalls(app)
    for (const each of [phone, outsider]) await each.call('GET', '/moid/devices')
    assert.equal(await meteredCalls(app), before)
    const other = { ...app, seed: { ...app.seed, uuid: app.seed.other.uuid } }
    assert.equal(await meteredCalls(other), 0)
  })

  test('end to be metered when the device is deleted', async (t) => {
    const app = await start(t)
    const [phone, device] = [await newPhone(app, app.seed.id), await newDevice(app)]
    await device.bind((await openClaim(app, phone)).code)
    await phone.call('GET', '/moid/devices')
    const gone = await app.call('DELETE', `/workspaces/${app.seed.id}/devices/${device.id}`, {
      as: as.platformKey(app.seed.platformKey),
    })
    assert.equal(gone.status, 204, gone.text)
    await until('its calls are not metered any more', async () => {
      const before = await meteredCalls(app)
      await phone.call('GET', '/moid/devices')
      return (await meteredCalls(app)) === before
    })
  })
})
