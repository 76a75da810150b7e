/** POST /devices/auth/bind-claim: one device wins a code, and everybody else is told why not. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startApp } from '../../support/app.ts'
import {
  inParallel,
  newDevice,
  newDevices,
  newPhone,
  openClaim,
  orphanBindings,
  statuses,
} from '../../support/phones-and-devices.ts'

describe('POST /devices/auth/bind-claim', () => {
  test('binds the device to the phone that shows the code', async (t) => {
    const app = await startApp(t)
    const phone = await newPhone(app)
    const device = await newDevice(app)
    const claim = await openClaim(app, phone, { name: 'Lamp' })
    const bound = await device.bind(claim.code)
    assert.equal(bound.status, 200, bound.text)
    assert.deepEqual(bound.body, {
      ok: true,
      device_id: device.id,
      claim_id: claim.id,
      bound_at: bound.body.bound_at,
    })
    assert.ok(bound.text.length < 1024)
    const seen = await phone.call('GET', `/moid/claims/${claim.id}`)
    assert.equal(seen.body.status, 'bound')
    assert.equal(seen.body.device_id, device.id)
    const { body } = await phone.call('GET', '/moid/devices')
    assert.equal(body.items.length, 1)
    assert.equal(body.items[0].device_id, device.id)
    assert.equal(body.items[0].name, 'Lamp')
    const me = await device.call('GET', '/devices/auth/me')
    assert.equal(me.body.claimed, true)
    assert.equal(await orphanBindings(app), 0)
  })

  test('of 2,000 devices that send one code at once exactly one wins, each time', async (t) => {
    const app = await startApp(t)
    const phone = await newPhone(app)
    const devices = await newDevices(app, 2_000)
    for (let round = 0; round < 3; round += 1) {
      const claim = await openClaim(app, phone)
      const answers = await inParallel(
        devices.map((device) => () => device.bind(claim.code)),
        64,
      )
      const { 200: won, 409: claimed = 0, 410: late, ...others } = statuses(answers)
      assert.deepEqual({ won, others }, { won: 1, others: {} })
      // Winners of earlier rounds are claimed already.
      assert.equal(claimed, round)
      assert.equal((late ?? 0) + claimed, 1_999)
      const winner = answers.find(({ status }) => status === 200)
      const seen = await phone.call('GET', `/moid/claims/${claim.id}`)
      assert.equal(seen.body.device_id, winner?.body.device_id)
      assert.equal(seen.body.status, 'bound')
    }
    assert.equal(await orphanBindings(app), 0)
  })
})
