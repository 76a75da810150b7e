/** The story of one device, as its owner and a viewer read it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CreatedDevice } from '../../../sdk/schema.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { connectDevice, tryConnect } from '../../support/mqtt.ts'

test('the timeline shows the history, in sentences, live, and by kind', { skip }, async (t) => {
  const { page, make, assertClean } = await openAsOwner(t, 'devices')
  const device = (await make('devices', {
    device_key: 'lamp-1',
    name: 'Hall, north',
  })) as unknown as CreatedDevice
  const login = {
    device_id: device.id,
    mqtt_password: device.mqtt_credentials.mqtt_password,
    mqtt_port: device.mqtt_credentials.mqtt_port,
  }
  await page.goto(`/console/w/acme/devices/${device.id}?tab=timeline`)
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByText('Registered').waitFor()
  await assertAccessible(page)

  // A new event appears by itself.
  await tryConnect(t, login, { clientId: 'esp32' })
  await timeline.getByText('Refused: wrong client id').waitFor()
  await connectDevice(t, login)
  await timeline.getByText('First connection').waitFor()
  await make(`devices/${device.id}/notes`, { text: 'Water in the housing' })
  await timeline.getByText('Water in the housing').waitFor()
  await make(`devices/${device.id}/suspend`, {})
  await timeline.getByText('Suspended', { exact: true }).waitFor()
  await timeline.getByText(/^Duration: .+, then .+\.$/).waitFor()
  await assertAccessible(page)

  // The kinds are in the address: a colleague sees the same.
  await page.getByRole('button', { name: 'Notes' }).click()
  await timeline.getByText('Suspended', { exact: true }).waitFor({ state: 'detached' })
  await page.reload()
  await timeline.getByText('Water in the housing').waitFor()
  assert.equal(await timeline.getByRole('listitem').count(), 1)
  assert.equal(
    await page.getByRole('link', { name: 'Timeline' }).getAttribute('aria-current'),
    'page',
  )
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await timeline.getByRole('link', { name: 'Refused: wrong client id' }).click()
  await page.getByRole('cell', { name: 'Wrong client id' }).waitFor()
  assertClean()
})

test('two programs with one client id are named as what they are', { skip }, async (t) => {
  const { page, make, assertClean } = await openAsOwner(t, 'devices')
  const { id, mqtt_credentials } = (await make('devices', {
    device_key: 'lamp-1',
  })) as unknown as CreatedDevice
  const login = { device_id: id, ...mqtt_credentials }
  for (let each = 0; each < 7; each += 1) {
    await connectDevice(t, login, { clientId: 'lamp-1', reconnectPeriod: 0 })
  }
  await page.goto(`/console/w/acme/devices/${id}`)
  await page.getByText(/^Replaced 6 times within \d+ s: two programs seem to use/).waitFor()
  await page
    .getByText('Stop one of them, or let it connect as “lamp-1:2”.', { exact: true })
    .waitFor()
  // Nothing happens any more: the page notices by itself.
  const over = /^It is connected\. Until .+, two programs with its client id replaced each other 6/
  await page.getByText(over).waitFor()
  await page.getByRole('link', { name: 'Timeline' }).click()
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByText('Connected and replaced 6 times').waitFor()
  await assertAccessible(page)
  assertClean()
})
