/** Pages that a role may not read: each says so, and which role may. */
import { suite, test } from 'node:test'
import { assertAccessible, skip } from '../../support/browser.ts'
import { newMember, startConsoleApp } from '../../support/console-people.ts'

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
})
