/** From an empty workspace to a connected device, and why a device is refused, in the browser. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { connectAsync } from 'mqtt'
import type { Page } from 'playwright-core'
import {
  assertAccessible,
  openBrowser,
  openPage,
  skip,
  startConsole,
} from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { until } from '../../support/until.ts'

const owner = { email: 'ada@example.com', password: 'correct horse battery staple 9' }

const environment = {
  MOORING_BOOTSTRAP_EMAIL: owner.email,
  MOORING_BOOTSTRAP_PASSWORD: owner.password,
  MOORING_BOOTSTRAP_WORKSPACE: 'acme',
}

async function signIn(page: Page): Promise<void> {
  await page.goto('/console/')
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password', { exact: true }).fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'acme' }).click()
}

const secretOf = (page: Page, name: string): Promise<string> =>
  page.getByLabel(name, { exact: true }).innerText()

/** The tag `floor` as a column, and the template no longer. */
async function chooseColumns(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Columns' }).click()
  const dialog = page.getByRole('dialog')
  const names = await dialog.locator('label').allTextContents()
  assert.deepEqual(names, [...new Set(names)], 'each column has a name of its own')
  await dialog.getByRole('checkbox', { name: 'Template' }).click()
  await dialog.getByRole('checkbox', { name: 'Tag floor' }).click()
  await dialog.getByRole('button', { name: 'Move Tag floor up' }).click()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Show these' }).click()
  await page.getByRole('columnheader', { name: 'floor' }).waitFor()
}

