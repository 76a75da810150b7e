/** MQTT logins in the browser: made, given rules, used, rotated, and suspended with a receipt. */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { connectAsync, type MqttClient } from 'mqtt'
import type { Page } from 'playwright-core'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { closed } from '../../support/mqtt.ts'

const secretOf = (page: Page, name: string): Promise<string> =>
  page.getByLabel(name, { exact: true }).innerText()

/** Reads the login from the dialog that shows it once, and closes that. */
async function takeSecret(page: Page): Promise<(t: TestContext) => Promise<MqttClient>> {
  const [url, clientId, username, password] = [
    await secretOf(page, 'MQTT_URL'),
    await secretOf(page, 'MQTT_CLIENT_ID'),
    await secretOf(page, 'MQTT_USERNAME'),
    await secretOf(page, 'MQTT_PASSWORD'),
  ]
  await page.getByLabel('I have stored it').check()
  await page.getByRole('button', { name: 'Done' }).click()
  return async (t) => {
    const client = await connectAsync(url, { clientId, username, password, reconnectPeriod: 0 })
    t.after(() => client.endAsync(true))
    return client
  }
}

/** Adds a rule at the end, once the page has shown what that gives or takes. */
async function addRule(
  page: Page,
  topic: string,
  permission: string,
  effect: string,
): Promise<void> {
  await page.getByRole('button', { name: 'Add rule…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Topic').fill(topic)
  await dialog.getByLabel('Permission').selectOption(permission)
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'See the effect…' }).click()
  await dialog.getByText(effect).waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Deletes the login of a connected client: its receipt is on the list. */
async function remove(page: Page, client: MqttClient): Promise<void> {
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await dialog.getByLabel('Type Bridge to confirm').fill('Bridge')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(/\/logins\?receipt=rcp_/)
  await dialog.getByText('Disconnected on 1 of 1 nodes').waitFor()
  const node = dialog.getByRole('row').filter({ hasText: 'embedded/' })
  await node.getByText('verified', { exact: true }).waitFor()
  await node.getByRole('cell', { name: '1', exact: true }).waitFor()
  await closed(client)
  await assertAccessible(page)
  await page.keyboard.press('Escape')
}

suite('MQTT logins in the browser', { skip }, () => {
  test('a login is made, its rules decide what it receives, and the page names a rule without effect', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'logins')
    await page.getByRole('heading', { name: 'No logins yet' }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Create login' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Dashboard')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('button', { name: 'Node', exact: true }).click()
    assert.match(await dialog.getByLabel('Code for Node').innerText(), /acme\/\+\/state/)
    await assertAccessible(page)
    const connect = await takeSecret(page)
    await page.getByRole('heading', { name: 'No rules of its own' }).waitFor()
    const client = await connect(t)
    const refused = await client.subscribeAsync('acme/+/state', { qos: 1 }).catch(() => [])
    assert.ok(refused.every(({ qos }) => qos === 128))

    await addRule(page, 'acme/+/state', 'allow', 'subscribe acme/+/state')
    await page.getByRole('row').filter({ hasText: 'acme/+/state' }).waitFor()
    const topic = page.getByLabel('Topic', { exact: true })
    assert.equal(await topic.inputValue(), 'acme/device-1/state')
    await addRule(page, 'acme/+/state', 'deny', 'No topic is gained or lost.')
    await page.getByText(/Rule 2 (?:refuses no message|never decides)/).waitFor()
    await assertAccessible(page)
    await page.getByLabel('Action').selectOption('subscribe to')
    await topic.fill('acme/+/state')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('Yes, it may.').waitFor()
    await page.getByText('Rule 1 of the login decides').waitFor()
    const [granted] = await client.subscribeAsync('acme/+/state', { qos: 1 })
    assert.equal(granted?.qos, 1)

    await page.getByRole('button', { name: 'Move rule 2 up' }).click()
    await dialog.getByText('It loses').waitFor()
    // Elements behind a dialog have no role.
    await page.locator('tr').filter({ hasText: 'deny' }).getByText('2', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Move' }).click()
    await page
      .getByRole('row')
      .filter({ hasText: 'deny' })
      .getByText('1', { exact: true })
      .waitFor()
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('No, it may not.').waitFor()
    await page.getByRole('button', { name: 'Remove rule 1' }).click()
    await dialog.getByText('It gains').waitFor()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('row').filter({ hasText: 'deny' }).waitFor({ state: 'detached' })
    assertClean()
  })

  test('a rotated password replaces the old one once it is used, and a suspension has a receipt', async (t) => {
    const { page, make, mqtt, assertClean } = await openAsOwner(t, 'logins')
    const made = await make('mqtt/principals', { name: 'Bridge' })
    const { mqtt_username: username, mqtt_password: password } = made.mqtt_credentials as {
      mqtt_username: string
      mqtt_password: string
    }
    const url = `mqtt://${mqtt.host}:${mqtt.port}`
    const old = await connectAsync(url, {
      clientId: username,
      username,
      password,
      reconnectPeriod: 0,
    })
    t.after(() => old.endAsync(true))
    await page.getByRole('link', { name: 'Bridge' }).click()
    await page.getByRole('cell', { name: 'Accepted' }).waitFor({ timeout: 30_000 })
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Rotate password…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Rotate password' }).click()
    const connect = await takeSecret(page)
    assert.ok(old.connected)
    const renewed = await connect(t)
    await closed(old)

    await page.getByRole('button', { name: 'Suspend' }).click()
    await dialog.getByRole('button', { name: 'Suspend' }).click()
    await dialog.getByText('Disconnected on 1 of 1 nodes').waitFor()
    await closed(renewed)
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Resume' }).click()
    await dialog.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Suspend' }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).last().click()
    await page.getByLabel('Description').fill('Of the lobby')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    await assertAccessible(page)
    await remove(page, await connect(t))
    await page.getByRole('heading', { name: 'No logins yet' }).waitFor()
    assertClean()
  })
})
