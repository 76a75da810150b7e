/** Why a device is refused: its page and the wizard say so in words, with what to do. */
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { CreatedDevice } from '../../../sdk/schema.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner, type OwnerPage } from '../../support/console-page.ts'
import { connectDevice, type DeviceLogin, tryConnect } from '../../support/mqtt.ts'
import { examplePlans, plansFile } from '../../support/plans.ts'

/** Plans whose free one lets one device connect. */
function tinyPlans(): string {
  const file = examplePlans()
  for (const plan of file.plans) plan.limits.connected_devices = 1
  return plansFile(file)
}

async function newDevice(
  { make }: OwnerPage,
  device_key: string,
): Promise<DeviceLogin & { id: string }> {
  const made = (await make('devices', { device_key })) as unknown as CreatedDevice
  const { mqtt_password, mqtt_port } = made.mqtt_credentials
  return { id: made.id, device_id: made.id, mqtt_password, mqtt_port }
}

/** The regions read aloud as soon as they change. */
const announced = (page: Page, text: string): Promise<void> =>
  page.locator('[aria-live]').filter({ hasText: text }).waitFor()

suite('refusals in the browser', { skip }, () => {
  test('each refusal is explained on the page of the device', async (t) => {
    const opened = await openAsOwner(t, 'devices', { MOORING_PLANS_FILE: tinyPlans() })
    const { page, make, assertClean } = opened
    const device = await newDevice(opened, 'lamp-1')
    await page.goto(`/console/w/acme/devices/${device.id}`)
    await announced(page, 'It has never tried to connect.')

    await tryConnect(t, device, { clientId: 'esp32' })
    await announced(page, 'Its last attempt was refused: wrong client id.')
    await announced(page, 'It used “esp32”. Use “lamp-1” or')
    await assertAccessible(page)

    await tryConnect(t, { ...device, mqtt_password: 'mqp_wrong' })
    await announced(page, 'Its last attempt was refused: wrong password.')
    await announced(page, 'Reset its credentials')
    await assertAccessible(page)

    const other = await newDevice(opened, 'lamp-2')
    const client = await connectDevice(t, other)
    await tryConnect(t, device)
    await announced(page, 'Its last attempt was refused: plan is full.')
    await announced(page, 'Disconnect others, or let an owner choose a larger plan')
    await assertAccessible(page)
    await client.endAsync(true)

    await make(`devices/${device.id}/suspend`, {})
    await tryConnect(t, device)
    await announced(page, 'It is suspended, so it is refused.')
    await announced(page, 'Resume it to let it connect.')
    await assertAccessible(page)
    await page.goto(`/console/w/acme/devices/${device.id}?tab=connections`)
    for (const words of ['Wrong client id', 'Wrong password', 'Plan is full', 'Suspended']) {
      await page.getByRole('cell', { name: words }).waitFor()
    }
    await tryConnect(t, other, { clientId: 'esp32' })
    await tryConnect(t, other, { clientId: 'esp33' })
    for (let session = 0; session < 6; session += 1) await connectDevice(t, other)
    await page.goto(`/console/w/acme/devices/${other.id}?tab=connections`)
    await page.getByRole('cell', { name: 'Wrong client id ×2' }).waitFor()
    await page.getByRole('cell', { name: 'It used “esp33” the last time.' }).waitFor()
    await page.getByRole('cell', { name: 'last as esp33' }).waitFor()
    await page.getByRole('cell', { name: 'Connected and replaced 5 times' }).waitFor()
    await assertAccessible(page)
    assertClean()
  })

  test('the wizard reads aloud why the device is refused, and when that changes', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'devices/new')
    await page.getByLabel('Key').fill('lamp-3')
    await page.getByRole('button', { name: 'Create device' }).click()
    const secretOf = (name: string): Promise<string> =>
      page.getByLabel(name, { exact: true }).innerText()
    const login = {
      device_id: await secretOf('MQTT_USERNAME'),
      mqtt_password: await secretOf('MQTT_PASSWORD'),
      mqtt_port: Number(new URL(await secretOf('MQTT_URL')).port),
    }
    await page.getByLabel('I have stored them').check()
    await page.getByRole('button', { name: 'Show me code' }).click()
    await announced(page, 'Waiting for lamp-3 to connect')
    await tryConnect(t, login, { clientId: 'esp32' })
    await announced(page, 'Refused: wrong client id')
    await announced(page, 'It used “esp32”')
    await assertAccessible(page)
    await tryConnect(t, { ...login, mqtt_password: 'mqp_wrong' })
    await announced(page, 'Refused: wrong password')
    await connectDevice(t, login)
    await announced(page, 'lamp-3 has connected.')
    assertClean()
  })
})
