/** The data of the first release under this build. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as } from '../support/app.ts'
import { tryConnect } from '../support/mqtt.ts'
import { oldDatabase, type OldRelease, readRelease } from '../support/old-release.ts'
import { newDataDir, startService } from '../support/service.ts'

interface Provisioned {
  device_id: string
  device_key: string
  mqtt_password: string
  device_http_token: string
}

interface Release extends OldRelease {
  workspace: string
  platformKey: string
  provisionKey: string
  template: string
  /** Claimed and active, suspended, decommissioned. */
  made: [Provisioned, Provisioned, Provisioned]
  byHand: { id: string; custom_fields: Record<string, unknown> }
  phone: { access_token: string; refresh_token: string }
}

test('data of the first release is served, found and admitted', async (t) => {
  const release = await readRelease<Release>('0.1.0')
  const environment = {
    DATABASE_URL: await oldDatabase(t, '0.1.0', release),
    MOORING_MASTER_KEY: release.masterKey,
    MOORING_DATABASE_POOL_SIZE: '4',
  }
  const service = await startService(t, await newDataDir(t), { environment })
  const key = as.platformKey(release.platformKey)
  const path = `/workspaces/${release.workspace}`
  const get = async (rest: string) => {
    const response = await service.call('GET', `${path}${rest}`, { as: key })
    assert.equal(response.status, 200, response.text)
    return response.body
  }
  const keysOf = async (query: string): Promise<string[]> =>
    (await get(`/devices?${query}`)).items.map((item: { device_key: string }) => item.device_key)
  const [first, second, third] = release.made

  await t.test('devices are found by what they had', async () => {
    assert.equal((await keysOf('')).length, 5)
    assert.deepEqual(await keysOf('tag=floor:ground'), [first.device_key])
    assert.deepEqual((await keysOf('tag=site:a/b:c')).toSorted(), [
      first.device_key,
      second.device_key,
      third.device_key,
    ])
    assert.deepEqual(await keysOf('status=decommissioned'), [third.device_key])
    assert.deepEqual(await keysOf('claimed=true'), [first.device_key])
    assert.deepEqual(await keysOf('q=kitchen'), [first.device_key])
    assert.equal((await keysOf('connected=false')).length, 5)
  })

  await t.test('a device keeps what was written into it', async () => {
    const device = await get(`/devices/${release.byHand.id}`)
    assert.deepEqual(device.custom_fields, release.byHand.custom_fields)
    const changed = await service.call('PATCH', `${path}/devices/${release.byHand.id}`, {
      as: key,
      body: { name: 'Attic', tags: { floor: 'ground' } },
    })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(await keysOf('tag=floor:ground'), ['BY-HAND', first.device_key])
  })

  await t.test('every credential is worth what it was', async () => {
    const { port: mqtt_port } = service.mqtt
    const connect = async (device: Provisioned): Promise<number> =>
      (await tryConnect(t, { ...device, mqtt_port })).code
    assert.equal(await connect(first), 0)
    assert.notEqual(await connect(second), 0)
    assert.notEqual(await connect(third), 0)
    const own = await service.call('GET', '/devices/auth/me', {
      as: as.device(first.device_http_token),
    })
    assert.equal(own.status, 200, own.text)
    const phone = await service.call('POST', '/moid/refresh', {
      body: { refresh_token: release.phone.refresh_token },
    })
    assert.equal(phone.status, 200, phone.text)
    const known = await service.call('POST', '/provision/device', {
      as: as.factory(release.provisionKey),
      body: { template_id: release.template, hardware_id: 'hw-0' },
    })
    assert.equal(known.body.device_id, first.device_id, known.text)
  })

  await t.test('the audit log is whole, and continues', async () => {
    const verified = await get('/audit-log/verify')
    assert.equal(verified.valid, true, JSON.stringify(verified))
    assert.ok(verified.sealed_to_seq >= 10)
  })
})
