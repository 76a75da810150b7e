/** A rotation campaign in the browser: started, paused, resumed, and ended by its devices. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'

suite('rotation campaigns in the browser', { skip }, () => {
  test('a campaign says how many devices it asks, and can be paused, resumed and cancelled', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'rotations')
    for (const device_key of ['lamp-1', 'lamp-2', 'th-1']) await make('devices', { device_key })
    await page.getByRole('heading', { name: 'No campaigns yet' }).waitFor()
    await page.getByRole('button', { name: 'Start a campaign' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('3 devices will be asked').waitFor()
    await dialog.getByLabel('Filter of devices').fill('device_key = "lamp-*"')
    await dialog.getByText('2 devices will be asked').waitFor()
    await dialog.getByLabel('Devices in a wave').fill('50')
    await dialog.getByLabel('Halts above').fill('200')
    await dialog.getByRole('button', { name: 'Start' }).click()
    await dialog.getByText('Check what is marked.').waitFor()
    await assertAccessible(page)
    await dialog.getByLabel('Halts above').fill('10')
    await dialog.getByRole('button', { name: 'Start' }).click()
    await page.getByText('running').waitFor()
    const asked = page.getByRole('row').filter({ hasText: 'waiting' })
    await asked.waitFor({ timeout: 30_000 })
    assert.equal(await asked.count(), 1)
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('paused').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('running').waitFor()
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await dialog.getByRole('button', { name: 'Cancel the campaign' }).click()
    await page.getByText('cancelled').waitFor()
    await page.getByRole('link', { name: 'Rotations' }).last().click()
    await page.getByRole('link', { name: 'device_key = "lamp-*"' }).waitFor()
    await assertAccessible(page)
    assertClean()
  })
})
