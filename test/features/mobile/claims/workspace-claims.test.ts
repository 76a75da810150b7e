/** Staff see the claims of their workspace, and never a code. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, type TestApp } from '../../../support/app.ts'
import { newDevice, newPhone, openClaim } from '../../../support/phones-and-devices.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const listed = async ({ call, seed }: TestApp, filter?: string, key = seed.platformKey) => {
  const query = filter === undefined ? '' : `?filter=${encodeURIComponent(filter)}`
  const response = await call('GET', `/workspaces/${seed.id}/claims${query}`, {
    as: as.platformKey(key),
  })
  assert.equal(response.status, 200, response.text)
  return { items: response.body.items as Record<string, string>[], text: response.text }
}

test('each claim has its phone, its device and its outcome', async (t) => {
  const app = await freshTenants(t)
  const phone = await newPhone(app)
  const device = await newDevice(app)
  const bound = await openClaim(app, phone, { name: 'Lamp' })
  const open = await openClaim(app, phone)
  assert.equal((await device.bind(bound.code)).status, 200)
  const { items, text } = await listed(app)
  assert.deepEqual(
    items.map(({ claim_id, status, device_id, shown_by }) => [
      claim_id,
      status,
      device_id,
      shown_by,
    ]),
    [
      [open.id, 'open', null, 'phone'],
      [bound.id, 'bound', device.id, 'phone'],
    ],
  )
  assert.ok(!text.includes(open.code) && !text.includes(bound.code))
  assert.deepEqual((await listed(app, 'status = bound')).items.length, 1)
  assert.deepEqual((await listed(app, `device_id = ${device.id}`)).items[0]?.claim_id, bound.id)
  const path = `/workspaces/${app.seed.id}/devices/${device.id}/release`
  const released = await app.call('POST', path, { as: as.platformKey(app.seed.platformKey) })
  assert.ok(released.status < 300, released.text)
  const [ended] = (await listed(app, `device_id = ${device.id}`)).items
  assert.deepEqual([ended?.status, typeof ended?.ended_at], ['released', 'string'])
})
