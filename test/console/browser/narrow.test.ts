/** The parts that a narrow window keeps in view: the open tab, and the way back. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { until } from '../../support/until.ts'

const PHONE = { width: 390, height: 844 }
const UNKNOWN_DEVICE = 'dev_01jd0000000000000000000000'

/** Whether the whole open tab is seen. */
const isOpenTabSeen = (page: Page): Promise<boolean> =>
  page.evaluate(`(() => {
    const row = document.querySelector('nav[aria-label="Parts of the device"]')
    const open = row.querySelector('[aria-current]').getBoundingClientRect()
    const { left, right } = row.getBoundingClientRect()
    // The width of what scrolls is rounded.
    return open.left >= left && open.right <= right + 1
  })()`)

/** The parts of topics, which end with their slashes, that are broken. */
const BROKEN_PARTS = `[...document.querySelectorAll('main code')].flatMap((code) =>
  [...code.childNodes]
    .filter((part) => {
      const range = document.createRange()
      range.selectNodeContents(part)
      return part.data !== undefined && range.getClientRects().length > 1
    })
    .map(({ data }) => data))`

suite('a narrow window', { skip }, () => {
  test('breaks topics behind a slash only, also next to long words', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'rules')
    await page.evaluate("localStorage.setItem('mooring-language', 'de')")
    await page.setViewportSize(PHONE)
    await page.reload()
    await page.getByText('acme/{device_key}/telemetry').waitFor()
    assert.deepEqual(await page.evaluate(BROKEN_PARTS), [])
    assertClean()
  })

  test('shows the open tab, also after it became narrow', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    const { id } = await make('devices', { device_key: 'lamp-1' })
    await page.goto(`/console/w/acme/devices/${String(id)}?tab=settings`)
    await page.getByRole('heading', { name: 'Name, tags and custom fields' }).waitFor()
    await page.setViewportSize(PHONE)
    await until('the open tab', () => isOpenTabSeen(page))
    await page.reload()
    await page.getByRole('heading', { name: 'Name, tags and custom fields' }).waitFor()
    await until('the open tab', () => isOpenTabSeen(page))
    assertClean()
  })

  test('says the exact time when a finger touches one', async (t) => {
    const touched = { viewport: PHONE, hasTouch: true, isMobile: true }
    const { page, make, assertClean } = await openAsOwner(t, '', {}, touched)
    await make('devices', { device_key: 'lamp-1' })
    await page.getByRole('main').locator('time').first().tap()
    await page.getByText(/^\w+ \d+, \d+, \d+:\d\d:\d\d/).waitFor()
    assertClean()
  })

  test('has the acts on a device in one row, and the kinds of its timeline', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    const { id } = await make('devices', { device_key: 'lamp-1' })
    await page.goto(`/console/w/acme/devices/${String(id)}?tab=timeline`)
    const suspend = page.getByRole('button', { name: 'Suspend' })
    await suspend.waitFor()
    await page.setViewportSize(PHONE)
    await suspend.waitFor({ state: 'detached' })
    const kinds = page.getByRole('group', { name: 'What is shown' }).getByRole('button')
    const boxes = await Promise.all((await kinds.all()).map((each) => each.boundingBox()))
    assert.equal(new Set(boxes.map((box) => box?.y)).size, 1)
    await assertAccessible(page)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Suspend' }).click()
    await page.getByRole('dialog', { name: 'Suspend lamp-1?' }).waitFor()
    assertClean()
  })

  test('has the one act that ends a thing in a menu', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'groups')
    const { id } = await make('device-groups', { name: 'Hall' })
    await page.setViewportSize(PHONE)
    await page.goto(`/console/w/acme/groups/${String(id)}`)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('dialog', { name: 'Delete Hall?' }).waitFor()
    assertClean()
  })

  test('leads back to the list, also from what is not there', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'devices')
    await page.setViewportSize(PHONE)
    for (const path of [`devices/${UNKNOWN_DEVICE}`, `devices/${UNKNOWN_DEVICE}?tab=notes`]) {
      await page.goto(`/console/w/acme/${path}`)
      await page.getByText('There is no such device in this workspace.').waitFor()
      await page.getByRole('banner').getByRole('link', { name: 'Devices' }).click()
      await page.waitForURL((url) => url.pathname.endsWith('/devices'))
    }
    // From a list to the workspace.
    await page.getByRole('banner').getByRole('link', { name: 'acme' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.equal(await page.getByRole('banner').getByRole('link').count(), 1)
    assertClean()
  })
})
