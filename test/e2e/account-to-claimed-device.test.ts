/**
 * The whole reference document as one journey, through the API alone: an owner signs in with
 * a second factor, makes keys and a template; the factory provisions a device; it connects, rotates
 * and is bound to a phone; a revoked key is dead.
 */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { createAccount } from '../../src/features/identity/accounts/account.ts'
import type { Clock } from '../../src/platform/lib/clock.ts'
import { as, startApp, type TestApp } from '../support/app.ts'
import { connectDevice, tryConnect } from '../support/mqtt.ts'
import { codeOf, movingClock } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const email = 'owner@walk.example'
const password = 'a long enough pass phrase'

type Call = TestApp['call']

async function signIn(call: Call, clock: Clock): Promise<string> {
  const first = await call('POST', '/auth/login', { body: { email, password } })
  assert.equal(first.status, 200, first.text)
  const user = as.user(first.body.access_token)
  const started = await call('POST', '/auth/mfa/totp', { as: user })
  const secret = started.body.secret as string
  // The code of the step before is still good, so that the present one is left for the next try.
  const confirmed = await call('POST', '/auth/mfa/totp/confirm', {
    as: user,
    body: { code: codeOf(secret, clock, -1) },
  })
  assert.equal(confirmed.body.recovery_codes.length, 10, confirmed.text)
  const second = await call('POST', '/auth/login', { body: { email, password } })
  assert.equal(second.body.mfa_required, true)
  assert.equal(second.body.access_token, undefined)
  const { mfa_token } = second.body
  const code = codeOf(secret, clock)
  const verified = await call('POST', '/auth/mfa/verify', { body: { mfa_token, code } })
  assert.equal(verified.status, 200, verified.text)
  const refreshed = await call('POST', '/auth/refresh', {
    body: { refresh_token: verified.body.refresh_token },
  })
  assert.equal(refreshed.status, 200, refreshed.text)
  return refreshed.body.access_token
}

async function setUp(call: Call, token: string) {
  const user = as.user(token)
  const workspace = await call('POST', '/workspaces', {
    as: user,
    body: { name: 'Walk', slug: 'walk' },
  })
  assert.equal(workspace.status, 201, workspace.text)
  const base = `/workspaces/${workspace.body.id}`
  const platform = await call('POST', `${base}/api-keys`, {
    as: user,
    body: { key_kind: 'platform' },
  })
  const platformKey = platform.body.key as string
  const provision = await call('POST', `${base}/api-keys`, {
    as: as.platformKey(platformKey),
    body: { key_kind: 'provision', name: 'line 1' },
  })
  const template = await call('POST', `${base}/device-templates`, {
    as: as.bearer(platformKey),
    body: { model_key: 'lamp', name: 'Lamp', serial_format: '%ws-%Y-%#f' },
  })
  assert.equal(template.status, 201, template.text)
  return { base, workspaceId: workspace.body.id as string, platformKey, provision: provision.body }
}

async function provisionAndConnect(t: TestContext, call: Call, provisionKey: string) {
  const factory = as.factory(provisionKey)
  const rows = await call('GET', '/provision/device-templates', { as: factory })
  const registered = await call('POST', '/provision/device', {
    as: factory,
    body: { template_id: rows.body.items[0].id, hardware_id: 'aa:bb:cc' },
  })
  assert.equal(registered.status, 201, registered.text)
  const device = registered.body
  assert.match(device.device_key, /^walk-\d{4}-1$/)
  const client = await connectDevice(t, device)
  await client.publishAsync(`walk/${device.device_key}/state`, '{"on":true}', { qos: 1 })
  const rotated = await call('POST', '/provision/device', {
    as: factory,
    body: { device_id: device.device_id, device_key: device.device_key },
  })
  assert.equal(rotated.status, 200, rotated.text)
  assert.equal((await tryConnect(t, rotated.body)).code, 0)
  assert.equal((await tryConnect(t, device)).code, 4, 'the old password is refused')
  return rotated.body
}

async function claim(call: Call, workspaceId: string, device: Record<string, string>) {
  const session = await call('POST', '/moid/session', { body: { workspace_id: workspaceId } })
  assert.equal(session.status, 201, session.text)
  const phone = as.phone(session.body.access_token)
  const claimed = await call('POST', '/moid/claims', { as: phone, body: { name: 'My lamp' } })
  assert.equal(claimed.status, 201, claimed.text)
  const bound = await call('POST', '/devices/auth/bind-claim', {
    as: as.device(device.device_http_token as string),
    body: { claim_code: claimed.body.claim_code },
  })
  assert.equal(bound.status, 200, bound.text)
  assert.equal(bound.body.ok, true)
  const devices = await call('GET', '/moid/devices', { as: phone })
  assert.equal(devices.body.items.length, 1)
  const renewed = await call('POST', '/moid/refresh', {
    body: { refresh_token: session.body.refresh_token },
  })
  assert.equal(renewed.status, 200, renewed.text)
}

const variants = {
  'as it comes': {},
  'on a single connection': { MOORING_DATABASE_POOL_SIZE: '1' },
  'without named statements': { MOORING_DATABASE_PREPARED: 'off' },
  'with rate limits on': { MOORING_RATE_LIMITS: 'on' },
}

describe('an account gets a claimed device', () => {
  for (const [name, environment] of Object.entries(variants)) {
    test(name, async (t) => {
      const clock = movingClock()
      const { call, services } = await startApp(t, { environment, clock })
      await createAccount(services, { email, password, name: 'Owner' })
      clock.center()
      const token = await signIn(call, clock)
      const { base, workspaceId, platformKey, provision } = await setUp(call, token)
      const device = await provisionAndConnect(t, call, provision.key)
      await claim(call, workspaceId, device)

      const backend = as.platformKey(platformKey)
      const seen = await call('GET', `${base}/devices/${device.device_id}`, { as: backend })
      assert.ok(seen.body.claimed_at, seen.text)
      await until('the state can be read', async () => {
        const state = await call('GET', `${base}/devices/${device.device_id}/state`, {
          as: backend,
        })
        return state.status === 200
      })
      const revoked = await call('DELETE', `${base}/api-keys/${provision.id}`, { as: backend })
      assert.equal(revoked.status, 204, revoked.text)
      const refused = await call('GET', '/provision/device-templates', {
        as: as.factory(provision.key),
      })
      assert.equal(refused.status, 401)
      await until('the audit log is chained and valid', async () => {
        const verified = await call('GET', `${base}/audit-log/verify`, { as: backend })
        assert.equal(verified.body.valid, true, verified.text)
        return verified.body.unsealed === 0 && verified.body.entries_checked > 8
      })
    })
  }
})
