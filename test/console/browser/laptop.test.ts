/** The window of a usual laptop: nothing that is read there is hidden behind a sideways scroll. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { assertAccessible, skip } from '../../support/browser.ts'
import { fill, hostile, openToFill } from '../../support/console-filled.ts'
import { newMember, startConsoleApp } from '../../support/console-people.ts'
import { ownPlaces } from '../../support/console-places.ts'
import { settle } from '../../support/console-walk.ts'
import { until } from '../../support/until.ts'

const LAPTOP = { width: 1280, height: 800 }

/** The times of rows, which are short while the rows are new. */
const AFTER_HALF_A_YEAR = `for (const each of document.querySelectorAll('main table time')) {
  const later = document.documentElement.lang === 'de' ? 'vor 200 Tagen' : '200 d ago'
  if (each.textContent.length < later.length) each.textContent = later
}`

/** Each table that is wider than its place, with how much of it is hidden. */
const CLIPPED_TABLES = `[...document.querySelectorAll('main [role="region"]:has(> table)')]
  .filter((each) => each.scrollWidth > each.clientWidth)
  .map((each) => each.ariaLabel + ': ' + (each.scrollWidth - each.clientWidth) + ' px are hidden')`

async function clippedTables(page: Page, path: string): Promise<string[]> {
  await page.goto(`/console${path}`)
  await settle(page)
  await page.evaluate(AFTER_HALF_A_YEAR)
  const cut = (await page.evaluate(CLIPPED_TABLES)) as string[]
  return cut.map((each) => `${path}, ${each}`)
}

/** Each fact whose value does not fit, or that has an id or a time which is broken into lines. */
const BROKEN_FACTS = `[...document.querySelectorAll('main dl dd')].filter((each) =>
  each.scrollWidth > each.clientWidth ||
  [...each.querySelectorAll('code, time')].some((part) => part.getClientRects().length > 1)
).map((each) => each.previousElementSibling.innerText + ': ' + each.innerText)`

async function brokenFacts(page: Page, path: string): Promise<string[]> {
  await page.goto(`/console${path}`)
  await page.getByRole('button', { name: 'API', exact: true }).click()
  await settle(page)
  const broken = (await page.evaluate(BROKEN_FACTS)) as string[]
  return broken.map((each) => `${path}, ${each}`)
}

/** Whether an element is above the line, in pixels, as a whole. */
async function isAbove(line: number, element: Locator): Promise<boolean> {
  const box = await element.boundingBox()
  return box !== null && box.y >= 0 && box.y + box.height <= line
}

/** Where the acts of a dialog begin: nothing of it is seen below. */
const topOf = async (act: Locator): Promise<number> => (await act.boundingBox())?.y ?? 0

suite('the window of a laptop', { skip }, () => {
  test('a long dialog has its acts and its main choices in view', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const member = await newMember(app, 'admin')
    const { page, assertClean } = await openAs(member, `/w/${app.seed.slug}/keys`)
    await page.setViewportSize(LAPTOP)
    await page.getByRole('button', { name: 'Create key' }).first().click()
    const dialog = page.getByRole('dialog')
    const create = dialog.getByRole('button', { name: 'Create', exact: true })
    await until('the act is in view', () => isAbove(LAPTOP.height, create))
    const choice = dialog.getByText('Give it new credentials', { exact: true })
    await until('the choice is in view', async () => isAbove(await topOf(create), choice))
    const quota = dialog.getByLabel('Device limit')
    assert.equal(await quota.isVisible(), false)

    // The refused field is shown, and has the focus.
    await dialog.getByText('Limits (optional)').click()
    await quota.fill('-1')
    await dialog.getByText('Limits (optional)').click()
    await create.click()
    await dialog.locator('[aria-invalid="true"]').and(page.locator(':focus')).waitFor()
    await until('the field is in view', async () => isAbove(await topOf(create), quota))
    await until('the act is in view', () => isAbove(LAPTOP.height, create))
    await assertAccessible(page)

    await page.setViewportSize({ ...LAPTOP, width: 390 })
    await until('the act is in view', () => isAbove(LAPTOP.height, create))
    assertClean()
  })

  for (const language of ['en', 'de']) {
    test(`shows each table as a whole (${language})`, async (t) => {
      const opened = await openToFill(t, hostile)
      const { page } = opened
      const made = await fill(opened, hostile)
      await page.evaluate(`localStorage.setItem('mooring-language', '${language}')`)
      await page.setViewportSize(LAPTOP)
      const faults: string[] = []
      for (const { path } of ownPlaces)
        faults.push(...(await clippedTables(page, path('acme', made))))
      assert.deepEqual(faults, [])
      opened.assertClean()
    })
  }

  test('shows each fact as a whole next to the calls of the page', async (t) => {
    const opened = await openToFill(t, hostile)
    const made = await fill(opened, hostile)
    await opened.page.setViewportSize(LAPTOP)
    const faults: string[] = []
    for (const { route, path } of ownPlaces) {
      if (route.includes('$')) faults.push(...(await brokenFacts(opened.page, path('acme', made))))
    }
    assert.deepEqual(faults, [])
    opened.assertClean()
  })
})
