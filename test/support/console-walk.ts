/** Looks at a page of the console: whether it is accessible, and as wide as its window. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from './browser.ts'

const WIDTHS = [1440, 390]

/** The text of a page where it still reads. */
export const LOADING = 'svg[height="12"][aria-hidden="true"]:not(.lucide)'

/** Waits until the page shows what it has to show, and its tables have their rows. */
export async function settle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  const loading = page.getByRole('status', { name: /^(Loading|Wird geladen)$/ })
  await loading.first().waitFor({ state: 'detached' })
  await page.locator(`tr ${LOADING}`).first().waitFor({ state: 'detached' })
}

async function walk(
  page: Page,
  path: string,
  findFaults: () => Promise<readonly string[]>,
): Promise<string[]> {
  const faults: string[] = []
  await page.setViewportSize({ width: WIDTHS[0] as number, height: 900 })
  await page.goto(`/console${path}`)
  const isSettled = await settle(page).then(
    () => true,
    () => false,
  )
  if (!isSettled) faults.push(`${path} shows nothing`)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const found = await findFaults()
    faults.push(...found.map((fault) => `${path}, ${width} px: ${fault}`))
    const present = Number(await page.evaluate('document.documentElement.scrollWidth'))
    if (present > width) faults.push(`${path} is ${present} px wide in ${width} px`)
  }
  return faults
}

/** The faults of a page, wide and narrow. */
export const faultsOf = (page: Page, path: string): Promise<string[]> =>
  walk(page, path, () => accessibilityFaults(page))

/** The code that `failure` has, which leads to the page that explains it. */
const REFUSAL = 'a[href="/api/v1/errors/internal_error"]'

/**
 * The same where every read fails.
 * @param isSaid whether the page has to say so; the others show nothing that is read
 */
export async function failingFaultsOf(page: Page, path: string, isSaid = true): Promise<string[]> {
  const faults = await faultsOf(page, path)
  const shown = page.locator(REFUSAL).filter({ visible: true })
  if (!isSaid) return (await shown.count()) === 0 ? faults : [...faults, `${path} does read`]
  const isShown = await shown
    .first()
    .waitFor({ timeout: 5_000 })
    .then(
      () => true,
      () => false,
    )
  if (!isShown) return [...faults, `${path} does not say that its reads have failed`]
  const notes = await shown.count()
  return notes > 1 ? [...faults, `${path} says one failure ${notes} times`] : faults
}

/** The elements of a hostile text that is read as HTML, anywhere in the document. */
const INJECTED = 'img[src="x"], [onerror], [onload]'

/** A policy keeps its code from running: an element would be a defect without it. */
export const assertNothingInjected = async (page: Page): Promise<void> =>
  assert.equal(await page.locator(INJECTED).count(), 0, page.url())

/** The same of a page with hostile texts, which are texts on it and nothing else. */
export const hostileFaultsOf = (page: Page, path: string): Promise<string[]> =>
  walk(page, path, async () => {
    await assertNothingInjected(page)
    return accessibilityFaults(page)
  })

/** Words of English sentences, none of which is a German word. */
const ENGLISH = /\b(the|and|of|with|this|that|is|are|you|your|has|have|from|which|its|by|no|yes)\b/i

/** Texts, names and hints of the page, but for code and for what it marks as English. */
const VISIBLE_TEXTS = `
  [...document.body.querySelectorAll('*')]
    .filter((each) => each.closest('code, pre, kbd, script, noscript, [lang=en], [lang=""]') === null)
    .flatMap((each) => [
      ...[...each.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data),
      ...['aria-label', 'title', 'placeholder'].map((name) => each.getAttribute(name) ?? ''),
    ])`

/** Where a page that is set to German is too wide, or speaks English. */
export const germanFaultsOf = (page: Page, path: string): Promise<string[]> =>
  walk(page, path, async () => {
    const texts = (await page.evaluate(VISIBLE_TEXTS)) as string[]
    return texts.filter((text) => ENGLISH.test(text))
  })

/** The trace id of `failure`. */
export const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

/** The response of a read that has met a defect. It is not tried again. */
export const failure = {
  status: 500,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    type: '/api/v1/errors/internal_error',
    title: 'Internal error',
    status: 500,
    code: 'internal_error',
    detail: 'An unexpected error occurred in the service.',
    trace_id: TRACE,
  }),
}

/** The reads that fail. */
export const READS = {
  /** Below a workspace; who one is, and where, is still known. */
  ofWorkspace: /\/api\/v1\/workspaces\/[^/]+\/./,
  ofInstallation: /\/console\/api\/installation\//,
  /** But for the session, and what the service says of itself: without these there is no page. */
  all: /\/api\/v1\/|\/console\/api\/(?!session|config)/,
}

/** Every request whose address matches fails from now on. */
export const fail = (page: Page, which: RegExp): Promise<unknown> =>
  page.route(which, (route) => route.fulfill(failure))
