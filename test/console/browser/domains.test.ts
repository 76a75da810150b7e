/** Domains in the browser: the record to create, the proof, and a certificate that is ordered. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { type NameServer, startNameServer } from '../../support/name-server.ts'
import { startPebble, withoutPebble } from '../../support/pebble.ts'

const NAME = 'devices.example.com'

/** Adds the domain, and creates the record that its page shows. */
async function addAndVerify(page: Page, { zones }: NameServer): Promise<void> {
  await page.getByRole('button', { name: 'Add domain' }).first().click()
  const dialog = page.getByRole('dialog')
  const name = dialog.getByRole('textbox', { name: 'Name' })
  await name.fill('co.uk')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText('Check what is marked.').waitFor()
  await name.fill(NAME)
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('heading', { name: NAME }).waitFor()
  const proof = await page.getByLabel('Name of the record').first().textContent()
  const value = (await page.getByLabel('Value of the record').first().textContent()) ?? ''
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText('The name servers have no such record').waitFor()
  // Where the name itself has to lead, as a record of its own.
  await page.getByLabel('Value of the record').getByText('127.0.0.1', { exact: true }).waitFor()
  await page.getByText('Clients that use the name reach the service once this record').waitFor()
  const unchecked = page.locator('dl').filter({ hasText: /DNS checkednot yet/ })
  assert.equal(await unchecked.count(), 0)
  await assertAccessible(page)
  zones.set(proof ?? '', { txt: ['another', value] })
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText('The record was there').waitFor()
}

suite('domains in the browser', { skip }, () => {
  test('a domain is verified once its record is in the DNS', async (t) => {
    const names = await startNameServer(t)
    const environment = { MOORING_DNS_SERVERS: names.address }
    const { page, assertClean } = await openAsOwner(t, 'domains', environment)
    await page.getByRole('heading', { name: 'No domains yet' }).waitFor()
    await addAndVerify(page, names)
    await page.getByRole('heading', { name: 'No certificate yet' }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Upload your own…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Certificate and its chain').fill('none')
    await dialog.getByLabel('Private key').fill('none')
    await dialog.getByRole('button', { name: 'Upload' }).click()
    await dialog.getByText('Check what is marked.').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await dialog.getByLabel(`Type ${NAME} to confirm`).fill(NAME)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'No domains yet' }).waitFor()
    assertClean()
  })

  test('a certificate is ordered, proved by a record, and issued, on the page', {
    skip: withoutPebble,
  }, async (t) => {
    const names = await startNameServer(t)
    const pebble = await startPebble(t, { nameServer: names.address })
    const environment = { ...pebble.environment, MOORING_DNS_SERVERS: names.address }
    const { page, assertClean } = await openAsOwner(t, 'domains', environment)
    await addAndVerify(page, names)
    await page.getByRole('button', { name: 'Get a certificate…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('By DNS').check()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Get it' }).click()
    await page.getByText('waits for your record').waitFor({ timeout: 60_000 })
    const record = page.getByLabel('Name of the record').last()
    const value = page.getByLabel('Value of the record').last()
    names.zones.set((await record.textContent()) ?? '', {
      txt: [(await value.textContent()) ?? ''],
    })
    await assertAccessible(page)
    await page.getByRole('button', { name: 'The record is there' }).click()
    await page.getByText('an authority, by ACME').waitFor({ timeout: 60_000 })
    await page.getByText('Pebble Intermediate').first().waitFor()
    await assertAccessible(page)
    assertClean()
  })
})
