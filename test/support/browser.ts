/**
 * The console in a browser: Debian's Chromium without windows, against the service as people start
 * it; where a test moves the clock (`startApp`: in, mailed-links, leaving, passkeys, acts and
 * more) it runs in the test's own process, because that of others has the system's clock. A
 * page fails its test for a violation of the content security policy, an error in the console, and
 * a request to another origin. Tests run only where `MOORING_TEST_BROWSER` is set: `npm test` needs
 * no browser.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { defer } from './cleanup.ts'
import { preparedDataDir, type RunOptions, type Service, startService } from './service.ts'
import { ROOT } from './sources.ts'

/** For `test(name, { skip }, …)`. */
export const skip = process.env.MOORING_TEST_BROWSER === undefined

const CHROMIUM = process.env.MOORING_TEST_CHROMIUM ?? '/usr/bin/chromium-headless-shell'

type Cleanup = Pick<TestContext, 'after'>

export async function openBrowser(t: Cleanup): Promise<Browser> {
  // Without its sandbox, because tests may run as root.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  defer(t, () => browser.close())
  return browser
}

/** The service after a first start, with its console. */
export const startConsole = async (
  t: Cleanup,
  { environment, ...options }: RunOptions = {},
): Promise<Service> =>
  startService(t, await preparedDataDir(t), {
    ...options,
    environment: { MOORING_CONSOLE: 'on', ...environment },
  })

/** Failed responses are part of many stories; the browser reports each as an error. */
const isFailedResponse = (text: string): boolean => /Failed to load resource/.test(text)

export interface OpenedPage {
  page: Page
  /**
   * Fails for what the page has done wrong since it was opened, or another one of its window.
   * @param provoked faults that contain this text are expected
   */
  assertClean: (provoked?: string) => void
  /** Lets it load from another origin. */
  mayLoad: (...origins: readonly string[]) => void
}

/** Opens a window of its own, without the cookies of others. */
export async function openPage(
  t: Cleanup,
  browser: Browser,
  { origin }: Pick<Service, 'origin'>,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  })
  defer(t, () => context.close())
  const faults: string[] = []
  const allowed = new Set([origin])
  context.on('weberror', (found) => faults.push(`error: ${found.error().message}`))
  context.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && !isFailedResponse(text)) faults.push(`console: ${text}`)
  })
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (!allowed.has(url.origin) && url.protocol.startsWith('http'))
      faults.push(`foreign: ${url.href}`)
  })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const assertClean = (provoked?: string): void => {
    const others = faults.filter((each) => provoked === undefined || !each.includes(provoked))
    assert.deepEqual(others, [])
  }
  const mayLoad = (...origins: readonly string[]): void => {
    for (const each of origins) allowed.add(each)
  }
  return { page, assertClean, mayLoad }
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** The rules that depend on colours, and so on the theme. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

const asked: Readonly<Record<'light' | 'dark', axe.RunOnly>> = {
  light: { type: 'tag', values: RULES },
  dark: { type: 'rule', values: OF_COLOURS },
}

/** Half the size of `axe.source`, and so ready in half the time. */
const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')

/** The violations in the page. Its document loads axe once, for all widths and themes. */
async function violationsOf(page: Page, runOnly: axe.RunOnly): Promise<axe.Result[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE)
  // A check that passes is not described. The console has no frames of its own.
  const options: axe.RunOptions = { resultTypes: ['violations'], iframes: false, runOnly }
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  return (await page.evaluate(run)) as axe.Result[]
}

/** The findings of axe on the page as it is: all rules in light, those of colours also in dark. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const { id, nodes } of await violationsOf(page, asked[colorScheme])) {
      faults.push(`${page.url()} in ${colorScheme}: ${id}: ${nodes.map((n) => n.html).join('\n')}`)
    }
  }
  return faults
}

/** Fails for what axe finds. */
export const assertAccessible = async (page: Page): Promise<void> =>
  assert.deepEqual(await accessibilityFaults(page), [])
