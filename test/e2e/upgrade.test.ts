/**
 * The data of an earlier release under this build: `test/fixtures/first-release.json` holds the
 * rows that the first release left behind, with the credentials that it gave out.
 */
import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../src/platform/database/migrate.ts'
import { as } from '../support/app.ts'
import { emptyDatabaseUrl } from '../support/database.ts'
import { tryConnect } from '../support/mqtt.ts'
import { newDataDir, startService } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'

interface Provisioned {
  device_id: string
  device_key: string
  mqtt_password: string
  device_http_token: string
}

interface Release {
  masterKey: string
  workspace: string
  platformKey: string
  provisionKey: string
  template: string
  /** Claimed and active, suspended, decommissioned. */
  made: [Provisioned, Provisioned, Provisioned]
  byHand: { id: string; custom_fields: Record<string, unknown> }
  phone: { access_token: string; refresh_token: string }
  tables: Record<string, unknown[]>
}

const LAST_MIGRATION = '0005'

/** The migrations that the first release had. */
async function firstMigrations(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-test-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const name of await readdir(join(ROOT, 'migrations'))) {
    const isOld = /^\d/.test(name) && name.slice(0, 4) <= LAST_MIGRATION
    if (isOld) await cp(join(ROOT, 'migrations', name), join(folder, name))
  }
  return folder
}

async function oldDatabase(t: TestContext, release: Release): Promise<string> {
  const url = await emptyDatabaseUrl(t)
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(url)
    await client.connect()
    return client
  }
  await migrate(connect, await firstMigrations(t), () => {})
  const client = await connect()
  for (const [table, rows] of Object.entries(release.tables)) {
    const load = `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`
    await client.query(load, [JSON.stringify(rows)])
  }
  // Its sessions would be over some day.
  await client.query(`UPDATE moid_sessions SET expires_at = now() + interval '180 days'`)
  await client.end()
  return url
}

test('data of the first release is served, found and admitted', async (t) => {
  const file = join(ROOT, 'test/fixtures/first-release.json')
  const release = JSON.parse(await readFile(file, 'utf8')) as Release
  const environment = {
    DATABASE_URL: await oldDatabase(t, release),
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
