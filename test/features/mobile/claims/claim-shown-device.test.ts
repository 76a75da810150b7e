/** The other direction: a device shows a code, and a phone claims the device with it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { as, startApp } from '../../../support/app.ts'
import {
  newDevice,
  newPhone,
  openClaim,
  orphanBindings,
  type Phone,
  statuses,
  type TestDevice,
} from '../../../support/phones-and-devices.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

async function shownCode(device: TestDevice, body: object = {}): Promise<string> {
  const shown = await device.call('POST', '/devices/auth/claim-codes', body)
  assert.equal(shown.status, 201, shown.text)
  return shown.body.claim_code
}

const claim = (phone: Phone, code: unknown, extra: object = {}) =>
  phone.call('POST', '/moid/devices/claim', { claim_code: code, ...extra })

describe('POST /devices/auth/claim-codes', () => {
  test('gives a code that is valid for the asked time, and ends the one before', async (t) => {
    const app = await freshTenants(t)
    const device = await newDevice(app)
    const shown = await device.call('POST', '/devices/auth/claim-codes', { expires_in: 120, x: 1 })
    assert.equal(shown.status, 201)
    assert.deepEqual(Object.keys(shown.body).sort(), ['claim_code', 'claim_id', 'expires_at'])
    const left = Date.parse(shown.body.expires_at) - Date.now()
    assert.ok(left > 60_000 && left < 180_000)
    const phone = await newPhone(app)
    const second = await shownCode(device)
    const old = await claim(phone, shown.body.claim_code)
    assert.deepEqual([old.status, old.body.code], [410, 'claim_code_expired'])
    assert.equal((await claim(phone, second)).status, 200)
    const refused = await device.call('POST', '/devices/auth/claim-codes', {})
    assert.deepEqual([refused.status, refused.body.code], [409, 'device_already_claimed'])
  })

  test('many requests at once leave one code open', async (t) => {
    const app = await startApp(t)
    const device = await newDevice(app)
    await Promise.all(Array.from({ length: 30 }, () => shownCode(device)))
    const { rows } = await app.database.pool.query(
      `SELECT status, count(*)::int AS n FROM claims GROUP BY 1 ORDER BY 1`,
    )
    assert.deepEqual(rows, [
      { status: 'cancelled', n: 29 },
      { status: 'open', n: 1 },
    ])
  })
})

describe('POST /moid/devices/claim', () => {
  test('binds the device, and the same phone may ask again', async (t) => {
    const app = await freshTenants(t)
    const [global, locked] = await Promise.all([newPhone(app), newPhone(app, app.seed.id)])
    for (const phone of [global, locked]) {
      const device = await newDevice(app)
      const code = await shownCode(device)
      const formatted = `PC_${code.slice(3).toLowerCase().replace('0', 'o')}`
      const first = await claim(phone, formatted, { name: 'Lamp' })
      assert.equal(first.status, 200, first.text)
      assert.equal(first.body.device_id, device.id)
      assert.equal(first.body.name, 'Lamp')
      assert.equal((await claim(phone, code)).text, first.text)
      const { body } = await phone.call('GET', '/moid/claims')
      assert.equal(body.items[0].status, 'bound')
      assert.equal(body.items[0].claim_id, first.body.claim_id)
      assert.equal((await device.call('GET', '/devices/auth/me')).body.claimed, true)
    }
    assert.equal(await orphanBindings(app), 0)
  })

  test('binds for one of forty phones that send one code at once', async (t) => {
    const app = await freshTenants(t)
    const sibling = await app.sibling()
    const phones = await Promise.all(Array.from({ length: 40 }, () => newPhone(app)))
    for (let round = 0; round < 3; round += 1) {
      const device = await newDevice(app)
      const body = { claim_code: await shownCode(device) }
      const responses = await Promise.all(
        phones.map(({ token }, at) =>
          (at % 2 ? app : sibling).call('POST', '/moid/devices/claim', {
            as: as.phone(token),
            body,
          }),
        ),
      )
      assert.deepEqual(statuses(responses), { 200: 1, 410: 39 })
      assert.equal(await orphanBindings(app), 0)
    }
  })

  test("a phone's code and a device's code at once make one binding", async (t) => {
    const app = await freshTenants(t)
    const [one, two] = await Promise.all([newPhone(app), newPhone(app)])
    for (let round = 0; round < 20; round += 1) {
      const device = await newDevice(app)
      const [shown, open] = await Promise.all([shownCode(device), openClaim(app, one)])
      const [a, b] = await Promise.all([device.bind(open.code), claim(two, shown)])
      assert.deepEqual(statuses([a, b]), { 200: 1, 409: 1 })
      assert.equal(await orphanBindings(app), 0)
      await one.call('DELETE', `/moid/claims/${open.id}`)
    }
  })

  test('returns the reason why a code is refused, and searches only permitted workspaces', async (t) => {
    const app = await freshTenants(t)
    const { seed } = app
    const phone = await newPhone(app)
    const locked = await newPhone(app, seed.other.id)
    const device = await newDevice(app)
    const code = await shownCode(device)
    const refused = async (by: Phone, text: unknown, extra: object = {}) => {
      const { status, body } = await claim(by, text, extra)
      return [status, body.code]
    }
    assert.deepEqual(await refused(phone, 'pc_1'), [400, 'claim_code_malformed'])
    assert.deepEqual(await refused(phone, 1), [400, 'invalid_request'])
    assert.deepEqual(await refused(phone, 'pc_0123456789'), [404, 'claim_code_unknown'])
    assert.deepEqual(await refused(locked, code), [404, 'claim_code_unknown'])
    assert.deepEqual(await refused(locked, code, { workspace_id: seed.id }), [
      404,
      'workspace_not_found',
    ])
    assert.deepEqual(await refused(phone, code, { workspace_id: seed.other.id }), [
      404,
      'claim_code_unknown',
    ])
    // The code on a phone is for devices, and the code on a device is for phones.
    const open = await openClaim(app, phone)
    assert.deepEqual(await refused(await newPhone(app), open.code), [404, 'claim_code_unknown'])
    assert.equal((await (await newDevice(app)).bind(code)).status, 404)
    await app.database.pool.query(
      `UPDATE devices SET status = 'suspended', suspended_from = 'registered' WHERE id = $1`,
      [device.uuid],
    )
    assert.deepEqual(await refused(phone, code), [410, 'claim_code_expired'])
    await app.database.pool.query(
      `UPDATE devices SET status = 'registered', suspended_from = NULL WHERE id = $1`,
      [device.uuid],
    )
    assert.equal((await claim(phone, code, { workspace_id: seed.id })).status, 200)
    assert.deepEqual(await refused(await newPhone(app), code), [410, 'claim_code_used'])
  })

  test('wrong codes of one phone are limited', async (t) => {
    const app = await startApp(t, { environment: { MOORING_RATE_LIMITS: 'on' } })
    const [phone, other] = await Promise.all([newPhone(app), newPhone(app)])
    const code = await shownCode(await newDevice(app))
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, at) => claim(phone, `pc_${String(at).padStart(10, '0')}`)),
    )
    assert.deepEqual(statuses(responses), { 404: 5, 429: 15 })
    assert.equal((await claim(phone, code)).status, 429)
    assert.equal((await claim(other, code)).status, 200)
  })
})

describe('DELETE /devices/auth/claim', () => {
  test('releases the device and ends the code that it shows; nothing to do is fine', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const device = await newDevice(app)
    const reset = () => device.call('DELETE', '/devices/auth/claim')
    assert.equal((await reset()).status, 204)
    const code = await shownCode(device)
    assert.equal((await reset()).status, 204)
    assert.equal((await claim(phone, code)).body.code, 'claim_code_expired')
    await claim(phone, await shownCode(device))
    assert.equal((await phone.call('GET', '/moid/devices')).body.items.length, 1)
    assert.equal((await reset()).status, 204)
    assert.equal((await phone.call('GET', '/moid/devices')).body.items.length, 0)
    const { rows } = await app.database.pool.query(
      `SELECT actor_kind, actor_id FROM audit_log WHERE action = 'device.released'`,
    )
    assert.deepEqual(rows, [{ actor_kind: 'device', actor_id: device.id }])
    assert.equal(await orphanBindings(app), 0)
  })
})
