/**
 * Every page, as somebody sees it who has nothing yet, who has everything, and whose service fails:
 * wide and narrow, light and dark. No page violates a rule of WCAG 2.2 AA or the content security
 * policy, and none is wider than a phone.
 */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fileOfPage } from '../../../console/budget.ts'
import type { Page } from 'playwright-core'
import { accessibilityFaults, skip } from '../../support/browser.ts'
import { fill, hostile, openToFill } from '../../support/console-filled.ts'
import {
  assertNothingInjected,
  fail,
  failingFaultsOf,
  faultsOf,
  germanFaultsOf,
  hostileFaultsOf,
  READS,
  TRACE,
} from '../../support/console-walk.ts'
import { openAsOwner, type OwnerPage } from '../../support/console-page.ts'
import { showSamples } from '../../support/console-samples.ts'
import {
  HOSTILE,
  type Made,
  ownPlaces,
  payPlaces,
  type Place,
  publicPlaces,
  samplePlaces,
} from '../../support/console-places.ts'

/** Pages that read nothing which they would have to show, and what they are instead. */
const READS_NOTHING: Readonly<Record<string, string>> = {
  '/w/acme/messages': 'nothing is watched yet; it reads what its field suggests',
  '/w/acme/transfer': 'files are chosen and written; it reads once somebody has begun',
  '/cli': 'the command line has asked for nothing',
  '/new-password': 'a form',
  '/sign-in': 'a form',
  '/forgot': 'a form',
  '/reset': 'the link has no token',
  '/sign-up': 'what the service says of itself, which does not fail here',
  '/verify': 'the link has no token',
  '/email': 'the link has no token',
  '/setup': 'what the service says of itself, which does not fail here',
  '/invitations': 'the link has no token',
  '/account-deleted': 'a sentence',
  '/sign-in/sso/acme': 'no sign-in was begun',
}

/** Looks at what is open above a page, and closes it. */
async function faultsOfDialog(page: Page): Promise<string[]> {
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  const faults = await accessibilityFaults(page)
  await assertNothingInjected(page)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  return faults
}

/** The effect of hostile texts in dialogs that ask before they delete, and in the palette. */
async function faultsAbove({ page }: OwnerPage, made: Made): Promise<string[]> {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`/console/w/acme/devices/${made.device}?act=remove`)
  const faults = await faultsOfDialog(page)
  for (const path of [`templates/${made.template}`, `groups/${made.group}`]) {
    await page.goto(`/console/w/acme/${path}`)
    await page.getByRole('button', { name: 'Delete…', exact: true }).click()
    faults.push(...(await faultsOfDialog(page)))
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('tb-0001')
  await page.getByRole('option').filter({ hasText: HOSTILE }).first().waitFor()
  return [...faults, ...(await faultsOfDialog(page))]
}

