/** Pages that a role may not read, acts that it may not do: each says so, and which role may. */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Role } from '../../../src/platform/access/permissions.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { registerDevice, sendCommand } from '../../support/commands.ts'
import { newMember, startConsoleApp } from '../../support/console-people.ts'

const disabled = (page: Page, button: Locator): Locator =>
  button.and(page.locator('[aria-disabled="true"]'))

/** The text in the hint of a disabled button. */
async function assertHint(page: Page, button: Locator, why: string): Promise<void> {
  await disabled(page, button).hover()
  await page.getByText(why, { exact: true }).waitFor()
}

/** The reason reaches keys, fingers and screen readers: in a menu once for acts in a row. */
async function assertMenuSays(page: Page, why: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).focus()
  await page.keyboard.press('Enter')
  const menu = page.getByRole('menu')
  await menu.getByText(why, { exact: true }).last().waitFor()
  for (const name of ['Reset credentials…', 'Disconnect…']) {
    const item = menu.getByRole('menuitem', { name, exact: true })
    assert.equal(await item.getAttribute('aria-description'), why)
  }
  assert.equal(await menu.getByText(why, { exact: true }).count(), 1)
  await assertAccessible(page)
  await page.keyboard.press('Escape')
}

/** A dialog that an address opens says why its act cannot be done. */
async function assertRefused(page: Page, path: string, act: string, why: string): Promise<Locator> {
  await page.goto(path)
  const dialog = page.getByRole('dialog')
  await dialog.getByText(why, { exact: true }).waitFor()
  await disabled(page, dialog.getByRole('button', { name: act, exact: true })).waitFor()
  await assertAccessible(page)
  return dialog
}

/** A device with a command that waits for it, and the page of somebody who has the role. */
async function openDevice(t: TestContext, role: Role) {
  const { app, openAs } = await startConsoleApp(t)
  const device = await registerDevice(app)
  await sendCommand(app, device)
  const place = `/w/${app.seed.slug}`
  const path = `/console${place}/devices/${device.device_id}`
  const opened = await openAs(await newMember(app, role), `${place}/devices`)
  const row = opened.page.getByRole('row', { name: new RegExp(device.device_key) })
  await row.waitFor()
  return { ...opened, device, path, row, place: `/console${place}` }
}

suite('pages that are not for a role', { skip }, () => {
  test('a viewer reads which role may, and sees acts that they may not do', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const viewer = await newMember(app, 'viewer')
    const { page, assertClean } = await openAs(viewer, `/w/${app.seed.slug}/audit`)
    for (const [path, title] of [
      ['audit', 'Audit log'],
      ['events', 'Events'],
      ['webhooks', 'Webhooks'],
      ['usage', 'Usage'],
      ['billing', 'Billing'],
    ] as const) {
      await page.getByRole('link', { name: title, exact: true }).click()
      await page.waitForURL(`**/${path}`)
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      await page.getByText('Your role here is viewer. Only').first().waitFor()
    }
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Domains', exact: true }).click()
    const add = page.getByRole('button', { name: 'Add domain' }).first()
    await add.and(page.locator('[aria-disabled="true"]')).waitFor()
    await page.getByRole('link', { name: 'Import and export', exact: true }).click()
    await page.locator('input[type=file]').setInputFiles({
      name: 'lamps.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('device_key\nlamp-1\n'),
    })
    const trial = page.getByRole('button', { name: 'Try it' })
    await trial.and(page.locator('[aria-disabled="true"]')).waitFor()
    await assertAccessible(page)
    assertClean()
  })

  test('a viewer reads at each act on a device that members may do it', async (t) => {
    const { page, path, assertClean } = await openDevice(t, 'viewer')
    const why = 'Your role here is viewer. Only owners, admins and members may do this.'
    await page.goto(`${path}?tab=commands`)
    const row = page.getByRole('row', { name: /reboot/ })
    const cancel = row.getByRole('button', { name: 'Cancel' })
    await assertHint(page, cancel, why)
    assert.equal(await cancel.getAttribute('aria-description'), why)
    await assertAccessible(page)
    await assertMenuSays(page, why)
    // Keys show it as well.
    await page.getByText(why, { exact: true }).waitFor({ state: 'detached' })
    await cancel.focus()
    await page.getByText(why, { exact: true }).waitFor()
    // The palette and links open these dialogs for everyone.
    await assertRefused(page, `${path}?act=suspend`, 'Suspend', why)
    await assertRefused(page, `${path}?act=rotate`, 'Rotate', why)
    assertClean()
  })

  test('a member reads that admins may decommission, also many devices', async (t) => {
    const { page, device, path, row, assertClean } = await openDevice(t, 'member')
    const why = 'Your role here is member. Only owners and admins may do this.'
    const dialog = page.getByRole('dialog')
    await row.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Change…' }).click()
    await dialog.getByText(`Decommission: ${why}`).waitFor()
    const off = dialog.getByLabel('What to do').locator('option:disabled')
    assert.deepEqual(await off.allTextContents(), ['Decommission'])
    await assertAccessible(page)
    const opened = await assertRefused(page, `${path}?act=decommission`, 'Decommission', why)
    // The missing text is not the text to type.
    await opened.getByLabel(`Type ${device.device_key} to confirm`).fill(device.device_key)
    await disabled(page, opened.getByRole('button', { name: 'Decommission' })).waitFor()
    assertClean()
  })

  test('an admin reads that an owner may delete the workspace', async (t) => {
    const { page, place, path, device, assertClean } = await openDevice(t, 'admin')
    await page.goto(`${place}/settings`)
    const why = 'Your role here is admin. Only owners may do this.'
    await assertHint(page, page.getByRole('button', { name: 'Delete the workspace…' }), why)
    // The operations that the other roles are refused.
    await page.goto(`${path}?act=decommission`)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(`Type ${device.device_key} to confirm`).fill(device.device_key)
    await dialog.getByRole('button', { name: 'Decommission' }).click()
    await page.getByRole('dialog', { name: 'Receipt' }).waitFor()
    assertClean()
  })
})
