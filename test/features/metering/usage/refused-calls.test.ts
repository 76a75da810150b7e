/** No meter of a workspace rises by what anyone can do without one of its credentials. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  DEVICE_TOKEN_PREFIX,
  issueSecret,
  PLATFORM_KEY_PREFIX,
  PROVISION_KEY_PREFIX,
} from '../../../../src/platform/lib/secrets.ts'
import { as, type CallOptions, type TestApp } from '../../../support/app.ts'
import { sql, useBilledTenants } from '../../../support/billing.ts'
import { tryConnect } from '../../../support/mqtt.ts'
import { newDevice, newPhone } from '../../../support/phones-and-devices.ts'

type Refused = [status: number, method: string, path: string, options: CallOptions]

function refusedCalls(
  { seed }: TestApp,
  phone: { token: string },
  device: { id: string },
): Refused[] {
  const body = { template_id: seed.template.id }
  const workspace = `/workspaces/${seed.id}`
  return [
    [401, 'GET', `${workspace}/devices`, {}],
    [401, 'GET', `${workspace}/devices`, { as: as.platformKey(issueSecret(PLATFORM_KEY_PREFIX)) }],
    [401, 'GET', `${workspace}/devices`, { as: as.user('e30.e30.e30') }],
    [404, 'GET', `${workspace}/devices`, { as: as.platformKey(seed.other.platformKey) }],
    [404, 'GET', `${workspace}/devices`, { as: as.user(seed.other.owner.token) }],
    [403, 'GET', `${workspace}/devices`, { as: as.phone(phone.token) }],
    [401, 'POST', '/provision/device', { as: as.factory(issueSecret(PROVISION_KEY_PREFIX)), body }],
    [403, 'POST', '/provision/device', { as: as.factory(seed.platformKey), body }],
    [401, 'GET', '/devices/auth/me', { as: as.device(issueSecret(DEVICE_TOKEN_PREFIX)) }],
    [404, 'GET', `/moid/devices/${device.id}`, { as: as.phone(phone.token) }],
    [409, 'POST', '/moid/mqtt-credentials', { as: as.phone(phone.token), body: {} }],
    [
      404,
      'POST',
      '/moid/devices/claim',
      { as: as.phone(phone.token), body: { claim_code: 'pc_0000000000' } },
    ],
    [401, 'POST', '/moid/refresh', { body: { refresh_token: 'mrt_x' } }],
  ]
}

describe('meters of a workspace', () => {
  const start = useBilledTenants()

  test('count no refused request, and no refused CONNECT', async (t) => {
    const app = await start(t)
    const { seed } = app
    const [phone, device] = [await newPhone(app, seed.id), await newDevice(app)]
    for (const [status, method, path, options] of refusedCalls(app, phone, device)) {
      const response = await app.call(method, path, options)
      assert.equal(response.status, status, `${method} ${path}: ${response.text}`)
    }
    const login = {
      device_id: device.id,
      mqtt_password: issueSecret('mqp_'),
      mqtt_port: app.app.ports.mqtt,
    }
    const will = { topic: `${seed.slug}/x/presence`, payload: Buffer.from('x'), qos: 1 as const }
    for (const options of [{}, { will }, { clientId: 'other' }]) {
      assert.notEqual((await tryConnect(t, login, options)).code, 0)
    }
    await app.services.usage.flush()
    const metered = await sql(
      app,
      'SELECT api_calls, messages, connected_devices FROM usage_entries WHERE workspace_id = $1',
      [seed.uuid],
    )
    assert.deepEqual(metered, [])
  })
})
