/**
 * The actions of people on the page of one device: its configuration, commands, credentials and
 * notes.
 */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { CreatedDevice } from '../../../sdk/schema.ts'
import { as } from '../../support/app.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner, type OwnerPage } from '../../support/console-page.ts'
import { connectDevice, type DeviceLogin, tryConnect } from '../../support/mqtt.ts'
import { until } from '../../support/until.ts'

const openTab = (page: Page, { id }: CreatedDevice, tab: string) =>
  page.goto(`/console/w/acme/devices/${id}?tab=${tab}`)

/** A device of a template whose devices report a temperature, and take a brightness. */
async function makeLamp({ make }: OwnerPage): Promise<CreatedDevice> {
  const template = await make('device-templates', {
    model_key: 'lamp',
    name: 'Lamp',
    serial_format: 'L-%#f',
    capabilities: ['temperature', 'brightness'],
    capability_definitions: [
      { name: 'temperature', type: 'number', mode: 'read' },
      { name: 'brightness', type: 'integer', mode: 'read_write', default: 40 },
    ],
  })
  const made = await make('devices', { device_key: 'lamp-1', template_id: template.id })
  return made as unknown as CreatedDevice
}

/** The effects of a change, line by line. */
const changes = (place: Page | Locator, lines: string): Promise<void> =>
  place.getByLabel('Changes').filter({ hasText: lines }).waitFor()

/** The configuration that the device gets. */
const gets = (page: Page, text: string): Promise<void> =>
  page.getByLabel('Effective configuration').filter({ hasText: text }).waitFor()

/** The second save meets a change of somebody else, and does not overwrite it unseen. */
async function configure({ page, make }: OwnerPage, device: CreatedDevice): Promise<void> {
  await openTab(page, device, 'config')
  const editor = page.getByLabel('Values that differ from the template')
  const publish = page.getByRole('button', { name: 'Publish' })
  await editor.fill('{"interval_s": 10}')
  await changes(page, '− {}+ {+ "interval_s": 10+ }')
  await publish.click()
  await page.getByText('Configuration published').waitFor()
  await gets(page, '"interval_s": 10')
  await editor.fill('{"interval_s": 20}')
  await changes(page, '− "interval_s": 10+ "interval_s": 20')
  await make(`devices/${device.id}/config/rollback`, { version: 1 })
  await publish.click()
  await page.getByText('Somebody else has changed it meanwhile').waitFor()
  await changes(page, '− {}+ {+ "interval_s": 20+ }')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await publish.click()
  await page.getByRole('cell', { name: '4', exact: true }).waitFor()
  await gets(page, '"interval_s": 20')
}

/** Back to what it had before: as a new version, which says first what it changes. */
async function rollBack({ page }: OwnerPage): Promise<void> {
  const second = page
    .getByRole('row')
    .filter({ has: page.getByRole('cell', { name: '2', exact: true }) })
  await second.getByRole('button', { name: 'Compare' }).click()
  const dialog = page.getByRole('dialog', { name: 'Back to version 2?' })
  await changes(dialog, '− "interval_s": 20+ "interval_s": 10')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Go back' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: '5', exact: true }).waitFor()
  await gets(page, '"interval_s": 10')
  const editor = page.getByLabel('Values that differ from the template')
  await until('the editor', async () => (await editor.inputValue()).includes('"interval_s": 10'))
}

/** One by the button of a capability, which the device executes; one that is cancelled. */
async function command({ page, call }: OwnerPage, device: CreatedDevice): Promise<void> {
  await openTab(page, device, 'commands')
  await page.getByRole('button', { name: 'Set brightness' }).click()
  assert.equal(await page.getByRole('button', { name: 'Set temperature' }).count(), 0)
  const name = page.getByRole('textbox', { name: 'Command' })
  const payload = page.getByRole('textbox', { name: 'Arguments' })
  assert.equal(await name.inputValue(), 'set_brightness')
  assert.deepEqual(JSON.parse(await payload.inputValue()), { brightness: 40 })
  await payload.fill('{"brightness": 80}')
  await page.getByLabel('Seconds to wait for its response').fill('3600')
  await page.getByRole('button', { name: 'Send' }).click()
  const row = page.getByRole('row', { name: /set_brightness/ })
  await row.getByText('not fetched yet', { exact: true }).waitFor()

  const own = as.device(device.device_http_token)
  const { body } = await call('GET', '/devices/auth/commands', { as: own })
  const [taken] = body.items as { id: string; name: string; payload: unknown }[]
  assert.ok(taken)
  assert.deepEqual([taken.name, taken.payload], ['set_brightness', { brightness: 80 }])
  const result = { ok: true, result: { took_ms: 12 } }
  const path = `/devices/auth/commands/${taken.id}/ack`
  assert.equal((await call('POST', path, { as: own, body: result })).status, 200)
  await row.getByText('done', { exact: true }).waitFor()
  await row.getByText('{ "took_ms": 12 }').waitFor()
  await assertAccessible(page)

  await name.fill('reboot')
  await payload.fill('{}')
  await page.getByRole('button', { name: 'Send' }).click()
  const other = page.getByRole('row', { name: /reboot/ })
  await other.getByRole('button', { name: 'Cancel' }).click()
  await other.getByText('cancelled', { exact: true }).waitFor()
}

