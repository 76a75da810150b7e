/** `rotate_unclaimed`: a key renews nothing of a claimed device, unless staff allow it. */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { tryConnect } from '../../../support/mqtt.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const getApp = useApp()

const staff = ({ seed }: TestApp) => as.platformKey(seed.platformKey)

async function keyWith(app: TestApp, settings: object): Promise<{ id: string; key: string }> {
  const { body, status, text } = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
    as: staff(app),
    body: { key_kind: 'provision', ...settings },
  })
  assert.equal(status, 201, text)
  return body
}

const provision = ({ call }: TestApp, key: string, body: object) =>
  call('POST', '/provision/device', { as: as.factory(key), body })

async function claim(app: TestApp, deviceToken: string): Promise<string> {
  const { body: session } = await app.call('POST', '/moid/session', { body: {} })
  const phone = as.phone(session.access_token)
  const { body: open } = await app.call('POST', '/moid/claims', {
    as: phone,
    body: { workspace_id: app.seed.id },
  })
  const bound = await app.call('POST', '/devices/auth/bind-claim', {
    as: as.device(deviceToken),
    body: { claim_code: open.claim_code },
  })
  assert.equal(bound.status, 200, bound.text)
  return session.access_token as string
}

interface Fielded {
  app: TestApp
  key: { id: string; key: string }
  /** The body with which the device registers, again and again. */
  registration: { template_id: string; hardware_id: string }
  first: CallResult
  phoneToken: string
}

/** A device that is connected and claimed, and the key that registered it. */
async function fielded(t: TestContext): Promise<Fielded> {
  const app = getApp()
  const key = await keyWith(app, { on_known_device: 'rotate_unclaimed' })
  const registration = { template_id: app.seed.template.id, hardware_id: newUuid() }
  const first = await provision(app, key.key, registration)
  assert.equal(first.status, 201, first.text)
  assert.equal((await tryConnect(t, first.body)).code, 0)
  const again = await provision(app, key.key, registration)
  assert.equal(again.status, 200, 'the device is not claimed yet')
  const phoneToken = await claim(app, first.body.device_http_token)
  return { app, key, registration, first, phoneToken }
}

function refused({ status, body, text }: CallResult): void {
  assert.equal(status, 409, text)
  assert.deepEqual([body.code, body.rule], ['device_already_registered', 'on_known_device'], text)
}

const allow = ({ app, first }: Fielded) =>
  app.call(
    'POST',
    `/workspaces/${app.seed.id}/devices/${first.body.device_id}/credentials/allow-rotation`,
    { as: staff(app) },
  )

describe('a claimed device', () => {
  test('gets nothing by a repeated registration, a rotation or a row of a stream', async (t) => {
    const device = await fielded(t)
    const { app, key, registration, first } = device
    refused(await provision(app, key.key, registration))
    refused(await provision(app, key.key, { device_id: first.body.device_id }))
    const { text } = await app.call('POST', '/provision/devices', {
      as: as.factory(key.key),
      headers: { 'content-type': 'application/x-ndjson' },
      body: JSON.stringify(registration),
    })
    assert.equal(JSON.parse(text).rule, 'on_known_device')
    const { rows } = await app.database.pool.query<{ generation: number }>(
      `SELECT secret_generation AS generation FROM devices WHERE hardware_id = $1`,
      [registration.hardware_id],
    )
    assert.equal(
      rows[0]?.generation,
      2,
      'the device has only the credentials that it got before the claim',
    )
    assert.equal((await tryConnect(t, first.body)).code, 0)
  })

  test('gets new secrets again once it is released', async (t) => {
    const { app, key, registration, first, phoneToken } = await fielded(t)
    const released = await app.call('DELETE', `/moid/devices/${first.body.device_id}`, {
      as: as.phone(phoneToken),
    })
    assert.equal(released.status, 204, released.text)
    assert.equal((await provision(app, key.key, registration)).status, 200)
  })

  test('gets new secrets once staff allow it, until it uses them', async (t) => {
    const device = await fielded(t)
    const { app, key, registration, first } = device
    const allowed = await allow(device)
    assert.equal(allowed.status, 200, allowed.text)
    assert.equal(allowed.body.device_id, first.body.device_id)
    assert.ok(Date.parse(allowed.body.allowed_until) > Date.now())
    const lost = await provision(app, key.key, registration)
    assert.equal(lost.status, 200, lost.text)
    const renewed = await provision(app, key.key, registration)
    assert.equal(renewed.status, 200, 'a lost response needs no second permission')
    assert.equal((await tryConnect(t, renewed.body)).code, 0)
    refused(await provision(app, key.key, registration))
  })

  test('gets nothing any more a day after it was allowed', async (t) => {
    const device = await fielded(t)
    const { app, key, registration } = device
    await allow(device)
    await app.database.pool.query(
      `UPDATE devices SET rotation_allowed_at = rotation_allowed_at - interval '25 hours'
       WHERE hardware_id = $1`,
      [registration.hardware_id],
    )
    refused(await provision(app, key.key, registration))
  })

  test('gets nothing once the claim is answered, however many ask meanwhile', async () => {
    const app = getApp()
    const { key } = await keyWith(app, { on_known_device: 'rotate_unclaimed' })
    const registration = { template_id: app.seed.template.id, hardware_id: newUuid() }
    const first = await provision(app, key, registration)
    const sibling = await app.sibling()
    let isClaimed = false
    let refusals = 0
    const ask = async (through: TestApp): Promise<void> => {
      while (refusals < 30) {
        const isLate = isClaimed
        const response = await provision(through, key, registration)
        if (!isLate) continue
        refused(response)
        refusals += 1
      }
    }
    const claiming = claim(app, first.body.device_http_token).then(() => {
      isClaimed = true
    })
    await Promise.all([
      claiming,
      ...Array.from({ length: 12 }, (_, n) => ask(n % 2 ? app : sibling)),
    ])
  })
})

