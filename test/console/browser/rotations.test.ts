/** A rotation campaign in the browser: started, paused, resumed, and ended by its devices. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner, type OwnerPage } from '../../support/console-page.ts'

/** The first device cannot rotate, which halts the campaign; resumed, it asks the second one. */
async function haltAndResume(page: Page, make: OwnerPage['make']): Promise<void> {
  const gone = await make('devices', { device_key: 'gone-1' })
  await make(`devices/${String(gone.id)}/decommission`, {})
  const next = await make('devices', { device_key: 'next-1' })
  const campaign = await make('rotation-campaigns', {
    device_ids: [gone.id, next.id],
    wave_size: 1,
    pause_s: 0,
    max_failure_rate: 0.1,
  })
  await page.goto(`/console/w/acme/rotations/${String(campaign.id)}`)
  await page.getByText('Halted: 100 % of the devices have failed').waitFor({ timeout: 60_000 })
  await page.getByText('The limit is 10 %.').waitFor()
  await page.getByText('its status did not allow it').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText(/^Halted: /).waitFor({ state: 'detached' })
  await page.getByRole('row').filter({ hasText: 'next-1' }).getByText('waiting').waitFor()
}

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
    await haltAndResume(page, make)
    assertClean()
  })
})
