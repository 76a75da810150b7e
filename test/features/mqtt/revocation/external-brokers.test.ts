/** External brokers also receive revocations whose response has no receipt. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { removeMqttLogins } from '../../../../src/features/mobile/mqtt/mqtt-login.ts'
import { createExpiryCheck } from '../../../../src/features/mqtt/principals/principal-expiry.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import { importRows } from '../../../support/transfers.ts'
import { until } from '../../../support/until.ts'
import { newDevice, newPhone, openClaim } from '../../../support/phones-and-devices.ts'

async function startWithBroker(t: TestContext): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-external-'))
  const file = join(folder, 'brokers.json')
  const hook_secrets = ['a-secret-of-the-hooks-0123456789abcdef']
  const entry = { name: 'external', kind: 'emqx', hook_secrets }
  writeFileSync(file, JSON.stringify({ brokers: [entry] }), { mode: 0o600 })
  defer(t, () => rmSync(folder, { recursive: true }))
  return startApp(t, { environment: { MOORING_BROKERS_FILE: file } })
}

/** A template by which a device may do less than by the default rules. */
async function narrowTemplate({ call, seed }: TestApp): Promise<string> {
  const rule = { action: 'publish', topic: '{slug}/{device_key}/state', permission: 'allow' }
  const made = await call('POST', `/workspaces/${seed.id}/device-templates`, {
    as: as.platformKey(seed.platformKey),
    body: { model_key: 'narrow', name: 'Narrow', serial_format: 'N-%#f', mqtt_acl: [rule] },
  })
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

interface Received {
  reason: string
  subject: string | null
  narrowed?: object
}

async function receipts(app: TestApp): Promise<Received[]> {
  const text = `SELECT r.reason, r.subject, r.narrowed FROM mqtt_receipts r
    JOIN mqtt_receipt_nodes n ON n.receipt_id = r.id AND n.node = 'external' ORDER BY r.id`
  const rows = await app.database.query<Received & { narrowed: object | null }>(unnamed(text), [])
  return rows.map(({ narrowed, ...rest }) => ({ ...rest, ...(narrowed && { narrowed }) }))
}

test('a phone whose session or login ended has a receipt, and so has a principal whose time is up', async (t) => {
  const app = await startWithBroker(t)
  const { call, seed, services, database } = app
  const phone = await newPhone(app)
  const device = await newDevice(app)
  await device.bind((await openClaim(app, phone)).code)
  const login = async (): Promise<string> => {
    const response = await phone.call('POST', '/moid/mqtt-credentials', { workspace_id: seed.id })
    return response.body.mqtt_username
  }
  const expired = await login()
  const past = `now() - interval '1 minute'`
  const late = `UPDATE moid_mqtt_logins SET expires_at = ${past} WHERE id = $1`
  await database.pool.query(late, [parseId('mqm', expired)])
  await removeMqttLogins({ ...services, db: database })
  const rest = [await login(), await login()]
  await phone.call('DELETE', '/moid/session')
  const made = await call('POST', `/workspaces/${seed.id}/mqtt/principals`, {
    as: as.platformKey(seed.platformKey),
    body: { name: 'Dashboard' },
  })
  await createExpiryCheck({ ...services, db: database })()
  await database.pool.query(`UPDATE mqtt_principals SET expires_at = ${past}`)
  await createExpiryCheck({ ...services, db: database })()
  const received = new Set(
    (await receipts(app)).map(({ reason, subject }) => `${reason} ${subject}`),
  )
  const ends = rest.map((name) => `moid_session.ended ${name}`)
  assert.deepEqual(received, new Set([`expired ${expired}`, ...ends, `expired ${made.body.id}`]))
})

test('a device that loses by the template that it gets has a receipt, whichever way it gets it', async (t) => {
  const app = await startWithBroker(t)
  const { call, seed } = app
  const staff = as.platformKey(seed.platformKey)
  const device = await newDevice(app)
  const key = `k-${device.uuid}`
  const narrowed = { devices: [device.uuid] }
  const received = async (): Promise<Received[]> =>
    (await receipts(app)).filter(({ reason }) => reason !== 'job.completed')
  await importRows(app, [{ device_key: key, name: 'Pump' }])
  // It has the default rules, like a device without a template.
  await importRows(app, [{ device_key: key, template_id: null }])
  assert.deepEqual(await received(), [])
  const narrow = await narrowTemplate(app)
  await importRows(app, [{ device_key: key, template_id: narrow }])
  const byImport = { reason: 'device.updated', subject: null, narrowed }
  assert.deepEqual(await received(), [byImport])

  let jobs = 0
  const move = async (template_id: string | null): Promise<string> => {
    const job = await call('POST', `/workspaces/${seed.id}/jobs`, {
      as: as.user(seed.owner.token),
      body: { action: 'move_template', parameters: { template_id }, device_ids: [device.id] },
    })
    assert.ok(job.status < 300, job.text)
    jobs += 1
    await until('the job is completed', async () => {
      const all = await receipts(app)
      return all.filter(({ reason }) => reason === 'job.completed').length === jobs
    })
    return job.body.id
  }
  await move(null)
  assert.deepEqual(await received(), [byImport])
  const byJob = { reason: 'device.updated', subject: await move(narrow), narrowed }
  assert.deepEqual(await received(), [byImport, byJob])

  const templates = `/workspaces/${seed.id}/device-templates`
  const made = await call('POST', templates, {
    as: staff,
    body: { model_key: 'wide', name: 'Wide', serial_format: 'W-%#f' },
  })
  const wide = { template_id: made.body.id as string }
  const path = `/workspaces/${seed.id}/devices/${device.id}`
  assert.equal((await call('PATCH', path, { as: staff, body: wide })).status, 200)
  const end = `${templates}/${wide.template_id}?move_to=${narrow}`
  const gone = await call('DELETE', end, { as: staff })
  assert.equal(gone.status, 204, gone.text)
  const byEnd = { reason: 'template.deleted', subject: null, narrowed }
  assert.deepEqual(await received(), [byImport, byJob, byEnd])
})

test('devices that a job has changed have receipts before the job is completed', async (t) => {
  const app = await startWithBroker(t)
  const { call, seed } = app
  const device = await newDevice(app)
  const job = await call('POST', `/workspaces/${seed.id}/jobs`, {
    as: as.user(seed.owner.token),
    body: { action: 'reset_credentials', device_ids: [device.id] },
  })
  await until('the job is completed', async () => (await receipts(app)).length === 2)
  assert.deepEqual(await receipts(app), [
    { reason: 'device.credentials_reset', subject: job.body.id },
    { reason: 'job.completed', subject: null },
  ])
})

test('a phone that released a device has a receipt, and so has a workspace that was deleted', async (t) => {
  const app = await startWithBroker(t)
  const phone = await newPhone(app)
  const device = await newDevice(app)
  const { code } = await openClaim(app, phone)
  assert.equal((await device.bind(code)).status, 200)
  const login = await phone.call('POST', '/moid/mqtt-credentials', { workspace_id: app.seed.id })
  assert.equal(login.status, 201, login.text)
  assert.deepEqual(await receipts(app), [])
  const released = await phone.call('DELETE', `/moid/devices/${device.id}`)
  assert.ok(released.status < 300, released.text)
  const ofPhone = { reason: 'device.released', subject: login.body.mqtt_username }
  assert.deepEqual(await receipts(app), [ofPhone])
  const { id, slug, owner } = app.seed
  const deleted = await app.call('DELETE', `/workspaces/${id}`, {
    as: as.user(owner.token),
    body: { confirm: slug },
  })
  assert.equal(deleted.status, 202, deleted.text)
  assert.deepEqual(await receipts(app), [ofPhone, { reason: 'workspace.deleted', subject: null }])
})