describe('events and entries for the owner', () => {
  test('an event and an audit entry have the key that renewed secrets and the repeated registration', async (t) => {
    const { app, key, first } = await fielded(t)
    const { device_id } = first.body
    const { body: log } = await app.call(
      'GET',
      `/workspaces/${app.seed.id}/audit-log?resource=${device_id}&action=device.rotated`,
      { as: staff(app) },
    )
    assert.equal(log.items.length, 1)
    assert.deepEqual(log.items[0].actor, { kind: 'provision-key', id: key.id })
    const received = { device_id, device_key: first.body.device_key, api_key_id: key.id }
    assert.deepEqual(log.items[0].detail, { ...received, reason: 'repeated_registration' })
    // An event appears in the feed once no earlier one can be on its way.
    const mine = await until('the event', async () => {
      const { body: feed } = await app.call(
        'GET',
        `/workspaces/${app.seed.id}/events?types=device.rotated&limit=200`,
        { as: staff(app) },
      )
      const all = feed.items.map(({ data }: { data: { device_id: string } }) => data)
      const found = all.filter((data: { device_id: string }) => data.device_id === device_id)
      return found.length > 0 && found
    })
    assert.deepEqual(mine, [{ ...received, reason: 'repeated_registration' }])
  })

  test('a refusal is in the audit log of the device, with the key', async (t) => {
    const { app, key, registration, first } = await fielded(t)
    await provision(app, key.key, registration)
    const entries = async () => {
      const { body } = await app.call(
        'GET',
        `/workspaces/${app.seed.id}/audit-log?resource=${first.body.device_id}&action=access.refused`,
        { as: staff(app) },
      )
      return body.items
    }
    await until('the refusal is written', async () => (await entries()).length === 1)
    const [entry] = await entries()
    assert.deepEqual(entry.actor, { kind: 'provision-key', id: key.id })
    assert.equal(entry.detail.code, 'device_already_registered')
    assert.equal(entry.detail.rule, 'on_known_device')
  })

  test('allowing a rotation is an event and an audit entry', async (t) => {
    const device = await fielded(t)
    const { app, first } = device
    await allow(device)
    const { body: log } = await app.call(
      'GET',
      `/workspaces/${app.seed.id}/audit-log?resource=${first.body.device_id}&action=device.rotation_allowed`,
      { as: staff(app) },
    )
    assert.equal(log.items.length, 1)
  })
})

test('a decommissioned device cannot be allowed to rotate', async (t) => {
  const device = await fielded(t)
  const { app, first } = device
  const path = `/workspaces/${app.seed.id}/devices/${first.body.device_id}/decommission`
  assert.equal((await app.call('POST', path, { as: staff(app) })).status, 200)
  assert.equal((await allow(device)).body.code, 'invalid_transition')
})
