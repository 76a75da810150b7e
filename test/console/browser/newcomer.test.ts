/**
 * The steps of the README, in the browser alone: from the printed link to an own account, a
 * template, a key, a device that the shown code connects, and a colleague with a role.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { ProvisionedDevice } from '../../../sdk/schema.ts'
import { as } from '../../support/app.ts'
import {
  assertAccessible,
  openBrowser,
  openPage,
  skip,
  startConsole,
} from '../../support/browser.ts'
import { defer } from '../../support/cleanup.ts'
import { connectDevice as connect } from '../../support/mqtt.ts'
import { PASSWORD } from '../../support/sign-in.ts'
import { preparedDataDir, type Service, startService } from '../../support/service.ts'
import { startProgram } from '../../adapters/broker/start-program.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()

async function setUp(page: Page, { output }: Service): Promise<void> {
  const [link] = /http\S+\/setup#token=\S+/.exec(output.stdout) ?? []
  assert.ok(link, output.stdout)
  await page.goto(link)
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Workspace').fill('Acme')
  await page.getByRole('button', { name: 'Set up' }).click()
  await heading(page, 'Your workspace is ready')
}

const goTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()

/** The pane shows the call of the form while one types, and afterwards the calls of the page. */
async function createTemplate(page: Page): Promise<void> {
  await page.goto('/console/w/acme/templates')
  await page.getByRole('button', { name: 'API', exact: true }).click()
  const pane = page.getByRole('complementary', { name: 'API calls of this page' })
  await pane.getByText('listDeviceTemplates').first().waitFor()
  await page.getByRole('button', { name: 'Create template' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Lamp')
  await dialog.getByLabel('Model key').fill('lamp')
  await dialog.getByLabel('Format of device keys').fill('L-%#f')
  const next = page.getByLabel('createDeviceTemplate as curl')
  await next.getByText('"serial_format": "L-%#f"').waitFor()
  assert.doesNotMatch(await next.innerText(), /mooring_|eyJ/)
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await heading(page, 'Lamp')
  for (const language of ['TypeScript', 'Python']) {
    await pane.getByRole('button', { name: language }).click()
    await pane.getByLabel(`getDeviceTemplate as ${language}`).first().waitFor()
  }
  await pane.getByRole('button', { name: 'Close' }).click()
}

/** @returns the key as it is shown, this once */
async function createKey(page: Page): Promise<string> {
  await goTo(page, 'API keys')
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Line 1')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  const key = await dialog.getByText(/^service_pk_/).innerText()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'Line-1.env')
  const file = await readFile(await download.path(), 'utf8')
  assert.ok(file.includes(`PROVISION_KEY=${key}\n`), file)
  await dialog.getByRole('button', { name: 'QR code' }).click()
  await dialog.getByRole('img', { name: 'The secret as a QR code' }).waitFor()
  await dialog.getByLabel('I have stored it').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  return key
}

/** A factory registers a device by the key, and the open list follows the device. */
async function provision(
  t: TestContext,
  page: Page,
  { call }: Service,
  key: string,
): Promise<void> {
  await goTo(page, 'Devices')
  await page.getByRole('row', { name: /L-1/ }).getByText('Online').waitFor()
  const factory = as.factory(key)
  const templates = await call('GET', '/provision/device-templates', { headers: factory })
  const body = { template_id: templates.body.items[0].id, hardware_id: '24:0a:c4:00:00:01' }
  const answer = await call('POST', '/provision/device', { headers: factory, body })
  assert.equal(answer.status, 201, answer.text)
  const device = answer.body as ProvisionedDevice
  const row = page.getByRole('row', { name: new RegExp(device.device_key) })
  // It is shown at once if the list was still being read.
  const waiting = page.getByRole('button', { name: '1 new' })
  await row.or(waiting).first().waitFor()
  if (await waiting.isVisible()) await waiting.click()
  await row.getByText('Registered').waitFor()
  await connect(t, device, { username: device.mqtt_username, clientId: device.mqtt_username })
  // The list is read again once a second, and longer on a busy machine.
  await row.getByText('Online').waitFor({ timeout: 60_000 })
}

/** Runs the code as it is shown. */
async function connectDevice(t: TestContext, page: Page): Promise<void> {
  await goTo(page, 'Overview')
  await page.getByRole('link', { name: 'Connect a device' }).first().click()
  await page.getByLabel('Template').selectOption({ label: 'Lamp (lamp)' })
  await page.getByRole('button', { name: 'Create device' }).click()
  await page.getByLabel('I have stored them').check()
  await page.getByRole('button', { name: 'Show me code' }).click()
  await page.getByRole('button', { name: 'Node', exact: true }).click()
  const text = await page.getByLabel('Code for Node').innerText()
  const program = startProgram(process.execPath, ['--input-type=module', '-e', text])
  defer(t, () => program.stop('SIGKILL'))
  await page.getByText('L-1 has connected.').waitFor()
  await page.getByLabel('State').getByText('21.5').waitFor()
}

async function invite(t: TestContext, page: Page, browser: Browser, service: Service) {
  await goTo(page, 'People')
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill('grace@example.com')
  await dialog.getByRole('radio', { name: 'viewer' }).check()
  await dialog.getByRole('button', { name: 'Invite' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'New link…' }).click()
  await dialog.getByRole('button', { name: 'Create a new link' }).click()
  const link = await dialog.getByText(/\/console\/invitations#token=/).innerText()
  await dialog.getByRole('button', { name: 'Done' }).click()

  const theirs = await openPage(t, browser, service)
  await theirs.page.goto(link)
  await theirs.page.getByLabel('Your name').fill('Grace Hopper')
  await theirs.page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await theirs.page.getByRole('button', { name: 'Join Acme' }).click()
  await heading(theirs.page, 'Overview')
  const row = page.getByRole('row', { name: /Grace Hopper/ })
  await row.getByText('viewer').waitFor()
  theirs.assertClean()
}

suite('a newcomer with a browser', { skip }, () => {
  test('connects a device by the code that is shown, and has a colleague', async (t) => {
    const service = await startConsole(t)
    const browser = await openBrowser(t)
    const { page, assertClean } = await openPage(t, browser, service)
    await setUp(page, service)
    await createTemplate(page)
    const key = await createKey(page)
    await connectDevice(t, page)
    await provision(t, page, service, key)
    await invite(t, page, browser, service)
    assertClean()
  })

  test('a person with an initial password chooses another, and gets to the requested page', async (t) => {
    const dataDir = await preparedDataDir(t)
    const service = await startService(t, dataDir, { environment: { MOORING_CONSOLE: 'on' } })
    const { page, assertClean } = await openPage(t, await openBrowser(t), service)
    const written = await readFile(join(dataDir, 'first-owner.txt'), 'utf8')
    const said = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(written)?.[1] ?? ''
    const given = said('password')
    await page.goto('/console/account/sessions')
    await page.getByLabel('E-mail').fill(said('email'))
    await page.getByLabel('Password', { exact: true }).fill(given)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await heading(page, 'Choose a password of your own')
    await page.getByText(`You are signed in as ${said('email')}.`).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await assertAccessible(page)
    await page.getByLabel('Password that you were given').fill(`${given}!`)
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password and continue' }).click()
    await page.getByRole('alert').waitFor()
    // Nothing else works before.
    await page.goto('/console/account/sessions')
    await heading(page, 'Choose a password of your own')
    await page.getByLabel('Password that you were given').fill(given)
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password and continue' }).click()
    await heading(page, 'Sessions')
    await page.getByText('this browser').waitFor()
    // It is their own from now on.
    await page.goto('/console/new-password')
    await heading(page, 'Change your password')
    await page.getByText(`You are signed in as ${said('email')}.`).waitFor()
    assert.equal(await page.getByText('was set for you').count(), 0)
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByLabel('New password').fill(`${PASSWORD}!`)
    await page.getByRole('button', { name: 'Change password' }).click()
    await heading(page, 'Overview')
    assertClean()
  })
})
