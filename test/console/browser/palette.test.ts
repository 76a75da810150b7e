/** The palette finds what people type, and acts; keys without a modifier can be switched off. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'

test('the palette jumps to things and asks for acts', { skip }, async (t) => {
  const { page, make, assertClean } = await openAsOwner(t, '')
  await make('devices', { device_key: 'TH2-84213', name: 'Hall, north' })
  await make('api-keys', { key_kind: 'provision', name: 'Line 4' })
  const field = page.getByRole('combobox')
  const option = (name: string) => page.getByRole('option', { name })
  const open = async (text: string): Promise<void> => {
    await page.keyboard.press('Control+k')
    await field.fill(text)
  }
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await open('84213')
  await option('TH2-84213').waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Hall, north' }).waitFor()

  await open('line')
  await option('Line 4').click()
  await page.getByRole('heading', { name: 'Line 4' }).waitFor()

  await open('create key')
  await option('Create key').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Create an API key' }).waitFor()
  await page.keyboard.press('Escape')

  // It asks before it acts.
  await open('suspend TH2')
  await option('Suspend TH2-84213…').click()
  await page.getByRole('dialog').getByText('Suspend TH2-84213?').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('dialog', { name: 'Receipt' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Resume' }).waitFor()

  await open('theme: dark')
  await option('Theme: dark').waitFor()
  await page.keyboard.press('Enter')
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.getByRole('heading', { name: 'People' }).waitFor()
  assertClean()
})

test('keys without a modifier can be switched off, and stay so', { skip }, async (t) => {
  const { page, assertClean } = await openAsOwner(t, '')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog')
  await assertAccessible(page)
  await dialog.getByLabel('Keys without Ctrl do something').uncheck()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await page.keyboard.press('?')
  assert.equal(await dialog.count(), 0)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('Control+k')
  await dialog.getByRole('combobox').waitFor()
  assertClean()
})