/** Each report appears on the open page. */
async function report(t: TestContext, { page }: OwnerPage, device: CreatedDevice): Promise<void> {
  await openTab(page, device, 'now')
  await page.getByText('No state yet.').waitFor()
  const { mqtt_password, mqtt_port } = device.mqtt_credentials
  const client = await connectDevice(t, { device_id: device.id, mqtt_password, mqtt_port })
  for (const temperature of [20.5, 21.75]) {
    const state = JSON.stringify({ temperature })
    await client.publishAsync('acme/lamp-1/state', state, { qos: 1 })
    await page.getByLabel('State').getByText(String(temperature)).waitFor()
  }
  await client.endAsync()
}

/** New credentials, which are shown once; the old ones have ended. */
async function reset(t: TestContext, { page }: OwnerPage, device: CreatedDevice): Promise<void> {
  await openTab(page, device, 'credentials')
  await page.getByRole('button', { name: 'Reset credentials…' }).click()
  const question = page.getByRole('dialog', { name: /^Reset the credentials of / })
  await question.getByText('The new ones are shown once, in the next step.').waitFor()
  await assertAccessible(page)
  await question.getByRole('button', { name: 'Reset' }).click()
  const secrets = page.getByRole('dialog', { name: 'Credentials of lamp-1' })
  const password = await secrets.getByLabel('MQTT_PASSWORD', { exact: true }).innerText()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await secrets.getByLabel('I have stored them').check()
  await secrets.getByRole('button', { name: 'Done' }).click()
  await secrets.waitFor({ state: 'detached' })
  assert.ok(!(await page.content()).includes(password), 'it is shown once')
  const { mqtt_password, mqtt_port } = device.mqtt_credentials
  const old: DeviceLogin = { device_id: device.id, mqtt_password, mqtt_port }
  assert.notEqual((await tryConnect(t, old)).code, 0, 'the old password has ended')
  await connectDevice(t, { ...old, mqtt_password: password })
}

async function writeNote({ page }: OwnerPage, device: CreatedDevice): Promise<void> {
  await openTab(page, device, 'notes')
  const field = page.getByRole('textbox', { name: 'Note' })
  await field.fill('Water in the housing')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const row = page.getByRole('row', { name: /Water in the housing/ })
  await row.waitFor()
  await until('an empty form', async () => (await field.inputValue()) === '')
  await row.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete this note?' })
  await dialog.getByText('Water in the housing').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No notes' }).waitFor()
}

/** It has none of its own, and its template has none either. */
async function seeRules({ page }: OwnerPage, device: CreatedDevice): Promise<void> {
  await openTab(page, device, 'rules')
  await page.getByText('has no rules: it may use its own topics only').waitFor()
  await page.getByRole('paragraph').getByRole('link', { name: 'Lamp' }).click()
  await page.getByRole('heading', { name: 'The default rules apply' }).waitFor()
}

/** Imported as it is listed, and not provisioned. */
async function giveCredentials({ page, send, call, headers, workspaceId }: OwnerPage) {
  await send('devices/import', JSON.stringify({ device_key: 'bare-1' }))
  const path = `/workspaces/${workspaceId}/devices`
  const listed = await call('GET', `${path}?filter=device_key%20%3D%20bare-1`, { headers })
  const device = listed.body.items[0] as CreatedDevice
  await openTab(page, device, 'now')
  await page.getByText('It has no credentials, so it cannot connect.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Rotate' }).count(), 0)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Create credentials…' }).first().click()
  const question = page.getByRole('dialog', { name: 'Create the credentials of bare-1?' })
  await question.getByText('It has none now.').waitFor()
  await assertAccessible(page)
  await question.getByRole('button', { name: 'Create' }).click()
  const secrets = page.getByRole('dialog', { name: 'Credentials of bare-1' })
  await secrets.getByLabel('I have stored them').check()
  await secrets.getByRole('button', { name: 'Done' }).click()
  await page.getByText('It has never tried to connect.').waitFor()
  await page.getByRole('button', { name: 'Rotate' }).waitFor()
  return device
}

/** With or without a job in the address: the page says so when it is opened. */
async function seeRotationDue(opened: OwnerPage, device: CreatedDevice): Promise<void> {
  const { page, make } = opened
  const asked = page.getByText(/^Asked to rotate its credentials/)
  await asked.waitFor({ state: 'detached' })
  await make('jobs', { action: 'rotate', device_ids: [device.id] })
  await openTab(page, device, 'credentials')
  await asked.waitFor()
  await openTab(page, device, 'notes')
  await page.getByRole('link', { name: 'A rotation is due.' }).click()
  await asked.waitFor()
  await page.getByText('acme/bare-1/cmd', { exact: true }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Reset credentials…' }).click()
  await page.getByRole('dialog', { name: /^Reset the credentials of / }).waitFor()
}

suite('the page of a device in the browser', { skip }, () => {
  test('a device without credentials gets them, and one that is asked to rotate says so', async (t) => {
    const opened = await openAsOwner(t, 'devices')
    const device = await giveCredentials(opened)
    await seeRotationDue(opened, device)
    opened.assertClean()
  })

  test('a state is followed, and the device is configured, commanded, noted and given credentials', async (t) => {
    const opened = await openAsOwner(t, 'devices')
    const device = await makeLamp(opened)
    await configure(opened, device)
    await rollBack(opened)
    await command(opened, device)
    await report(t, opened, device)
    await reset(t, opened, device)
    await writeNote(opened, device)
    await seeRules(opened, device)
    opened.assertClean()
  })
})
