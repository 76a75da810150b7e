/** Revokes that nobody asks a receipt for reach brokers elsewhere as well. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { unnamed } from '../../../src/database/connect.ts'
import { as, startApp, type TestApp } from '../../support/app.ts'
import { defer } from '../../support/cleanup.ts'
import { newDevice, newPhone, openClaim } from '../../support/phones-and-devices.ts'

async function startWithBroker(t: TestContext): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-elsewhere-'))
  const file = join(folder, 'brokers.json')
  writeFileSync(file, '{"brokers":[{"name":"elsewhere","kind":"emqx"}]}', { mode: 0o600 })
  defer(t, () => rmSync(folder, { recursive: true }))
  return startApp(t, { environment: { MOORING_BROKERS_FILE: file } })
}

const receipts = (app: TestApp): Promise<{ reason: string; subject: string | null }[]> =>
  app.database.query(
    unnamed(`SELECT r.reason, r.subject FROM mqtt_receipts r
             JOIN mqtt_receipt_nodes n ON n.receipt_id = r.id AND n.node = 'elsewhere'
             ORDER BY r.id`),
    [],
  )

test('a phone that released a device, and a workspace that was deleted', async (t) => {
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
