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

suite('devices in the browser', { skip }, () => {
  test('the wizard leads from nothing to a device that is connected', async (t) => {
    const service = await startConsole(t, { environment })
    const browser = await openBrowser(t)
    const { page, assertClean } = await openPage(t, browser, service)
    await signIn(page)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Connect a device' }).first().click()
    await page.getByLabel('Name').fill('<img src=x onerror=alert(1)>')
    await page.getByLabel('Key').fill('lamp-1')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Make the device' }).click()
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
    await page.getByText('It is connected.').waitFor()
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
    await page.getByRole('button', { name: 'Make the device' }).click()
    const [url, username, password] = [
      await secretOf(page, 'MQTT_URL'),
      await secretOf(page, 'MQTT_USERNAME'),
      await secretOf(page, 'MQTT_PASSWORD'),
    ]
    await page.goto('/console/w/acme/devices')
    await page.getByRole('link', { name: 'lamp-2' }).click()
    await page.getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await assert.rejects(connectAsync(url, { username, password, clientId: 'lamp-2' }))
    await page.getByText('It is suspended, so it is refused.').waitFor()
    await page.getByRole('link', { name: 'Connections' }).click()
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
    await filter.fill('status = purple')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'at character' }).first().waitFor()
    assert.equal(await filter.getAttribute('aria-invalid'), 'true')
    await assertAccessible(page)
    assertClean()
  })
})
