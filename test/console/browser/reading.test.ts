/** What pages say while they read, where they cannot, and where there is nothing to read yet. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { failure } from '../../support/console-walk.ts'

suite('what a page reads', { skip }, () => {
  test('cannot be selected before it is there', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'keys')
    for (const device_key of ['lamp-1', 'lamp-2']) await make('devices', { device_key })
    let answer = (): void => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(/\/devices\?limit=/, async (route) => {
      await held
      await route.continue()
    })
    await page.goto('/console/w/acme/devices')
    const all = page.getByRole('checkbox', { name: 'Select all rows that are shown' })
    await all.waitFor()
    assert.ok(await all.isDisabled())
    assert.equal(await all.getAttribute('title'), 'The rows are still being read.')
    answer()
    await page.getByRole('cell', { name: 'lamp-1' }).waitFor()
    await all.check()
    await page.getByText('2 selected').waitFor()
    assertClean()
  })

  test('is named where it cannot be read', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'keys')
    await make('devices', { device_key: 'lamp-1' })
    const fail = (which: RegExp): Promise<unknown> =>
      page.route(which, (route) => route.fulfill(failure))
    await fail(/\/connections(\?|\/)/)
    await fail(/\/device-templates\?/)
    await page.goto('/console/w/acme/connections')
    for (const what of ['Connected devices', 'Connections']) {
      await page.getByText(`${what} could not be read`, { exact: true }).waitFor()
    }
    await page.goto('/console/w/acme/devices/new')
    await page.getByText('Templates could not be read', { exact: true }).waitFor()
    assertClean()
  })

  test('is not changed by a choice that could not be read', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'keys')
    await make('devices', { device_key: 'lamp-1' })
    await page.route(/\/device-templates\?|\/devices\/count/, (route) => route.fulfill(failure))
    await page.goto('/console/w/acme/devices')
    await page.getByRole('checkbox', { name: /^Select all rows/ }).check()
    await page.getByRole('button', { name: 'Change…' }).click()
    await page.getByLabel('What to do').selectOption('Move to a template')
    await page.getByText('Templates could not be read', { exact: true }).waitFor()
    const start = page.getByRole('button', { name: 'Start' })
    assert.equal(await start.getAttribute('aria-disabled'), 'true')
    await page.goto('/console/w/acme/settings')
    await page.getByText('It cannot be changed now').waitFor()
    assert.equal(await page.getByLabel('Slug').getAttribute('readonly'), '')
    assertClean()
  })

  test('keeps its place where the workspaces cannot be read', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'keys')
    await page.route(/\/api\/v1\/workspaces\?/, (route) => route.fulfill(failure))
    await page.goto('/console/w/acme/devices')
    await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
    await page.getByText('Your workspaces could not be read', { exact: true }).waitFor()
    assert.equal(await page.title(), 'Devices · Mooring')
    const link = page.getByRole('navigation').getByRole('link', { name: 'Devices', exact: true })
    assert.equal(await link.getAttribute('aria-current'), 'page')
    assertClean()
  })

  test('is nothing for a job, without a device', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'jobs')
    await page.getByText('This workspace has no device yet').waitFor()
    await page.getByRole('link', { name: 'Connect a device' }).click()
    await page.waitForURL(/devices\/new$/)
    await make('devices', { device_key: 'lamp-1' })
    await page.goto('/console/w/acme/jobs')
    await page.getByRole('link', { name: 'Choose devices' }).waitFor()
    assertClean()
  })
})
