/** Staff release a device whose phone is lost: once, and nothing of the phone's rights stays. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, type Headers, type TestApp } from '../../../support/app.ts'
import {
  newDevice,
  newPhone,
  openClaim,
  type TestDevice,
} from '../../../support/phones-and-devices.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const release = (app: TestApp, device: TestDevice, who?: Headers) =>
  app.call('POST', `/workspaces/${app.seed.id}/devices/${device.id}/release`, {
    as: who ?? as.user(app.seed.owner.token),
  })

async function claimed(t: Parameters<typeof freshTenants>[0]) {
  const app = await freshTenants(t)
  const phone = await newPhone(app)
  const device = await newDevice(app)
  const claim = await openClaim(app, phone)
  const bound = await device.bind(claim.code)
  assert.equal(bound.status, 200, bound.text)
  return { app, phone, device, claim }
}

const entriesOf = async (app: TestApp, device: TestDevice): Promise<unknown[]> => {
  const path = `/workspaces/${app.seed.id}/audit-log?action=device.released&resource=${device.id}`
  return (await app.call('GET', path, { as: as.user(app.seed.owner.token) })).body.items
}

test('a released device has no owner, its phone no rights, and another can claim it', async (t) => {
  const { app, phone, device, claim } = await claimed(t)
  const released = await release(app, device)
  assert.equal(released.status, 200, released.text)
  assert.equal(released.body.claimed_at, null)
  assert.deepEqual((await phone.call('GET', '/moid/devices')).body.items, [])
  const ended = await phone.call('GET', `/moid/claims/${claim.id}`)
  assert.equal(ended.body.status, 'released')
  const me = await device.call('GET', '/devices/auth/me')
  assert.equal(me.body.claimed, false)
  assert.equal(me.body.rotation_due, true)
  const next = await newPhone(app)
  const again = await device.bind((await openClaim(app, next)).code)
  assert.equal(again.status, 200, again.text)
})

test('one of many concurrent releases ends the claim, and it is recorded once', async (t) => {
  const { app, device } = await claimed(t)
  const responses = await Promise.all(Array.from({ length: 20 }, () => release(app, device)))
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]))
  assert.equal((await entriesOf(app, device)).length, 1)
  const path = `/workspaces/${app.seed.id}/events?types=device.released&wait=10`
  const feed = await app.call('GET', path, {
    as: as.platformKey(app.seed.platformKey),
  })
  assert.equal(feed.body.items.length, 1)
})

test('a device without a claim stays as it is, and a viewer may not release', async (t) => {
  const { app, device } = await claimed(t)
  const viewer = as.user((await seedUser(app, { [app.seed.uuid]: 'viewer' })).token)
  assert.equal((await release(app, device, viewer)).status, 403)
  const member = as.user((await seedUser(app, { [app.seed.uuid]: 'member' })).token)
  assert.equal((await release(app, device, member)).status, 200)
  const unclaimed = await release(app, device)
  assert.equal(unclaimed.status, 200)
  assert.equal((await entriesOf(app, device)).length, 1)
})
