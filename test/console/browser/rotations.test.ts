/** A rotation campaign in the browser: started, paused, resumed, and ended by its devices. */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { MqttClient } from 'mqtt'
import type { CreatedDevice, ProvisionedDevice } from '../../../sdk/schema.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner, type OwnerPage } from '../../support/console-page.ts'
import { withDatabase } from '../../support/invoiced-workspaces.ts'
import { closed, connectDevice } from '../../support/mqtt.ts'

const connected = (t: TestContext, { id, mqtt_credentials }: CreatedDevice) => {
  const { mqtt_password, mqtt_port } = mqtt_credentials
  return connectDevice(t, { device_id: id, mqtt_password, mqtt_port })
}

/** As firmware does: when the command comes, it fetches new credentials and connects with them. */
async function rotatesWhenAsked(t: TestContext, { call }: OwnerPage, made: CreatedDevice) {
  const topic = `acme/${made.device_key}`
  const old = await connected(t, made)
  await old.subscribeAsync(`${topic}/cmd`, { qos: 1 })
  const rotate = async (message: Buffer): Promise<MqttClient> => {
    const { id, name } = JSON.parse(String(message)) as { id: string; name: string }
    assert.equal(name, 'rotate_credentials')
    await old.publishAsync(`${topic}/ack`, JSON.stringify({ id, ok: true }), { qos: 1 })
    const headers = { authorization: `Bearer ${made.device_http_token}` }
    const fetched = await call('POST', '/devices/auth/credentials/rotate', { headers })
    assert.equal(fetched.status, 200, fetched.text)
    const next = await connectDevice(t, fetched.body as ProvisionedDevice)
    await closed(old)
    return next
  }
  const asked = new Promise<Buffer>((resolve) => {
    old.once('message', (_topic, message) => resolve(message))
  })
  return { rotated: asked.then(rotate) }
}

/** For those that were asked and are online, the time to rotate is over. */
const letTimePass = (dataDir: string) =>
  withDatabase(dataDir, (query) =>
    query(`UPDATE rotation_campaign_devices
           SET asked_at = asked_at - interval '2 hours', online_at = online_at - interval '2 hours'
           WHERE status IN ('waiting', 'notified')`),
  )

/**
 * In the first wave one device rotates and one that is online does not, which halts the campaign;
 * resumed, it asks the third, which rotates.
 */
