/** Live messages in the browser: watched, searched, paused, read as a whole, and published. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { connectAsync } from 'mqtt'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { HOSTILE } from '../../support/console-places.ts'
import { until } from '../../support/until.ts'

suite('live messages in the browser', { skip }, () => {
  test('what devices and the service publish appears, can be searched, paused and read', async (t) => {
    const { page, make, mqtt, assertClean } = await openAsOwner(t, 'messages')
    const device = await make('devices', { device_key: 'lamp-1', name: 'Hall' })
    const { mqtt_username: username, mqtt_password: password } = device.mqtt_credentials as {
      mqtt_username: string
      mqtt_password: string
    }
    const client = await connectAsync(`mqtt://${mqtt.host}:${mqtt.port}`, {
      username,
      password,
      clientId: 'lamp-1',
    })
    t.after(() => client.endAsync(true))
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

    await page.getByLabel('Search in what is shown').fill('fan')
    await rows.filter({ hasText: HOSTILE }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show message 1' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Payload').getByText('"fan": true').waitFor()
    await dialog.getByText('Hall').waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByLabel('Search in what is shown').fill('')

    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused').waitFor()
    await say('telemetry', 'unseen')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('Watching').waitFor()
    await page.getByRole('button', { name: 'Publish…' }).click()
    await dialog.getByLabel('Topic').fill('acme/lamp-1/telemetry')
    await dialog.getByRole('textbox', { name: 'Message' }).fill('from a person')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Publish' }).click()
    const row = rows.filter({ hasText: 'from a person' })
    await row.getByText('the service').waitFor()
    assert.equal(await rows.filter({ hasText: 'unseen' }).count(), 0)

    await page.getByRole('button', { name: 'API', exact: true }).click()
    await page.getByText('mqtt/messages?topic=acme').first().waitFor()
    assertClean()
  })

  test('too many messages are counted, and the page stays usable', async (t) => {
    const { page, make, mqtt, assertClean } = await openAsOwner(t, 'messages?topic=acme%2F%23')
    const login = await make('mqtt/principals', { name: 'flood' })
    const { mqtt_username: username, mqtt_password: password } = login.mqtt_credentials as {
      mqtt_username: string
      mqtt_password: string
    }
    const acl = { action: 'publish', topic: 'acme/flood', permission: 'allow' }
    await make(`mqtt/principals/${String(login.id)}/acls`, acl)
    const url = `mqtt://${mqtt.host}:${mqtt.port}`
    const client = await connectAsync(url, { username, password, clientId: username })
    t.after(() => client.endAsync(true))
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
