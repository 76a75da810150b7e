/** Unsaved changes are not lost by a click, in the browser. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'

suite('unsaved changes in the browser', { skip }, () => {
  test('a page and a tab with unsaved changes ask before they are left', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    const device = await make('devices', { device_key: 'lamp-1', name: 'Lamp' })
    await page.goto(`/console/w/acme/devices/${String(device.id)}?tab=config`)
    const editor = page.getByLabel('Values that differ from the template')
    await editor.fill('{"interval_s": 30}')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    for (const link of ['Commands', 'Overview']) {
      await page.getByRole('link', { name: link, exact: true }).click()
      await question.waitFor()
      await assertAccessible(page)
      await question.getByRole('button', { name: 'Stay here' }).click()
      await question.waitFor({ state: 'detached' })
      assert.equal(await editor.inputValue(), '{"interval_s": 30}')
    }
    await page.getByRole('link', { name: 'Commands', exact: true }).click()
    await question.getByRole('button', { name: 'Leave this page' }).click()
    await page.getByRole('heading', { name: 'Send a command' }).waitFor()
    await page.getByRole('link', { name: 'Configuration', exact: true }).click()
    assert.equal(await editor.inputValue(), '{}')
    // A saved form is left without a question.
    await editor.fill('{"interval_s": 60}')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Configuration published').first().waitFor()
    await page.getByRole('link', { name: 'Commands', exact: true }).click()
    await page.getByRole('heading', { name: 'Send a command' }).waitFor()
    assertClean()
  })

  test('the wizard asks before credentials are left that nobody has stored', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'devices/new')
    await page.getByLabel('Device key').fill('lamp-1')
    await page.getByRole('button', { name: 'Create device' }).click()
    await page.getByRole('heading', { name: 'Credentials of lamp-1' }).waitFor()
    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Leave without the credentials?' })
    await assertAccessible(page)
    await question.getByRole('button', { name: 'Stay here' }).click()
    await page.getByLabel('I have stored them').check()
    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assertClean()
  })
})
