/**
 * The data of 0.5.0 under this build: one workspace that people, a factory, a device and a phone
 * had worked in, and one with a row of every kind.
 */
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import pg from 'pg'
import { operations } from '../../src/operations.ts'
import { isForOperators } from '../../src/platform/http/operation.ts'
import type { IdPrefix } from '../../src/platform/lib/ids.ts'
import { as, type CallResult } from '../support/app.ts'
import { tryConnect } from '../support/mqtt.ts'
import { taskNames } from '../../console/src/pages/installation/task-labels.ts'
import { oldDatabase, type OldRelease, readRelease } from '../support/old-release.ts'
import { newDataDir, type Service, startService } from '../support/service.ts'
import { codeOf } from '../support/sign-in.ts'

interface Provisioned {
  device_id: string
  device_key: string
  mqtt_password: string
  device_http_token: string
}

interface Person {
  email: string
  password: string
}

interface Release extends OldRelease {
  workspace: string
  owner: Person
  /** With an authenticator app. */
  guarded: Person & { secret: string; recovery_code: string }
  platformKey: string
  revokedKey: string
  provisionKey: string
  template: string
  devices: Record<
    'claimed' | 'suspended' | 'decommissioned' | 'registered' | 'pending',
    Provisioned
  >
  phone: { access_token: string; refresh_token: string }
  principal: { mqtt_credentials: { username: string; password: string } }
  group: string
  command: string
  /** The other workspace, and the ids of its things by their prefix. */
  seeded: { platformKey: string; things: Partial<Record<IdPrefix, string>> }
}

