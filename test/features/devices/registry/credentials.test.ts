/** A device's passwords and tokens in the API: which are valid, and since when. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, type TestApp } from '../../../support/app.ts'
import { registerDevice } from '../../../support/commands.ts'
import { closed, connectDevice, tryConnect } from '../../../support/mqtt.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

interface Credential {
  kind: 'mqtt' | 'http'
  generation: number
  issued_by: 'rotation' | 'reset' | null
  status: 'pending' | 'confirmed'
  created_at: string
  confirmed_at: string | null
  expires_at: string | null
}

/** As a viewer: it is a property of the device. */
async function reader(app: TestApp, deviceId: string): Promise<() => Promise<Credential[]>> {
  const viewer = await seedUser(app, { [app.seed.uuid]: 'viewer' })
  const path = `/workspaces/${app.seed.id}/devices/${deviceId}/credentials`
  return async () => {
    const { status, body, text } = await app.call('GET', path, { as: as.user(viewer.token) })
    assert.equal(status, 200, text)
    assert.doesNotMatch(text, /mqp_|dht_|hash/)
    return body.items
  }
}

/** `mqtt 1 confirmed, used`, in order. */
const inWords = (items: readonly Credential[]): string[] =>
  items.map(
    ({ kind, generation, issued_by, status, confirmed_at }) =>
      `${kind} ${generation} ${issued_by ? `by ${issued_by}, ` : ''}${status}, ${confirmed_at === null ? 'not used' : 'used'}`,
  )

test('a rotation is done when the new password is first used, and the device says when', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const read = await reader(app, device.device_id)
  assert.deepEqual(inWords(await read()), [
    'http 1 confirmed, not used',
    'mqtt 1 confirmed, not used',
  ])
  const first = await connectDevice(t, device)
  assert.deepEqual(inWords(await read()), ['http 1 confirmed, not used', 'mqtt 1 confirmed, used'])

  const rotated = await app.call('POST', '/devices/auth/credentials/rotate', {
    as: as.device(device.device_http_token),
    body: {},
  })
  assert.equal(rotated.status, 200, rotated.text)
  const pending = await read()
  assert.deepEqual(inWords(pending), [
    'http 2 by rotation, pending, not used',
    'mqtt 2 by rotation, pending, not used',
    'http 1 confirmed, used',
    'mqtt 1 confirmed, used',
  ])
  assert.ok(pending.slice(0, 2).every(({ expires_at }) => expires_at !== null))

  const renewed = { ...device, ...rotated.body, mqtt_port: device.mqtt_port }
  const refused = await tryConnect(t, renewed, { clientId: 'of-another-device' })
  assert.notEqual(refused.code, 0)
  assert.equal((await read())[1]?.status, 'pending', 'a refused CONNECT confirms nothing')
  assert.equal((await read())[1]?.confirmed_at, null)

  await connectDevice(t, renewed)
  await closed(first)
  const items = await read()
  assert.deepEqual(inWords(items), [
    'http 2 by rotation, pending, not used',
    'mqtt 2 by rotation, confirmed, used',
    'http 1 confirmed, used',
  ])
  const [, done] = items
  assert.ok(done?.confirmed_at && done.confirmed_at >= done.created_at)
  assert.equal(done.expires_at, null)
})

test('credentials of a reset differ from those of a rotation, also once they are used', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const read = await reader(app, device.device_id)
  const path = `/workspaces/${app.seed.id}/devices/${device.device_id}/credentials/reset`
  const reset = await app.call('POST', path, { as: as.user(app.seed.owner.token) })
  assert.equal(reset.status, 200, reset.text)
  const { mqtt_password } = reset.body.mqtt_credentials
  await connectDevice(t, { ...device, mqtt_password })
  assert.deepEqual(inWords(await read()), [
    'http 2 by reset, confirmed, not used',
    'mqtt 2 by reset, confirmed, used',
  ])
})

test('a device that is decommissioned has no credentials', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const read = await reader(app, device.device_id)
  const path = `/workspaces/${app.seed.id}/devices/${device.device_id}/decommission`
  const ended = await app.call('POST', path, { as: as.user(app.seed.owner.token) })
  assert.equal(ended.status, 200, ended.text)
  assert.deepEqual(await read(), [])
})

test('a device that was asked to rotate has a rotation due until it has used new credentials', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const owner = as.user(app.seed.owner.token)
  const path = `/workspaces/${app.seed.id}/devices/${device.device_id}/credentials`
  const isDue = async (): Promise<unknown> =>
    (await app.call('GET', path, { as: owner })).body.rotation_due
  assert.equal(await isDue(), false)
  await app.app.database.pool.query(
    `UPDATE devices SET rotation_asked_at = now() + interval '1 ms'
     WHERE workspace_id = $1 AND device_key = $2`,
    [app.seed.uuid, device.device_key],
  )
  assert.equal(await isDue(), true)
  const reset = await app.call('POST', `${path}/reset`, { as: owner })
  assert.equal(reset.status, 200, reset.text)
  assert.equal(await isDue(), false)
})

test('a reset cancels the request to rotate that the device has not got yet', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const path = `/workspaces/${app.seed.id}/devices/${device.device_id}`
  const owner = { as: as.user(app.seed.owner.token) }
  const body = { name: 'rotate_credentials' }
  const asked = await app.call('POST', `${path}/commands`, { ...owner, body })
  assert.equal(asked.status, 201, asked.text)
  const reset = await app.call('POST', `${path}/credentials/reset`, owner)
  assert.equal(reset.status, 200, reset.text)

  const { body: command } = await app.call('GET', `${path}/commands/${asked.body.id}`, owner)
  assert.equal(command.status, 'cancelled')
  const { body: log } = await app.call(
    'GET',
    `/workspaces/${app.seed.id}/audit-log?action=command.cancelled`,
    owner,
  )
  assert.deepEqual(
    log.items.map(({ detail }: { detail: Record<string, string> }) => detail['command_id']),
    [asked.body.id],
  )
})