/** The calls of a page with hostile texts, and that of its form, in every language. */
async function faultsOfCalls({ page }: OwnerPage, made: Made): Promise<string[]> {
  const faults: string[] = []
  await page.goto(`/console/w/acme/devices/${made.device}?tab=settings`)
  await page.getByRole('button', { name: 'API', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill(`${HOSTILE}!`)
  const pane = page.getByRole('complementary', { name: 'API calls of this page' })
  await pane.getByRole('heading', { name: 'The next call' }).waitFor()
  for (const name of ['curl', 'TypeScript', 'Python']) {
    await pane.getByRole('button', { name, exact: true }).click()
    await pane.getByText('onerror=alert(1)').first().waitFor()
    faults.push(...(await accessibilityFaults(page)))
    await assertNothingInjected(page)
  }
  return faults
}

/** As a page of Billing opens the payment document; only a form of a card needs a real token. */
async function handOver(page: Page, workspaceId: string): Promise<void> {
  const workspace = { id: workspaceId, slug: 'acme', name: HOSTILE }
  const expiresAt = Date.now() + 15 * 60_000
  const handover = JSON.stringify({ token: 'none', expiresAt, workspace, invoiceId: 'inv_1' })
  await page.evaluate((text) => sessionStorage.setItem('mooring-payment', text), handover)
}

suite('every page', { skip }, () => {
  const each = async (
    { page, assertClean }: OwnerPage,
    places: readonly Place[],
    path: (place: Place) => string,
    find = faultsOf,
  ): Promise<void> => {
    const faults: string[] = []
    for (const place of places) faults.push(...(await find(page, path(place))))
    assert.deepEqual(faults, [])
    assertClean()
  }

  test('has no fault for somebody who is not signed in', async (t) => {
    const opened = await openAsOwner(t, '')
    await opened.page.context().clearCookies()
    await each(opened, publicPlaces, ({ path }) => path('acme', {} as Made))
  })

  test('has no fault in a workspace in which nothing is yet', async (t) => {
    const opened = await openAsOwner(t, '')
    const places = ownPlaces.filter(({ needsData }) => needsData !== true)
    await each(opened, places, ({ path }) => path('acme', {} as Made))
  })

  test('has no fault in a workspace full of hostile texts', async (t) => {
    const opened = await openToFill(t, hostile)
    const made = await fill(opened, hostile)
    await each(opened, ownPlaces, ({ path }) => path('acme', made), hostileFaultsOf)
    const faults = [...(await faultsAbove(opened, made)), ...(await faultsOfCalls(opened, made))]
    assert.deepEqual(faults, [])
    opened.assertClean()
  })

  test('has no fault while the service fails', async (t) => {
    const opened = await openToFill(t, hostile)
    const { page } = opened
    const made = await fill(opened, hostile)
    const pathOf = ({ path }: Place): string => path('acme', made)
    const isOfWorkspace = (place: Place): boolean => pathOf(place).startsWith('/w/')
    await fail(page, READS.ofWorkspace)
    const find = (_page: Page, path: string): Promise<string[]> =>
      failingFaultsOf(page, path, !(path in READS_NOTHING))
    await each(opened, ownPlaces.filter(isOfWorkspace), pathOf, find)
    await page.goto('/console/w/acme/devices')
    await page.getByText(TRACE).first().waitFor()
    await fail(page, READS.all)
    const others = ownPlaces.filter((place) => !isOfWorkspace(place))
    await each(opened, others, pathOf, find)
    await page.context().clearCookies()
    await each(opened, publicPlaces, pathOf, find)
  })

  test('has no fault in German', async (t) => {
    const opened = await openToFill(t, hostile)
    const { page } = opened
    await page.evaluate("localStorage.setItem('mooring-language', 'de')")
    const made = await fill(opened, hostile)
    await each(opened, ownPlaces, ({ path }) => path('acme', made), germanFaultsOf)
    await page.context().clearCookies()
    await each(opened, publicPlaces, ({ path }) => path('acme', made), germanFaultsOf)
  })

  test('has no fault with samples of the components, which people do not get', async (t) => {
    const opened = await openAsOwner(t, '')
    const { page } = opened
    await page.goto('/console/kit')
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await showSamples(t, page)
    await each(opened, samplePlaces, ({ path }) => path('acme', {} as Made))
  })

  test('has no fault in the document in which a person pays, in both languages', async (t) => {
    const opened = await openAsOwner(t, '')
    const { page, workspaceId } = opened
    /** Looks at each, which has to say this. */
    const assertFaultless = (text: string, find = faultsOf): Promise<void> =>
      each(
        opened,
        payPlaces,
        ({ path }) => path('acme', {} as Made),
        async (_page, path) => {
          const faults = await find(page, path)
          const isSaid = await page.getByText(text, { exact: true }).isVisible()
          return isSaid ? faults : [...faults, `${path} does not say: ${text}`]
        },
      )
    await assertFaultless('This page has expired')
    await handOver(page, workspaceId)
    await assertFaultless('Cards cannot be used here')
    await page.evaluate("localStorage.setItem('mooring-language', 'de')")
    await assertFaultless('Karten sind hier nicht möglich', germanFaultsOf)
    await page.evaluate("sessionStorage.removeItem('mooring-payment')")
    await assertFaultless('Diese Seite ist abgelaufen', germanFaultsOf)
  })

  test('can be loaded again when its code is gone after an upgrade', async (t) => {
    const { page, assertClean } = await openAsOwner(t, '')
    const file = String(fileOfPage('KeyList'))
    const code = `**/console/${file}`
    await page.route(code, (route) => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
    await page.unroute(code)
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
    assertClean(file)
  })
})
