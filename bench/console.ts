/**
 * The budgets of the console, in a browser, over a workspace with many devices. Nothing is measured
 * that a person would not wait for: a time ends with the frame that shows the content.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { budget, weighConsole, type Weights } from '../console/budget.ts'
import { buildConsole } from '../console/build.ts'
import { createPasswordHasher } from '../src/platform/access/passwords.ts'
import {
  findChromium,
  type MeasuredPage,
  openBrowser,
  openPage,
  type Transfer,
} from './support/browser.ts'
import { timeCommands } from './support/console-commands.ts'
import type { Fixture } from './support/environment.ts'
import { loadFleet } from './support/fleet.ts'
import { scorePages } from './support/lighthouse-pages.ts'
import { kept, type Line, sizeLine, timeLine } from './support/measured-lines.ts'

type Say = (line: string) => void

interface Options {
  devices: number
  /** Whether the pages are also scored by Lighthouse. */
  lighthouse: boolean
  say: Say
}

interface Place extends Options {
  context: BrowserContext
  port: number
  email: string
  deviceId: string
  templateId: string
}

/** The rounds of each time. */
const ROUNDS = 21
const SETTLE_MS = 500
const PASSWORD = 'correct horse battery staple'
const LIST = '/console/w/bench/devices'
/** Pages that are shown before the memory is looked at. */
const SHOWN_PAGES = 20

const aims = {
  largestPaintMs: 600,
  firstRowsMs: 300,
  filterMs: 150,
  routeMs: 100,
  requests: 2,
  /** Devices a second that a job changes. */
  jobRate: 1_000,
  updateMs: 3_000,
}

const eachRound = async (measure: (round: number) => Promise<number>): Promise<number[]> => {
  const times: number[] = []
  // The first round is for caches and plans.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const ms = await measure(round)
    if (round > 0) times.push(ms)
  }
  return times
}

/** Waits until a page has its heading, and nothing is likely to follow. */
async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await sleep(SETTLE_MS)
}

/** Requests to other hosts, whatever page has made them. */
function watchForeign(context: BrowserContext, origin: string): Set<string> {
  const foreign = new Set<string>()
  context.on('request', (request) => {
    const { origin: to, protocol } = new URL(request.url())
    if (to !== origin && protocol.startsWith('http')) foreign.add(to)
  })
  return foreign
}

async function measureSignIn({ context, email }: Place): Promise<Line[]> {
  const { page, takeTransfers, clearCache } = await openPage(context)
  let bytes = 0
  const paints = await eachRound(async () => {
    await clearCache()
    takeTransfers()
    await page.goto('/console/sign-in')
    await settle(page)
    const received = takeTransfers().filter(({ kind }) => kind !== 'Font')
    bytes = received.reduce((sum, each) => sum + each.bytes, 0)
    return page.evaluate<number>('bench.largestPaint()')
  })
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  // It leads into the only workspace.
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.close()
  return [
    sizeLine('sign-in: received without fonts, with headers', bytes, budget.signIn),
    timeLine('sign-in: largest contentful paint, nothing cached', paints, aims.largestPaintMs),
  ]
}

async function measureOpening(opened: MeasuredPage): Promise<Line[]> {
  const { page, takeTransfers, clearCache } = opened
  await clearCache()
  takeTransfers()
  await page.goto(LIST)
  await settle(page)
  const scripts = takeTransfers().filter(({ kind }) => kind === 'Script')
  const bytes = scripts.reduce((sum, each) => sum + each.bodyBytes, 0)
  const reloads = await eachRound(async () => {
    await page.goto(LIST)
    return page.evaluate<number>('bench.firstRows()')
  })
  const clicks = await eachRound(async () => {
    await page.goto('/console/w/bench')
    await settle(page)
    return page.evaluate<number>(`bench.go('Devices', 'Devices')`)
  })
  return [
    sizeLine('list of devices: compressed scripts, nothing cached', bytes, budget.deviceList),
    timeLine('list of devices: first rows after its address is opened', reloads, aims.firstRowsMs),
    timeLine('list of devices: first rows after a click', clicks, aims.firstRowsMs),
  ]
}

const ROUTES = [
  ['Templates', 'Templates'],
  ['Jobs', 'Jobs'],
  ['API keys', 'API keys'],
  ['Devices', 'Devices'],
] as const

async function measureRoutes({ page }: MeasuredPage): Promise<Line[]> {
  for (const [label, title] of ROUTES) {
    await page.evaluate(`bench.go(${JSON.stringify(label)}, ${JSON.stringify(title)})`)
  }
  const times = await eachRound((round) => {
    const [label, title] = ROUTES[round % ROUTES.length] ?? ROUTES[0]
    return page.evaluate<number>(`bench.go(${JSON.stringify(label)}, ${JSON.stringify(title)})`)
  })
  return [timeLine('from one page to another that was open before', times, aims.routeMs)]
}

/**
 * No two rounds have the same filter: nothing of it is in memory. All find devices in a fleet of
 * 4,000 and more, where those of the sites 8 and 9 are not active.
 */
const filters: readonly (readonly [what: string, of: (round: number) => string])[] = [
  [
    '`=` and a tag and `!=`',
    (at) => `status = active AND tags.site = s${at % 8} AND tags.line != l${at}`,
  ],
  ['a prefix', (at) => `device_key = "K-00000${10 + at}*"`],
  ['a tag', (at) => `tags.line = l${at}`],
]

