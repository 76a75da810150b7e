/** POST /devices/auth/bind-claim: one device wins a code, and all others get the reason. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { as, startApp } from '../../../support/app.ts'
import {
  inParallel,
  newDevice,
  newDevices,
  newPhone,
  openClaim,
  orphanBindings,
  statuses,
} from '../../../support/phones-and-devices.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { howMany } from '../../../support/thorough.ts'

const MANY = howMany(400, 2_000)

const freshTenants = useTenants()

describe('POST /devices/auth/bind-claim', () => {
  test('binds the device to the phone that shows the code', async (t) => {
    const app = await freshTenants(t)
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

  test('binds exactly one of many devices that send one code at once, each time', async (t) => {
    const app = await startApp(t)
    const phone = await newPhone(app)
    const devices = await newDevices(app, MANY)
    for (let round = 0; round < 2; round += 1) {
      const claim = await openClaim(app, phone)
      const responses = await inParallel(
        devices.map((device) => () => device.bind(claim.code)),
        64,
      )
      const { 200: won, 409: claimed = 0, 410: late, ...others } = statuses(responses)
      assert.deepEqual({ won, others }, { won: 1, others: {} })
      // Winners of earlier rounds are claimed already.
      assert.equal(claimed, round)
      assert.equal((late ?? 0) + claimed, MANY - 1)
      const winner = responses.find(({ status }) => status === 200)
      const seen = await phone.call('GET', `/moid/claims/${claim.id}`)
      assert.equal(seen.body.device_id, winner?.body.device_id)
      assert.equal(seen.body.status, 'bound')
    }
    assert.equal(await orphanBindings(app), 0)
  })

  test('the same device repeating its code gets the same response, byte for byte', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const [device, outsider] = await newDevices(app, 2)
    assert.ok(device && outsider)
    const claim = await openClaim(app, phone)
    const responses = await inParallel(
      Array.from({ length: 40 }, () => () => device.bind(claim.code)),
      20,
    )
    assert.deepEqual(statuses(responses), { 200: 40 })
    assert.equal(new Set(responses.map(({ text }) => text)).size, 1)
    const other = await outsider.bind(claim.code)
    assert.equal(other.status, 410)
    assert.equal(other.body.code, 'claim_code_used')
  })

  test('binds by a code once, however the code is encoded', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const claim = await openClaim(app, phone)
    const characters = claim.code.slice(3).split('')
    const variants = Array.from({ length: 60 }, (_, at) => {
      const separator = ['', '-', ' '][at % 3] as string
      const text = characters
        .map((character, index) => ((at >> (index % 6)) & 1 ? character.toLowerCase() : character))
        .map((character) =>
          at % 2 ? character.replace('0', 'o').replace('1', at % 4 === 1 ? 'l' : 'I') : character,
        )
        .join(separator)
      return `${at % 5 ? 'pc_' : 'PC_'}${text}`
    })
    // A code of digits alone has the fewest forms.
    assert.ok(new Set(variants).size >= 6)
    const devices = await newDevices(app, variants.length)
    const responses = await inParallel(
      devices.map((device, at) => () => device.bind(variants[at])),
      30,
    )
    assert.deepEqual(statuses(responses), { 200: 1, 410: variants.length - 1 })
    assert.equal(await orphanBindings(app), 0)
  })

  test('one device that sends many codes at once is bound by one of them', async (t) => {
    const app = await freshTenants(t)
    const device = await newDevice(app)
    const phones = await Promise.all([newPhone(app), newPhone(app), newPhone(app), newPhone(app)])
    const claims = await Promise.all(
      phones.flatMap((phone) => Array.from({ length: 5 }, () => openClaim(app, phone))),
    )
    // Another process, so that nothing in the memory of one decides.
    const sibling = await app.sibling()
    const responses = await Promise.all(
      claims.map(({ code }, at) =>
        (at % 2 ? app : sibling).call('POST', '/devices/auth/bind-claim', {
          as: as.device(device.token),
          body: { claim_code: code },
        }),
      ),
    )
    assert.deepEqual(statuses(responses), { 200: 1, 409: 19 })
    assert.equal(await orphanBindings(app), 0)
    // The codes that it did not take are still good.
    const won = responses.findIndex(({ status }) => status === 200)
    const other = await newDevice(app)
    assert.equal((await other.bind(claims[(won + 1) % 20]?.code)).status, 200)
  })

  test('says why a code cannot be bound', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const [device, bound] = await newDevices(app, 2)
    const foreigner = await newDevice(app, app.seed.other)
    assert.ok(device && bound)
    const refused = async (code: unknown, status: number, failure: string, by = device) => {
      const { body, status: got } = await by.bind(code)
      assert.deepEqual([got, body.code], [status, failure], String(code))
    }
    for (const malformed of [
      '',
      'pc_',
      'pc_ABC',
      'pc_ABCDEFGHJKM',
      'xx_ABCDEFGHJK',
      'pc_ABCDEFGHU0',
    ]) {
      await refused(malformed, 400, 'claim_code_malformed')
    }
    await refused('a'.repeat(100_000), 400, 'invalid_request')
    for (const shape of [null, 1, ['pc_ABCDEFGHJK'], {}])
      await refused(shape, 400, 'invalid_request')
    await refused('pc_0123456789', 404, 'claim_code_unknown')
    const open = await openClaim(app, phone)
    await refused(open.code, 404, 'claim_code_unknown', foreigner)
    const late = await openClaim(app, phone)
    await app.database.pool.query(
      `UPDATE claims SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [late.uuid],
    )
    await refused(late.code, 410, 'claim_code_expired')
    const cancelled = await openClaim(app, phone)
    assert.equal((await phone.call('DELETE', `/moid/claims/${cancelled.id}`)).status, 204)
    await refused(cancelled.code, 410, 'claim_code_expired')
    const used = await openClaim(app, phone)
    assert.equal((await bound.bind(used.code)).status, 200)
    await refused(used.code, 410, 'claim_code_used')
    await refused(open.code, 409, 'device_already_claimed', bound)
    await refused('pc_0123456789', 409, 'device_already_claimed', bound)
    await phone.call('DELETE', `/moid/devices/${bound.id}`)
    await refused(used.code, 410, 'claim_code_used', bound)
    await refused(used.code, 410, 'claim_code_used')
  })

  test('ignores members of the body that it does not know', async (t) => {
    const app = await freshTenants(t)
    const claim = await openClaim(app, await newPhone(app))
    const [device, victim] = await newDevices(app, 2)
    assert.ok(device && victim)
    const response = await device.call('POST', '/devices/auth/bind-claim', {
      claim_code: claim.code,
      device_id: victim.id,
      workspace_id: app.seed.other.id,
    })
    assert.equal(response.status, 200)
    assert.equal(response.body.device_id, device.id)
  })

  test('records the bound phone for owners and auditors, and never the code', async (t) => {
    const app = await startApp(t)
    const phone = await newPhone(app)
    const device = await newDevice(app)
    const claim = await openClaim(app, phone)
    await device.bind('pc_0123456789')
    await device.bind(claim.code)
    const { pool } = app.database
    const events = await pool.query(
      `SELECT type, data, subject_id FROM events WHERE type = 'device.claimed'`,
    )
    assert.deepEqual(events.rows, [
      {
        type: 'device.claimed',
        subject_id: device.uuid,
        data: { device_id: device.id, claim_id: claim.id, moid_id: phone.moidId },
      },
    ])
    const audit = await pool.query(
      `SELECT action, actor_kind, actor_id FROM audit_log WHERE action LIKE '%claim%' ORDER BY id`,
    )
    assert.deepEqual(audit.rows, [
      { action: 'claim.created', actor_kind: 'moid', actor_id: phone.moidId },
      { action: 'device.claimed', actor_kind: 'device', actor_id: device.id },
    ])
    for (const table of ['events', 'audit_log', 'claims']) {
      const rows = await pool.query(`SELECT * FROM ${table}`)
      assert.ok(!JSON.stringify(rows.rows).includes(claim.code.slice(3)), table)
    }
  })
})
