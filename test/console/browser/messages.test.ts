/** Live messages in the browser: watched, searched, paused, read as a whole, and published. */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { connectAsync, type MqttClient } from 'mqtt'
import type { Page } from 'playwright-core'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner, type OwnerPage } from '../../support/console-page.ts'
import { HOSTILE, HOSTILE_WORD } from '../../support/console-places.ts'
import { assertNothingInjected, failure, TRACE } from '../../support/console-walk.ts'
import { until } from '../../support/until.ts'

async function connected(
  t: TestContext,
  { host, port }: OwnerPage['mqtt'],
  credentials: unknown,
  clientId?: string,
): Promise<MqttClient> {
  const { mqtt_username: username, mqtt_password: password } = credentials as {
    mqtt_username: string
    mqtt_password: string
  }
  const options = { username, password, clientId: clientId ?? username }
  const client = await connectAsync(`mqtt://${host}:${port}`, options)
  t.after(() => client.endAsync(true))
  return client
}

/** Makes a page show less: by a word, or nothing more. */
async function searchAndPause(page: Page, say: (name: string, text: string) => Promise<unknown>) {
  const rows = page.getByRole('region', { name: 'Messages' }).getByRole('row')
  const dialog = page.getByRole('dialog')
  await page.getByLabel('Search in what is shown').fill('fan')
  await rows.filter({ hasText: HOSTILE }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Show message 1' }).click()
  await dialog.getByLabel('Payload').getByText('"fan": true').waitFor()
  await dialog.getByText('Hall').waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByLabel('Search in what is shown').fill('')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused').waitFor()
  await say('telemetry', 'unseen')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Watching').waitFor()
}

/** A topic is a text of somebody else, like the message itself. */
async function watchHostileTopic({ page, make }: OwnerPage): Promise<void> {
  await page.getByLabel('Topic filter').fill('acme/lamp-1/#')
  await page.getByRole('button', { name: 'Watch' }).click()
  await page.getByRole('heading', { name: 'Nothing yet' }).waitFor()
  await page.getByText('Watching').waitFor()
  await make('mqtt/publish', { topic: `acme/lamp-1/${HOSTILE_WORD}`, payload: HOSTILE })
  const row = page.getByRole('row').filter({ hasText: HOSTILE_WORD })
  await row.getByRole('button', { name: /^Show message/ }).click()
  await page.getByRole('dialog').getByText(HOSTILE_WORD).first().waitFor()
  await assertAccessible(page)
  await assertNothingInjected(page)
  await page.keyboard.press('Escape')
}

suite('live messages in the browser', { skip }, () => {
  test('messages of devices and of the service appear, and can be searched, paused and read', async (t) => {
    const opened = await openAsOwner(t, 'messages')
    const { page, make, mqtt, assertClean } = opened
    const device = await make('devices', { device_key: 'lamp-1', name: 'Hall' })
    const client = await connected(t, mqtt, device.mqtt_credentials, 'lamp-1')
    const say = (name: string, text: string) =>
      client.publishAsync(`acme/lamp-1/${name}`, text, { qos: 1 })

    const topic = page.getByLabel('Topic filter')
    await topic.fill('other/#')
    await page.getByRole('button', { name: 'Watch' }).click()
    await page.getByText('must begin with the slug of the workspace').first().waitFor()
    await assertAccessible(page)
    await topic.fill('acme/+/telemetry')
    await page.getByRole('button', { name: 'Watch' }).click()
    await page.getByText('Watching').waitFor()
    await page.getByRole('heading', { name: 'Nothing yet' }).waitFor()
    await say('telemetry', '{"temperature": 21.5, "deep": {"fan": true}}')
    await say('state', '{"on": true}')
    await say('telemetry', HOSTILE)
    const rows = page.getByRole('region', { name: 'Messages' }).getByRole('row')
    await rows.filter({ hasText: HOSTILE }).waitFor()
    assert.equal(await rows.count(), 3)
    await assertAccessible(page)

    await searchAndPause(page, say)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Publish…' }).click()
    await dialog.getByLabel('Topic').fill('acme/lamp-1/telemetry')
    await dialog.getByRole('textbox', { name: 'Message' }).fill('from a person')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Publish' }).click()
    const row = rows.filter({ hasText: 'from a person' })
    await row.getByText('the service').waitFor()
    assert.equal(await rows.filter({ hasText: 'unseen' }).count(), 0)
    await watchHostileTopic(opened)

    await page.getByRole('button', { name: 'API', exact: true }).click()
    await page.getByText('mqtt/messages?topic=acme').first().waitFor()
    assertClean()
  })

  test('a stream that fails says so at the messages, and whether the service answers', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'messages')
    const stream = /\/mqtt\/messages\?/
    await page.route(stream, (route) => route.abort())
    await page.goto('/console/w/acme/messages?topic=acme%2F%23')
    await page.getByText('The service does not answer, trying again').waitFor()
    await page.getByRole('heading', { name: 'The service does not answer' }).waitFor()
    for (const name of ['Clear', 'Download']) {
      const off = page.getByRole('button', { name, disabled: true })
      await off.waitFor()
    }
    await assertAccessible(page)
    await page.route(stream, (route) => route.fulfill(failure))
    await page.getByText('Messages could not be read', { exact: true }).waitFor()
    await page.getByText(TRACE).waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    assert.equal(await page.getByText('Interrupted', { exact: true }).count(), 0)
    assert.equal(await page.locator('form').getByText(TRACE).count(), 0)
    await assertAccessible(page)
    await page.unroute(stream)
    await page.getByText('Watching').waitFor()
    await page.getByText(TRACE).waitFor({ state: 'detached' })
    assertClean()
  })

  test('too many messages are counted, and the page stays usable', async (t) => {
    const { page, make, mqtt, assertClean } = await openAsOwner(t, 'messages?topic=acme%2F%23')
    const login = await make('mqtt/principals', { name: 'flood' })
    const acl = { action: 'publish', topic: 'acme/flood', permission: 'allow' }
    await make(`mqtt/principals/${String(login.id)}/acls`, acl)
    const client = await connected(t, mqtt, login.mqtt_credentials)
    await page.getByText('Watching').waitFor()
    // As long as it takes: a second may end in the middle of a burst.
    await until('messages are skipped', async () => {
      await Promise.all(Array.from({ length: 150 }, () => client.publishAsync('acme/flood', 'x')))
      return page.getByText(/\d skipped/).isVisible()
    })
    await assertAccessible(page)
    assertClean()
  })
})
