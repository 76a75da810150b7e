/** Connections in the browser: found, disconnected with a receipt, refused with a reason. */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner, type OwnerPage } from '../../support/console-page.ts'
import { closed } from '../../support/mqtt.ts'
import { withDatabase } from '../../support/invoiced-workspaces.ts'
import { until } from '../../support/until.ts'

/** A page of the list has 100. */
const MORE_THAN_A_PAGE = 105

interface Login {
  mqtt_username: string
  mqtt_password: string
}

const connected = async (
  t: TestContext,
  { mqtt }: OwnerPage,
  { mqtt_username: username, mqtt_password: password }: Login,
  options: IClientOptions = {},
): Promise<MqttClient> => {
  const client = await connectAsync(`mqtt://${mqtt.host}:${mqtt.port}`, {
    username,
    password,
    clientId: username,
    reconnectPeriod: 0,
    // A busy machine accepts many at once slowly.
    connectTimeout: 90_000,
    ...options,
  })
  t.after(() => client.endAsync(true))
  return client
}

suite('connections in the browser', { skip }, () => {
  test('connections are found and disconnected, with a receipt', async (t) => {
    const opened = await openAsOwner(t, 'connections')
    const { page, make, assertClean } = opened
    await page.getByRole('heading', { name: 'No connections' }).waitFor()
    const clients: MqttClient[] = []
    for (const name of ['lamp-1', 'lamp-2', 'lamp-3']) {
      const device = await make('devices', { device_key: name })
      clients.push(await connected(t, opened, device.mqtt_credentials as Login))
    }
    const login = await make('mqtt/principals', { name: 'dashboard' })
    const credentials = login.mqtt_credentials as Login
    clients.push(await connected(t, opened, credentials, { protocolVersion: 5 }))
    const newer = page.getByRole('button', { name: /^\d new$/ })
    const rows = page.getByRole('region', { name: 'Connections' }).getByRole('row')
    await until('four connections are shown', async () => {
      if (await newer.isVisible()) await newer.click()
      return (await rows.count()) === 5
    })
    await assertAccessible(page)

    await rows.filter({ hasText: 'lamp-1' }).getByRole('checkbox').check()
    await rows.filter({ hasText: 'lamp-2' }).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Disconnect…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 sessions and the messages').waitFor()
    await assertAccessible(page)
    const gone = clients.slice(0, 2).map(closed)
    await dialog.getByRole('button', { name: 'Disconnect 2' }).click()
    await dialog.getByText('Disconnected on 1 of 1 nodes').waitFor()
    await dialog.getByText(/after [\d,]+ ms: 2 sessions/).waitFor()
    await Promise.all(gone)
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await rows.filter({ hasText: 'lamp-1' }).waitFor({ state: 'detached' })

    const filter = page.getByRole('combobox', { name: 'Filter of connections' })
    await filter.fill('protocol = "5"')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await rows.filter({ hasText: 'lamp-3' }).waitFor({ state: 'detached' })
    await filter.fill('lamp-3')
    await page.keyboard.press('Enter')
    await page.waitForURL(/principal_id/)
    await rows.filter({ hasText: 'lamp-3' }).waitFor()
    assert.deepEqual(
      clients.map((client) => client.connected),
      [false, false, true, true],
    )
    assertClean()
  })

  test('where the filter is refused, no panel appears empty', async (t) => {
    const { page } = await openAsOwner(t, 'connections')
    const heading = page.getByRole('heading', { name: 'Open connections' })
    await heading.waitFor()
    const filter = page.getByRole('combobox', { name: 'Filter of connections' })
    // An empty list has no filter.
    await filter.waitFor({ state: 'detached' })
    await page.goto('/console/w/acme/connections?filter=colour+%3D+red')
    await page.getByText('The filter cannot be read at “colour”').waitFor()
    await filter.waitFor()
    await heading.waitFor({ state: 'detached' })
    await assertAccessible(page)
  })

  test('all connections that match are disconnected, also those that are not shown', async (t) => {
    const opened = await openAsOwner(t, 'connections')
    const { page, make, assertClean } = opened
    const device = await make('devices', { device_key: 'lamp-1' })
    const other = await connected(t, opened, device.mqtt_credentials as Login)
    const login = await make('mqtt/principals', { name: 'workers' })
    const credentials = login.mqtt_credentials as Login
    const clients = await Promise.all(
      Array.from({ length: MORE_THAN_A_PAGE }, (_, at) =>
        connected(t, opened, credentials, { clientId: `${credentials.mqtt_username}:${at}` }),
      ),
    )
    const gone = clients.map(closed)
    const filter = page.getByRole('combobox', { name: 'Filter of connections' })
    await filter.fill(credentials.mqtt_username)
    await page.keyboard.press('Enter')
    await page.waitForURL(/principal_id/)
    await page.getByText('100+', { exact: true }).waitFor()
    const region = page.getByRole('region', { name: 'Connections' })
    await region.locator('tbody').getByRole('checkbox').first().check()
    await page.getByRole('button', { name: 'Disconnect all 100+ that match…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('100+ sessions and the messages').waitFor()
    await dialog.getByRole('button', { name: 'Disconnect 100+' }).click()
    await dialog.getByText('Disconnected on 1 of 1 nodes').waitFor()
    const ended = new RegExp(`^after [\\d,]+ ms: ${MORE_THAN_A_PAGE} sessions\\.$`)
    await dialog.getByText(ended).waitFor()
    await Promise.all(gone)
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('heading', { name: 'No connection passes this filter' }).waitFor()
    assert.ok(other.connected, 'what does not match stays')
    assertClean()
  })

  test('refusals are grouped by their reason, and counts are shown over time', async (t) => {
    const opened = await openAsOwner(t, 'connections')
    const { page, make, assertClean } = opened
    const device = await make('devices', { device_key: 'lamp-4' })
    const login = device.mqtt_credentials as Login
    await assert.rejects(connected(t, opened, login, { clientId: 'esp32' }))
    const row = page.getByRole('row').filter({ hasText: 'Wrong client id' })
    await row.waitFor({ timeout: 30_000 })
    await row.getByRole('link', { name: 'lamp-4' }).first().waitFor()
    const right = `lamp-4 used the client id esp32. Use lamp-4 or ${String(device.id)}.`
    await row.getByText(right).waitFor()
    await assertAccessible(page)

    await page.setViewportSize({ width: 390, height: 700 })
    await page.goto('/console/w/acme/')
    await page.getByRole('link', { name: 'See refusals' }).click()
    const refused = page.getByRole('heading', { name: 'Refused in the last 24 hours' })
    await refused.waitFor()
    await until('the refusals are seen', async () => {
      const { y } = (await refused.boundingBox()) ?? { y: Infinity }
      return y > 0 && y < 350
    })
    await page.setViewportSize({ width: 1280, height: 800 })

    await withDatabase(opened.dataDir, async (query) => {
      await query(`INSERT INTO usage_hours
        SELECT id, date_trunc('hour', now(), 'UTC') - interval '2 hours',
               'ffffffff-ffff-ffff-ffff-ffffffffffff', 0, 0, 0, 12 FROM workspaces`)
      await query(`INSERT INTO connected_samples
        SELECT id, date_bin('5 minutes', now(), '2000-01-01Z') - interval '30 minutes', 7
        FROM workspaces`)
    })
    await page.reload()
    const chart = page.getByRole('img', { name: 'Connected devices' })
    await chart.and(page.getByLabel('by the hour: at most 12')).waitFor()
    await page.getByLabel('Time shown').selectOption('3 hours')
    await chart.and(page.getByLabel('every five minutes: at most 7')).waitFor()
    await assertAccessible(page)
    assertClean()
  })
})