async function rotateInWaves(t: TestContext, opened: OwnerPage): Promise<void> {
  const { page, make, dataDir } = opened
  // The service looks at campaigns every few seconds, and the page at the service.
  page.setDefaultTimeout(60_000)
  const device = async (device_key: string): Promise<CreatedDevice> =>
    (await make('devices', { device_key })) as unknown as CreatedDevice
  const first = await rotatesWhenAsked(t, opened, await device('rot-first'))
  const deaf = await connected(t, await device('rot-deaf'))
  const second = await rotatesWhenAsked(t, opened, await device('rot-second'))
  await page.getByRole('button', { name: 'Start a rotation' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Filter of devices').fill('device_key = "rot-*"')
  await dialog.getByLabel('Wave size').fill('50')
  await dialog.getByLabel('Minutes between waves').fill('0')
  await dialog.getByLabel('Halts when').fill('40')
  await dialog.getByText('3 devices will be asked').waitFor()
  await dialog.getByRole('button', { name: 'Start' }).click()

  const says = (key: string, status: string): Promise<void> =>
    page.getByRole('row').filter({ hasText: key }).getByText(status, { exact: true }).waitFor()
  const counts = (label: string, count: number): Promise<void> =>
    page
      .locator('main div')
      .filter({ hasText: new RegExp(`^${label}${count}$`) })
      .waitFor()
  const renewed = await first.rotated
  await says('rot-first', 'Confirmed')
  await says('rot-deaf', 'Asked, has the command')
  await page.getByText(/^counts as failed unless it uses a new password by .*:/).waitFor()
  await counts('Confirmed', 1)
  await letTimePass(dataDir)
  await page.getByText('Halted: too many of the devices have failed').waitFor()
  await page.getByText('The limit is 40%.').waitFor()
  await page.getByText('it did not use a new password in time').waitFor()
  await says('rot-deaf', 'Failed')
  await says('rot-second', 'Not asked yet')
  await counts('Failed', 1)
  await page.getByRole('link', { name: 'Failed (1)', exact: true }).waitFor()
  await assertAccessible(page)

  await page.getByText('Resumed, it continues with wave 2 of 2').waitFor()
  await page.getByRole('button', { name: 'Resume…' }).click()
  await dialog.getByText('Wave 2 of 2 is next.').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Resume the rotation' }).click()
  await page.getByText(/^Halted: /).waitFor({ state: 'detached' })
  await second.rotated
  await says('rot-second', 'Confirmed')
  await page.getByText('completed, 1 failed', { exact: true }).waitFor()
  await counts('Confirmed', 2)
  assert.ok(renewed.connected && deaf.connected, 'nobody is locked out')
}

/** The only wave halts it, with a device that stays offline: its end is offered, and a new one. */
async function endAfterLastWave(t: TestContext, opened: OwnerPage): Promise<void> {
  const { page, make, dataDir } = opened
  const made = (await make('devices', { device_key: 'last-1' })) as unknown as CreatedDevice
  await make('devices', { device_key: 'last-2' })
  await connected(t, made)
  const campaign = await make('rotation-campaigns', {
    filter: 'device_key = "last-*"',
    wave_size: 2,
    max_failure_rate: 0.1,
  })
  await page.goto(`/console/w/acme/rotations/${String(campaign.id)}`)
  await page
    .getByRole('row', { name: /last-1/ })
    .getByText('Asked, has the command')
    .waitFor()
  const device = `/console/w/acme/devices/${made.id}`
  await page.goto(device)
  await page.getByText('It counts as failed unless it uses a new password by').waitFor()
  await letTimePass(dataDir)
  await page.getByText('It counts as failed, since it did not use').waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: /^Rotation of device_key/ }).click()
  await page.getByText('it is completed with 1 of 2 devices failed').waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Show those that failed' }).click()
  assert.equal(await page.getByRole('button', { name: 'Resume' }).count(), 0)
  await page.getByRole('button', { name: 'Finish…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Its last wave is over').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Finish the rotation' }).click()
  await page.getByText('completed, 1 failed', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Ask the failed again…' }).click()
  await dialog.getByText('1 device that failed is asked in a new rotation').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Start a rotation' }).click()
  await page.getByRole('heading', { name: 'Rotation of 1 device' }).waitFor()
  await page
    .getByRole('row', { name: /last-1/ })
    .getByText('Asked, has the command')
    .waitFor()
}

suite('rotation campaigns in the browser', { skip }, () => {
  test('a campaign is started, paused and cancelled; another halts in its waves, and is resumed', async (t) => {
    const opened = await openAsOwner(t, 'rotations')
    const { page, make, assertClean } = opened
    await page.getByRole('heading', { name: 'No rotations yet' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Connect a device' }).waitFor()
    for (const device_key of ['lamp-1', 'lamp-2', 'th-1']) await make('devices', { device_key })
    await page.getByRole('button', { name: 'Start a rotation' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('All 3 devices will be asked').waitFor()
    await dialog.getByText('Devices without credentials cannot connect').waitFor()
    const filter = dialog.getByLabel('Filter of devices')
    await page.locator('[role="combobox"]:focus').waitFor()
    assert.equal(await dialog.getByRole('listbox').count(), 0, 'nothing covers the other fields')
    await page.keyboard.type('colour = red')
    await dialog.getByText('is not known: the filter cannot be read.').waitFor()
    await filter.fill('device_key = nobody')
    await dialog.getByText('No device passes this filter').waitFor()
    await filter.fill('device_key = "lamp-*"')
    await dialog.getByText('2 devices will be asked').waitFor()
    await dialog.getByLabel('Wave size').fill('50')
    await dialog.getByText('2 waves of 1 each. The pauses between them take 5 min.').waitFor()
    await dialog.getByText('A wave has 1 device: the first failure halts it.').waitFor()
    await dialog.getByLabel('Halts when').fill('200')
    await dialog.getByRole('button', { name: 'Start' }).click()
    await dialog.getByText('Check what is marked.').waitFor()
    await assertAccessible(page)
    await dialog.getByLabel('Halts when').fill('10')
    await dialog.getByRole('button', { name: 'Start' }).click()
    await page.getByText('running').waitFor()
    const asked = page.getByRole('row').filter({ hasText: 'Asked, not reached yet' })
    await asked.waitFor({ timeout: 30_000 })
    assert.equal(await asked.count(), 1)
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('paused').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('running').waitFor()
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await dialog.getByRole('button', { name: 'Cancel the rotation' }).click()
    await page.getByText('cancelled', { exact: true }).waitFor()
    await page.getByText('not asked; the rotation was cancelled').waitFor()
    await page.getByText('the rotation has ended; if it rotates later').waitFor()
    await page.getByRole('link', { name: 'Not asked (1)', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Rotations' }).last().click()
    await page.getByRole('link', { name: 'device_key = "lamp-*"' }).waitFor()
    await assertAccessible(page)
    await rotateInWaves(t, opened)
    await endAfterLastWave(t, opened)
    assertClean()
  })
})