async function measureFilters({ page, takeTransfers }: MeasuredPage): Promise<Line[]> {
  const editor = page.getByRole('combobox', { name: 'Filter of devices' })
  const lines: Line[] = []
  let max = 0
  for (const [what, filterOf] of filters) {
    await page.goto(LIST)
    await settle(page)
    const times = await eachRound(async (round) => {
      const filter = filterOf(round)
      await editor.fill(filter)
      takeTransfers()
      const shown = page.evaluate<number>('bench.filtered()')
      const [ms] = await Promise.all([shown, editor.press('Enter')])
      // The completions that the editor asks for belong to no filter that is applied.
      const isOfFilter = ({ url }: Transfer): boolean =>
        new URL(url).searchParams.get('filter') === filter
      max = Math.max(max, takeTransfers().filter(isOfFilter).length)
      return ms
    })
    lines.push(timeLine(`filter by ${what}: from Enter to the rows`, times, aims.filterMs))
  }
  const isKept = max <= aims.requests
  return [
    ...lines,
    kept(
      'requests until the rows of a filter are there, at most',
      `${max}`,
      `${aims.requests}`,
      isKept,
    ),
  ]
}

async function measureMemory({ page, heap }: MeasuredPage): Promise<Line[]> {
  await page.goto(LIST)
  await settle(page)
  const atFirst = await heap()
  const times: number[] = []
  for (let shown = 1; shown < SHOWN_PAGES; shown += 1) {
    times.push(await page.evaluate<number>('bench.more()'))
  }
  const later = await heap()
  return [
    sizeLine('memory of the list: its first page', atFirst, budget.rows),
    sizeLine(`memory of the list: ${SHOWN_PAGES} pages shown`, later, budget.rows),
    timeLine(`the next page of the list, up to ${SHOWN_PAGES} shown`, times, aims.firstRowsMs),
  ]
}

interface Followed {
  ms: number
  states: number
  longest: number
  /** With separators. */
  devices: string
}

/** All that pass a filter are chosen on the page and changed by a job, whose page is watched. */
async function measureJob({ page }: MeasuredPage): Promise<Line[]> {
  await page.goto(LIST)
  await page.evaluate('bench.firstRows()')
  const editor = page.getByRole('combobox', { name: 'Filter of devices' })
  await editor.fill('device_key = "K-*"')
  await editor.press('Enter')
  await page.waitForURL(/filter=/)
  await page.evaluate('bench.firstRows()')
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  await page.getByLabel('Select all rows that are shown').click()
  await button(/^Select all [\d,+]+ that match/).click()
  await button('Change…').click()
  await page.getByLabel('Tag', { exact: true }).fill('checked')
  await page.getByLabel('Value').fill('2026')
  await button('Start').click()
  await page.getByRole('heading', { name: 'Tag devices' }).waitFor()
  const { ms, states, longest, devices } = await page.evaluate<Followed>('bench.followed()')
  const aimMs = (Number(devices.replaceAll(',', '')) / aims.jobRate) * 1_000
  return [
    timeLine(
      `a job over the ${devices} devices of a filter, until its page says completed`,
      [ms],
      aimMs,
    ),
    timeLine(`the longest time without news of it, in ${states} states`, [longest], aims.updateMs),
  ]
}

function pageLine({ pages }: Weights): Line {
  const [name, bytes] = [...pages].reduce((max, each) => (each[1] > max[1] ? each : max))
  return sizeLine(`scripts that a page adds, at most (\`${name}\`)`, bytes, budget.page)
}

async function measureIn(place: Place, origin: string): Promise<Line[]> {
  const { context, say, lighthouse } = place
  const foreign = watchForeign(context, origin)
  const lines = await measureSignIn(place)
  say('the sign-in is measured')
  const opened = await openPage(context)
  for (const measure of [
    measureOpening,
    measureRoutes,
    measureFilters,
    measureMemory,
    measureJob,
  ]) {
    const some = await measure(opened)
    for (const { what, measured } of some) say(`${what}: ${measured}`)
    lines.push(...some)
  }
  lines.push(kept('other hosts that were asked', `${foreign.size}`, '0', foreign.size === 0))
  await opened.page.close()
  return lighthouse ? [...lines, ...(await scorePages(place, origin))] : lines
}

export async function measureConsole(fixture: Fixture, options: Options): Promise<Line[]> {
  findChromium()
  buildConsole()
  const weights = weighConsole()
  if (weights === undefined) throw new Error('the console cannot be built: run `npm ci`')
  const { devices: size, say } = options
  const database = await fixture.newDatabase(0)
  const { connection, seeder, workspace } = database
  const hash = await createPasswordHasher().hash(PASSWORD)
  const [email = ''] = await seeder.accounts(workspace, hash, 1)
  const { masterKey } = fixture
  const { known } = await loadFleet(connection, { workspace, size, masterKey, say })
  const [first] = known
  if (first === undefined) throw new Error('no device was loaded')
  const ids = { deviceId: first.id, templateId: workspace.templateId }
  const { ports } = await fixture.startService(database, { MOORING_CONSOLE: 'on' })
  const origin = `http://127.0.0.1:${ports.http}`
  const profile = await mkdtemp(join(tmpdir(), 'mooring-bench-browser-'))
  const port = ports.http + 1
  const context = await openBrowser(profile, origin, port)
  try {
    const lines = await measureIn({ ...options, ...ids, context, port, email }, origin)
    return [...lines, pageLine(weights), ...timeCommands()]
  } finally {
    await context.close()
    await rm(profile, { recursive: true, force: true })
  }
}
