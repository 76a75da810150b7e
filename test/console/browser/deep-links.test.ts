/** Links to what a page shows: the address alone says it, for everybody. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { skip } from '../../support/browser.ts'
import { openAsOwner, type OwnerPage } from '../../support/console-page.ts'

/** Opens the present address again, as somebody does who was sent it. */
const openAgain = async (page: Page): Promise<void> => {
  const address = page.url()
  await page.goto('/console/workspaces')
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
  await page.goto(address)
}

/** Closes a dialog, which is then no longer in the address. */
async function closeDialog(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Escape')
  await page.waitForURL((url) => !url.searchParams.has(name))
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** More than the page of a list: earlier rows are older than all that it shows. */
async function pushOut(send: OwnerPage['send']): Promise<void> {
  const rows = Array.from({ length: 110 }, (_, at) => `{"device_key":"later-${at}"}\n`)
  await send('devices/import', rows.join(''))
}

suite('addresses of what a page shows', { skip }, () => {
  test('the columns of the list are in its address, whatever its reader prefers', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    await make('devices', { device_key: 'lamp-1', hardware_id: 'hw-1' })
    await page.reload()
    const prefer = (columns: string): Promise<unknown> =>
      page.evaluate(`localStorage.setItem('mooring-device-columns', '${columns}')`)
    const heading = page.getByRole('columnheader', { name: 'Hardware id' })
    await page.getByRole('button', { name: 'Columns' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: 'Hardware id' }).click()
    await dialog.getByRole('button', { name: 'Show these' }).click()
    await heading.waitFor()
    await page.waitForURL(/columns=.*hardware_id/)
    await prefer('device_key,name')
    await openAgain(page)
    await heading.waitFor()
    // A preference applies to an address that says nothing else, and is then in it.
    const main = page.getByRole('navigation', { name: 'Main' })
    await main.getByRole('link', { name: 'Devices', exact: true }).click()
    await page.waitForURL((url) => url.searchParams.get('columns') === 'device_key,name')
    await heading.waitFor({ state: 'detached' })
    const filter = page.getByRole('combobox', { name: 'Filter of devices' })
    await filter.fill('device_key = "lamp*"')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.waitForURL(/filter=/)
    await prefer('device_key,hardware_id')
    await openAgain(page)
    await page.getByRole('cell', { name: 'lamp-1' }).waitFor()
    assert.equal(await heading.count(), 0)
    assertClean()
  })

  test('an entry of the audit log has an address, also one that is not in its list', async (t) => {
    const { page, make, change, send, assertClean } = await openAsOwner(t, 'audit')
    const device = await make('devices', { device_key: 'lamp-1', name: 'Hall' })
    await change(`devices/${String(device.id)}`, { name: 'Kitchen' })
    const row = page.getByRole('row').filter({ hasText: 'Device updated' })
    await row.getByRole('button', { name: /^Show entry/ }).click()
    const changed = page.getByRole('dialog').getByLabel('Changes').getByText('"name": "Kitchen"')
    await changed.waitFor()
    await page.waitForURL(/entry=aud_/)
    await pushOut(send)
    await openAgain(page)
    await changed.waitFor()
    const updated = page.locator('tbody tr').filter({ hasText: 'Device updated' })
    assert.equal(await updated.count(), 0)
    const address = new URL(page.url())
    address.searchParams.set('filter', 'action = "device.registered"')
    await page.goto(address.href)
    await changed.waitFor()
    assert.equal(await updated.count(), 0)
    await closeDialog(page, 'entry')
    address.searchParams.set('at', '2026-01-01T00:00:00.000Z')
    await page.goto(address.href)
    await page.getByRole('dialog', { name: 'There is no such entry' }).waitFor()
    await closeDialog(page, 'entry')
    assertClean()
  })

  test('an event has an address', async (t) => {
    const { page, make, send, assertClean } = await openAsOwner(t, 'events')
    await make('devices', { device_key: 'lamp-1', name: 'Hall' })
    await page.getByRole('button', { name: /^Show device\.registered/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Device registered' })
    await dialog.waitFor()
    await page.waitForURL(/event=evt_/)
    await pushOut(send)
    await openAgain(page)
    await dialog.waitFor()
    await closeDialog(page, 'event')
    await page.goto('/console/w/acme/events?event=evt_01jd0000000000000000000000')
    await page.getByText('The linked event is not in this list').waitFor()
    assertClean()
  })

  test('a version of a template has an address', async (t) => {
    const { page, make, change, assertClean } = await openAsOwner(t, '')
    const body = { model_key: 'lamp', name: 'Lamp', serial_format: 'L-%#f' }
    const { id } = await make('device-templates', body)
    await change(`device-templates/${String(id)}`, { name: 'Lamp of the hall' })
    await page.goto(`/console/w/acme/templates/${String(id)}?tab=versions`)
    await page.getByRole('button', { name: 'Compare' }).click()
    const dialog = page.getByRole('dialog', { name: 'From now to version 1' })
    await dialog.waitFor()
    await page.waitForURL(/[?&]version=1(&|$)/)
    await openAgain(page)
    await dialog.getByText('"name": "Lamp of the hall"').waitFor()
    await closeDialog(page, 'version')
    assertClean()
  })

  test("a version of a device's configuration has an address, and a version that is not kept is named", async (t) => {
    const { page, make, change, assertClean } = await openAsOwner(t, '')
    const { id } = await make('devices', { device_key: 'lamp-1' })
    for (const interval_s of [60, 90]) {
      await change(`devices/${String(id)}/config`, { config: { interval_s } })
    }
    const tab = `/console/w/acme/devices/${String(id)}?tab=config`
    await page.goto(tab)
    await page.getByRole('button', { name: 'Compare' }).first().click()
    const dialog = page.getByRole('dialog', { name: /^Back to version/ })
    await dialog.getByText('"interval_s": 60').waitFor()
    await page.waitForURL(/[?&]version=\d+(&|$)/)
    await openAgain(page)
    await dialog.getByText('"interval_s": 60').waitFor()
    await closeDialog(page, 'version')
    await page.goto(`${tab}&version=99`)
    await page.getByText('Version 99 is not kept').waitFor()
    assertClean()
  })
})
