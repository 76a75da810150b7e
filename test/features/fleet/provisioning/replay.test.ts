/**
 * POST /provision/device again: the stored response comes again while it is of use, then a new one.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Value } from 'typebox/value'
import {
  type ProvisionedDevice,
  StoredProvisioning,
} from '../../../../src/features/fleet/provisioning/schema.ts'
import { readStored } from '../../../../src/platform/lib/stored-json.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { tryConnect } from '../../../support/mqtt.ts'
import { type OldRelease, readRelease } from '../../../support/old-release.ts'

const KEY = { 'idempotency-key': '"6f1c2a34"' }

const post = ({ call, seed }: TestApp, body: object, headers = {}) =>
  call('POST', '/provision/device', { as: as.factory(seed.provisionKey), body, headers })

const devices = async ({ database }: TestApp): Promise<number> =>
  (await database.pool.query('SELECT count(*) AS n FROM devices')).rows[0].n

interface Devices extends OldRelease {
  devices: { registered: ProvisionedDevice }
}

describe('POST /provision/device, repeated', () => {
  test('makes one device and one response of fifty requests at once with one Idempotency-Key', async (t) => {
    const app = await startApp(t)
    const body = { template_id: app.seed.template.id }
    const responses = await Promise.all(Array.from({ length: 50 }, () => post(app, body, KEY)))
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [201])
    assert.equal(new Set(responses.map(({ text }) => text)).size, 1)
    const replays = responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true')
    assert.equal(replays.length, 49)
    assert.equal(await devices(app), 1)
  })

  test('the key with another request is refused; the same key of another caller is independent', async (t) => {
    const app = await startApp(t)
    const body = { template_id: app.seed.template.id }
    assert.equal((await post(app, body, KEY)).status, 201)
    const other = await post(app, { ...body, name: 'other' }, KEY)
    assert.equal(other.body.code, 'idempotency_key_reused')
    assert.equal(other.status, 422)
    const outsider = await app.call('POST', '/provision/device', {
      as: as.factory(app.seed.other.provisionKey),
      headers: KEY,
      body: { template_id: app.seed.other.template.id },
    })
    assert.equal(outsider.status, 201)
  })

  test('a rotation with an Idempotency-Key happens once, however often it is asked for', async (t) => {
    const app = await startApp(t)
    const { body: device } = await post(app, { template_id: app.seed.template.id })
    const body = { device_id: device.device_id }
    const responses = await Promise.all(Array.from({ length: 20 }, () => post(app, body, KEY)))
    assert.equal(new Set(responses.map(({ text }) => text)).size, 1)
    assert.equal((await tryConnect(t, responses[0]?.body)).code, 0)
  })

  for (const [name, extra, headers] of [
    ['an Idempotency-Key', {}, KEY],
    ['a hardware id', { hardware_id: 'hw' }, {}],
    ['both', { hardware_id: 'hw' }, KEY],
  ] as const) {
    test(`replaced secrets are not returned again with ${name}`, async (t) => {
      const app = await startApp(t)
      const body = { template_id: app.seed.template.id, ...extra }
      const { body: first } = await post(app, body, headers)
      const { body: second } = await post(app, { device_id: first.device_id })
      assert.equal((await post(app, body, headers)).body.mqtt_password, first.mqtt_password)
      assert.equal((await tryConnect(t, second)).code, 0)
      const again = await post(app, body, headers)
      assert.equal(again.status, 200, 'the repeated request is a rotation')
      assert.equal(again.body.device_id, first.device_id)
      assert.equal((await tryConnect(t, again.body)).code, 0)
      assert.equal(await devices(app), 1)
    })
  }

  test('a response that 0.5.0 stored has each member of today when it is returned', async () => {
    const { devices } = await readRelease<Devices>('0.5.0')
    const body = devices.registered
    const read = readStored(StoredProvisioning, { status: 201, body: structuredClone(body) })
    assert.deepEqual(Value.Errors(StoredProvisioning, read), [])
  })

  test('a stored response that cannot be decrypted is reported, and no second device is made', async (t) => {
    const app = await startApp(t)
    const body = { template_id: app.seed.template.id }
    assert.equal((await post(app, body, KEY)).status, 201)
    await app.database.pool.query(`UPDATE idempotency_keys SET sealed = '\\x00'`)
    const again = await post(app, body, KEY)
    assert.equal(again.status, 422, again.text)
    assert.match(again.body.detail, /can no longer be decrypted. The request took effect/)
    assert.equal(await devices(app), 1)
  })

  test('a day later the same hardware id is a rotation, and the same key is free', async (t) => {
    const app = await startApp(t)
    const body = { template_id: app.seed.template.id, hardware_id: 'hw' }
    const { body: first } = await post(app, body, KEY)
    for (const table of ['registration_answers', 'idempotency_keys']) {
      await app.database.pool.query(
        `UPDATE ${table} SET created_at = created_at - interval '25 hours'`,
      )
    }
    const again = await post(app, body, KEY)
    assert.equal(again.status, 200, again.text)
    assert.equal(again.body.device_id, first.device_id)
    assert.notEqual(again.body.mqtt_password, first.mqtt_password)
    const fresh = await post(app, { template_id: app.seed.template.id, name: 'another' }, KEY)
    assert.equal(fresh.status, 422, 'the key belongs to the rotation now')
  })

  test('a quota counts devices, never retries', async (t) => {
    const app = await startApp(t)
    const { body: key } = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
      as: as.platformKey(app.seed.platformKey),
      body: { key_kind: 'provision', device_quota: 3 },
    })
    const register = (hardware_id: string) =>
      app.call('POST', '/provision/device', {
        as: as.factory(key.key),
        body: { template_id: app.seed.template.id, hardware_id },
      })
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => register(`hw-${index % 2}`)),
    )
    assert.ok(responses.every(({ status }) => status === 201))
    const more = await Promise.all(Array.from({ length: 10 }, (_, index) => register(`x-${index}`)))
    const made = more.filter(({ status }) => status === 201)
    assert.equal(made.length, 1)
    assert.ok(more.every(({ body }) => body.code === undefined || body.code === 'quota_reached'))
    assert.equal((await register('hw-0')).status, 201, 'an earlier registration is still answered')
    const rotated = await app.call('POST', '/provision/device', {
      as: as.factory(key.key),
      body: { device_id: made[0]?.body.device_id },
    })
    assert.equal(rotated.status, 200, 'a rotation is never refused')
  })
})
