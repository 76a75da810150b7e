/**
 * The texts of pages while they read, where they cannot, and where there is nothing to read yet.
 */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner, OWNER } from '../../support/console-page.ts'
import { failure } from '../../support/console-walk.ts'

/** It is not there for a moment when the page reads again, as it does once its stream is open. */
async function assertSaidOnce(within: Page | Locator): Promise<void> {
  const notes = within.getByRole('alert').filter({ hasText: 'could not be read' })
  assert.ok((await notes.count()) < 2)
}

suite('reads of a page', { skip }, () => {
  test('rows cannot be selected before they are there', async (t) => {
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

  test('each part that cannot be read is named', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'keys')
    await make('devices', { device_key: 'lamp-1' })
    const fail = (which: RegExp): Promise<unknown> =>
      page.route(which, (route) => route.fulfill(failure))
    await fail(/\/connections(\?|\/)/)
    await fail(/\/device-templates\?/)
    await page.goto('/console/w/acme/connections')
    await page.getByText('Parts of this page could not be read', { exact: true }).waitFor()
    // The chart and the refusals count as well.
    await assertSaidOnce(page)
    await page.goto('/console/w/acme/devices/new')
    await page.getByText('Templates could not be read', { exact: true }).waitFor()
    await page.unrouteAll()
    await fail(/\/overview/)
    await page.goto('/console/w/acme')
    await page.getByText('The numbers could not be read', { exact: true }).waitFor()
    // The other parts are there without it.
    await page.getByRole('region', { name: 'Newest entries of the audit log' }).waitFor()
    assertClean()
  })

  test('a read is tried again by itself where the service asks to wait', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'keys')
    await make('devices', { device_key: 'lamp-1' })
    const waited = {
      status: 503,
      json: { code: 'unavailable', status: 503, title: '', detail: '' },
    }
    await page.route(/\/devices\?|\/device-templates\?/, (route) =>
      route.fulfill({ ...waited, headers: { 'retry-after': '2' } }),
    )
    await page.goto('/console/w/acme/devices')
    const note = page.getByRole('alert').filter({ hasText: 'Devices could not be read' })
    await note.getByText(/What it has saved is not lost\. It is tried again in [12] s\./).waitFor()
    // It stays until it is read: through more than the few tries that others get.
    await page.waitForTimeout(9_000)
    assert.ok(await note.isVisible())
    assert.equal(await note.getByRole('button', { name: 'Try again' }).count(), 0)
    await assertAccessible(page)
    await page.unrouteAll()
    await page.getByRole('cell', { name: 'lamp-1' }).waitFor()
    assert.ok(await note.isHidden())
    assertClean()
  })

  test('an act that needs an unread choice cannot be started', async (t) => {
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
    await page.getByText('The number of devices could not be read', { exact: true }).waitFor()
    await page.getByText(/no devices, and their number could not be read\.$/).waitFor()
    assert.equal(await page.getByLabel('Slug').getAttribute('readonly'), '')
    assertClean()
  })

  test('a view that could not be read is not left out as if there were none', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'keys')
    await make('devices', { device_key: 'lamp-1' })
    await make('views', { name: 'Lamps', filter: 'device_key = "lamp-*"', is_shared: false })
    const unread = /\/views|\/facets|\/custom-fields/
    await page.route(unread, (route) => route.fulfill(failure))
    await page.goto('/console/w/acme/devices?view=view_01jd0000000000000000000000')
    await page.getByText('The view could not be read', { exact: true }).waitFor()
    assert.equal(await page.getByRole('cell', { name: 'lamp-1' }).count(), 0)
    await page.goto('/console/w/acme/transfer')
    const file = {
      name: 'lamps.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('serial\nlamp-2\n'),
    }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('Custom fields could not be read', { exact: true }).waitFor()
    await page.goto('/console/w/acme/devices')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByText('Parts of this dialog could not be read', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Views' }).click()
    const views = page.getByRole('group', { name: 'Views could not be read' })
    await page.unroute(unread)
    await views.getByRole('menuitem', { name: 'Try again' }).click()
    await page.getByRole('menuitem', { name: 'Lamps' }).waitFor()
    assert.equal(await views.count(), 0)
    assertClean()
  })

  test('two reads that fail for one reason are reported once, and tried again at once', async (t) => {
    const { page, make, change, assertClean } = await openAsOwner(t, 'keys')
    const lamp = { model_key: 'lamp', name: 'Lamp', serial_format: 'L-%#f' }
    const { id } = await make('device-templates', lamp)
    await change(`device-templates/${String(id)}`, { name: 'Lamps' })
    // A page reads again by itself once its stream is open.
    let unread = /\/versions\/1$|\/rollback\?/
    await page.route(/\/device-templates\//, (route) =>
      unread.test(route.request().url()) ? route.fulfill(failure) : route.fallback(),
    )
    await page.goto(`/console/w/acme/templates/${String(id)}?tab=versions&version=1`)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The version could not be read', { exact: true }).waitFor()
    await assertSaidOnce(dialog)
    unread = /\/rollback\?/
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog
      .getByText('The effect of the roll-back could not be read', { exact: true })
      .waitFor()
    unread = /^$/
    // Unless the page has done it already.
    const again = dialog.getByRole('button', { name: 'Try again' })
    await again.click({ timeout: 3_000 }).catch(() => undefined)
    await dialog.getByText('0 devices have this template', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Roll back' }).click()
    await dialog.waitFor({ state: 'detached' })
    assertClean()
  })

  test('failed reads are reported once for all parts of a page, unless they differ', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'keys')
    const members = /\/members\?/
    const invitations = /\/invitations\?/
    for (const part of [members, invitations]) {
      await page.route(part, (route) => route.fulfill(failure))
    }
    await page.goto('/console/w/acme/people')
    await page.getByText('Parts of this page could not be read', { exact: true }).waitFor()
    await assertSaidOnce(page)
    const places = page.getByText('Not read: see above.', { exact: true })
    await places.nth(1).waitFor()
    await assertAccessible(page)
    await page.unroute(invitations)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Members could not be read', { exact: true }).waitFor()
    await page.getByText('Nobody is invited', { exact: true }).waitFor()
    await page.unroute(members)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('cell', { name: OWNER.email }).waitFor()
    await page.route(members, (route) => route.fulfill(failure))
    const full = { ...JSON.parse(failure.body), code: 'limit_reached', detail: 'There are many.' }
    const other = { ...failure, body: JSON.stringify(full) }
    await page.route(invitations, (route) => route.fulfill(other))
    await page.reload()
    await page.getByText('Pending invitations could not be read', { exact: true }).waitFor()
    await page.getByText('Members could not be read', { exact: true }).waitFor()
    assertClean()
  })

  test('usage cannot be exported while it is unread', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'keys')
    await page.route(/\/usage\?/, (route) => route.fulfill(failure))
    await page.goto('/console/w/acme/usage')
    await page.getByText('Usage could not be read', { exact: true }).waitFor()
    const act = page.getByRole('button', { name: 'Export' })
    const why = '[aria-description="The usage could not be read."]'
    await act.and(page.locator(`[aria-disabled="true"]${why}`)).waitFor()
    const ready = act.and(page.locator(':not([aria-disabled])'))
    await page.unrouteAll()
    // It may be read again by itself before the button is pressed.
    await Promise.any([page.getByRole('button', { name: 'Try again' }).click(), ready.waitFor()])
    await ready.waitFor()
    assertClean()
  })

  test('a page keeps its place where the workspaces cannot be read', async (t) => {
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

  test('the button for a new workspace is no more prominent than the one for a new try', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'keys')
    await page.route(/\/api\/v1\/workspaces\?/, (route) => route.fulfill(failure))
    await page.goto('/console/workspaces')
    const colourOf = (name: string): Promise<unknown> =>
      page.evaluate(`getComputedStyle([...document.querySelectorAll('button')]
        .find(({ textContent }) => textContent === '${name}')).backgroundColor`)
    await page.getByText('Workspaces could not be read', { exact: true }).waitFor()
    assert.equal(await colourOf('Create workspace'), await colourOf('Try again'))
    assertClean()
  })

  test('a list of jobs without a device leads to connecting one', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'jobs')
    await page.getByText('This workspace has no device yet').waitFor()
    await page.getByRole('link', { name: 'Connect a device' }).click()
    await page.waitForURL(/devices\/new$/)
    await make('devices', { device_key: 'lamp-1' })
    await page.goto('/console/w/acme/jobs')
    await page.getByRole('link', { name: 'Start a job' }).waitFor()
    assertClean()
  })
})