/** The chosen view gets another filter, and is deleted. */
async function changeAndDelete(page: Page): Promise<void> {
  const filter = page.getByRole('combobox', { name: 'Filter of devices' })
  const dialog = page.getByRole('dialog')
  await filter.fill('device_key = th-3')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await page.getByText('1 of 3').waitFor()
  await page.getByRole('button', { name: /^Views?\b/ }).click()
  await assertAccessible(page)
  await page.getByRole('menuitem', { name: 'Save changes' }).click()
  await page.waitForURL(/devices\?view=view_[a-z0-9]+$/)
  await page.getByRole('button', { name: /^Views?\b/ }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete view' }).click()
  await page.getByText('3', { exact: true }).first().waitFor()
}

/** The part of a filter that is underlined as wrong. */
const underlined = (page: Page): Promise<string> =>
  page.evaluate("[...(CSS.highlights.get('filter-error') ?? [])].join()")

suite('devices in the browser', { skip }, () => {
  test('the wizard leads from nothing to a device that is connected', async (t) => {
    const service = await startConsole(t, { environment })
    const browser = await openBrowser(t)
    const { page, assertClean } = await openPage(t, browser, service)
    await signIn(page)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Connect a device' }).first().click()
    await page.getByRole('button', { name: 'Create device' }).click()
    await page.getByText('A device without a template needs a key.').waitFor()
    await page.getByLabel('Name').fill('<img src=x onerror=alert(1)>')
    await page.getByLabel('Key').fill('lamp-1')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Create device' }).click()
    await page.getByText('They are shown this once.').waitFor()
    const [url, username, password] = [
      await secretOf(page, 'MQTT_URL'),
      await secretOf(page, 'MQTT_USERNAME'),
      await secretOf(page, 'MQTT_PASSWORD'),
    ]
    await assertAccessible(page)
    await page.getByLabel('I have stored them').check()
    await page.getByRole('button', { name: 'Show me code' }).click()
    await page.getByRole('button', { name: 'Python', exact: true }).click()
    assert.match(await page.getByLabel('Code for Python').innerText(), new RegExp(password))

    // First with a wrong client id: the page says so.
    await assert.rejects(connectAsync(url, { username, password, clientId: 'esp32' }))
    await page.getByText('Refused: wrong client id').waitFor()
    await assertAccessible(page)

    const device = await connectAsync(url, { username, password, clientId: 'lamp-1' })
    t.after(() => device.endAsync(true))
    await device.publishAsync('acme/lamp-1/state', '{"temperature": 21.5}', { qos: 1 })
    await page.getByText('lamp-1 has connected.').waitFor()
    await page.getByLabel('State').getByText('21.5').waitFor()
    await page.getByRole('link', { name: 'Open the device' }).click()
    await page.getByText(/^Connected since /).waitFor()
    await assertAccessible(page)
    assertClean()
  })

  test('a suspended device is refused, and its page says why', async (t) => {
    const service = await startConsole(t, { environment })
    const browser = await openBrowser(t)
    const { page, assertClean } = await openPage(t, browser, service)
    await signIn(page)
    await page.goto('/console/w/acme/devices/new')
    await page.getByLabel('Key').fill('lamp-2')
    await page.getByRole('button', { name: 'Create device' }).click()
    const [url, username, password] = [
      await secretOf(page, 'MQTT_URL'),
      await secretOf(page, 'MQTT_USERNAME'),
      await secretOf(page, 'MQTT_PASSWORD'),
    ]
    await page.goto('/console/w/acme/devices')
    await page.getByRole('link', { name: 'lamp-2' }).click()
    await page.getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('dialog', { name: 'Receipt' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await assert.rejects(connectAsync(url, { username, password, clientId: 'lamp-2' }))
    await page.getByText('It is suspended, so it is refused.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Connections' }).click()
    await page.getByRole('cell', { name: 'Suspended' }).waitFor()
    await assertAccessible(page)
    assertClean()
  })

  test('a filter that cannot be read is marked where it is wrong', async (t) => {
    const service = await startConsole(t, { environment })
    const browser = await openBrowser(t)
    const { page, assertClean } = await openPage(t, browser, service)
    await signIn(page)
    await page.goto('/console/w/acme/devices')
    const filter = page.getByRole('combobox', { name: 'Filter of devices' })
    await filter.fill('status = ')
    await page.getByRole('option', { name: 'suspended' }).waitFor()
    await filter.fill('status = active AND status = purple')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'at “purple”' }).first().waitFor()
    await until('the mark', async () => (await underlined(page)) === 'purple')
    assert.equal(await filter.getAttribute('aria-invalid'), 'true')
    // It is said once, where it is wrong.
    await page
      .getByText('at “purple”: status must be registered, active, suspended or decommissioned')
      .waitFor()
    assert.equal(await page.getByRole('alert').filter({ hasText: /./ }).count(), 1)
    await assertAccessible(page)
    // The mark stays when the caret comes back, and goes with the first change.
    await filter.blur()
    await filter.focus()
    await until('the mark', async () => (await underlined(page)) === 'purple')
    await filter.fill('status = active')
    await until('no mark', async () => (await underlined(page)) === '')
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await page.getByRole('heading', { name: 'Connect your first device' }).waitFor()
    assert.equal(await filter.innerText(), '')
    assert.equal(await filter.getAttribute('aria-invalid'), null)
    // The empty list has the only link to what connects one.
    assert.equal(await page.getByRole('link', { name: 'Connect a device' }).count(), 1)
    assertClean()
  })

  test('a filter is completed with what occurs, counted, and kept as a view', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    for (const [device_key, floor] of [
      ['th-1', 'ground'],
      ['th-2', 'ground'],
      ['th-3', 'first floor'],
    ]) {
      await make('devices', { device_key, tags: { floor } })
    }
    await page.reload()
    const filter = page.getByRole('combobox', { name: 'Filter of devices' })
    await filter.fill('tags.')
    await page.getByRole('option', { name: /tags\.floor.*3/ }).waitFor()
    await filter.fill('tags.floor = ')
    await page.getByRole('option', { name: /first floor.*1/ }).waitFor()
    await assertAccessible(page)
    await page.getByRole('option', { name: /^ground.*2/ }).click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.getByText('2 of 3').waitFor()

    await chooseColumns(page)
    await page.getByRole('button', { name: /^Views?\b/ }).click()
    const dialog = page.getByRole('dialog')
    await page.getByRole('menuitem', { name: 'Save as' }).click()
    await dialog.getByLabel('Name').fill('Ground')
    await dialog.getByLabel('Share with all members').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/devices\?view=view_[a-z0-9]+$/)
    await page.evaluate(() => localStorage.clear())
    await page.reload()
    await page.getByRole('columnheader', { name: 'floor' }).waitFor()
    await page.getByText('2 of 3').waitFor()
    assert.equal(await filter.innerText(), 'tags.floor = ground')

    await changeAndDelete(page)

    await filter.fill('th-2')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'th-2' }).waitFor()
    assertClean()
  })
})