describe('data of 0.5.0', () => {
  let release: Release
  let service: Service
  let database: pg.Pool
  const closers: (() => unknown)[] = []
  const cleanup: Pick<TestContext, 'after'> = {
    after: (close) => void closers.push(close as () => unknown),
  }

  before(async () => {
    release = await readRelease<Release>('0.5.0')
    const url = await oldDatabase(cleanup, '0.5.0', release)
    database = new pg.Pool({ connectionString: url, max: 1 })
    closers.push(() => database.end())
    const environment = {
      DATABASE_URL: url,
      MOORING_MASTER_KEY: release.masterKey,
      MOORING_DATABASE_POOL_SIZE: '4',
    }
    service = await startService(cleanup, await newDataDir(cleanup), { environment })
  })
  after(async () => {
    for (const close of closers.toReversed()) await close()
  })

  const call = async (
    method: string,
    path: string,
    caller: Record<string, string> = {},
    body?: unknown,
  ): Promise<CallResult> => {
    const response = await service.call(method, path, {
      as: caller,
      ...(body !== undefined && { body }),
    })
    assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${response.text}`)
    return response
  }
  const backend = () => as.platformKey(release.platformKey)
  const get = async (rest: string) =>
    (await call('GET', `/workspaces/${release.workspace}${rest}`, backend())).body
  const keysOf = async (query: string): Promise<string[]> =>
    (await get(`/devices?${query}`)).items.map((item: { device_key: string }) => item.device_key)

  test('staff sign in with a password, and with an authenticator app', async () => {
    const { owner, guarded } = release
    const { body } = await call('POST', '/auth/login', {}, owner)
    const me = await call('GET', '/auth/me', as.user(body.access_token))
    assert.equal(me.body.email, owner.email)
    const { email, password, secret } = guarded
    const first = await call('POST', '/auth/login', {}, { email, password })
    assert.equal(first.body.mfa_required, true)
    const factor = { mfa_token: first.body.mfa_token, code: codeOf(secret, Date) }
    const second = await call('POST', '/auth/mfa/verify', {}, factor)
    assert.ok(second.body.access_token)
    const again = await call('POST', '/auth/login', {}, { email, password })
    const spare = { mfa_token: again.body.mfa_token, code: guarded.recovery_code }
    assert.ok((await call('POST', '/auth/mfa/verify', {}, spare)).body.access_token)
  })

  test('a revoked key is still refused', async () => {
    const response = await service.call('GET', `/workspaces/${release.workspace}/devices`, {
      as: as.platformKey(release.revokedKey),
    })
    assert.equal(response.status, 401, response.text)
  })

  test('devices are found by what they had', async () => {
    const { claimed, suspended, decommissioned, pending } = release.devices
    assert.deepEqual(await keysOf('status=suspended'), [suspended.device_key])
    assert.deepEqual(await keysOf('status=decommissioned'), [decommissioned.device_key])
    assert.deepEqual(await keysOf('claimed=true'), [claimed.device_key])
    assert.deepEqual(await keysOf('tag=floor:ground'), [suspended.device_key, claimed.device_key])
    assert.deepEqual(await keysOf('approval=pending'), [pending.device_key])
    const floor = encodeURIComponent('custom_fields.floor = "ground"')
    assert.deepEqual(await keysOf(`filter=${floor}`), [claimed.device_key])
    const members = await get(`/device-groups/${release.group}/devices`)
    assert.equal(members.items.length, 2)
  })

  test('a device keeps its state, its configuration and its commands', async () => {
    const path = `/devices/${release.devices.claimed.device_id}`
    assert.deepEqual((await get(`${path}/state`)).state, { temperature: 21.5 })
    const { config } = await get(`${path}/config`)
    assert.deepEqual(config, { report_interval_s: 15, unit: 'celsius' })
    const command = await get(`${path}/commands/${release.command}`)
    assert.deepEqual([command.status, command.result], ['acknowledged', { took_ms: 12 }])
    assert.equal((await get(`${path}/notes`)).items[0].text, 'Replaced the antenna.')
    assert.ok((await get(`${path}/timeline`)).items.length > 5)
  })

  test('a template of 0.5.0 goes back to its first version', async () => {
    const path = `/workspaces/${release.workspace}/device-templates/${release.template}`
    await call('POST', `${path}/rollback`, backend(), { version: 1 })
    const template = await get(`/device-templates/${release.template}`)
    assert.deepEqual(template.default_config, { report_interval_s: 60 })
  })

  test('MQTT admits the devices that it admitted, and no other', async (t) => {
    const { port: mqtt_port } = service.mqtt
    const connect = async (device: Provisioned): Promise<number> =>
      (await tryConnect(t, { ...device, mqtt_port })).code
    const { claimed, suspended, decommissioned, registered } = release.devices
    assert.equal(await connect(claimed), 0)
    assert.equal(await connect(registered), 0)
    assert.notEqual(await connect(suspended), 0)
    assert.notEqual(await connect(decommissioned), 0)
    const { username: device_id, password: mqtt_password } = release.principal.mqtt_credentials
    assert.equal((await tryConnect(t, { device_id, mqtt_password, mqtt_port })).code, 0)
  })

  test('a device, a phone and a factory keep their credentials', async () => {
    const { claimed } = release.devices
    const own = await call('GET', '/devices/auth/me', as.device(claimed.device_http_token))
    assert.equal(own.body.id ?? own.body.device_id, claimed.device_id)
    const { refresh_token } = release.phone
    const phone = await call('POST', '/moid/refresh', {}, { refresh_token })
    const bound = await call('GET', '/moid/devices', as.phone(phone.body.access_token))
    assert.equal(bound.body.items.length, 1)
    const known = await call('POST', '/provision/device', as.factory(release.provisionKey), {
      template_id: release.template,
      hardware_id: 'hw-0',
    })
    assert.equal(known.body.device_id, claimed.device_id)
  })

  test('every operation that reads one thing finds the one of 0.5.0', async () => {
    const { platformKey, things } = release.seeded
    const found = new Set<string>()
    for (const operation of operations) {
      const { id, access, method, params } = operation
      if (method !== 'GET' || access === 'public' || isForOperators(operation)) continue
      if (!access.includes('platform-key')) continue
      const prefixes = Object.values(params).flatMap(({ prefix }) => prefix ?? [])
      // A connection ends with its process.
      if (prefixes.some((prefix) => prefix === 'con' || things[prefix] === undefined)) continue
      const path = operation.path.replaceAll(/:([a-z_]+)/g, (_whole, name: string) => {
        const prefix = params[name]?.prefix
        return prefix === undefined ? '1' : (things[prefix] as string)
      })
      const response = await service.call(method, path, { as: as.platformKey(platformKey) })
      assert.equal(response.status, 200, `${id}: ${response.text}`)
      found.add(id)
    }
    assert.ok(found.size > 40, [...found].join(' '))
  })

  test('each task that 0.5.0 left in the queue has one that runs it', async () => {
    const { rows } = await database.query<{ names: string[] }>(
      'SELECT array_agg(task_identifier) AS names FROM graphile_worker.jobs',
    )
    const names = rows[0]?.names ?? []
    assert.ok(names.length >= 20, names.join(' '))
    assert.deepEqual(
      names.filter((name) => !(name in taskNames)),
      [],
    )
  })

  test('the audit log is whole, and continues', async () => {
    const verified = await get('/audit-log/verify')
    assert.equal(verified.valid, true, JSON.stringify(verified))
    assert.ok(verified.sealed_to_seq >= 20)
  })
})
