/**
 * `npm run pictures -w console`: photographs every page of the console, for people who change it.
 */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { orUsage } from '../../bench/support/usage.ts'
import { fill, openToFill, usual } from '../support/console-filled.ts'
import { OWNER, type OwnerPage } from '../support/console-page.ts'
import {
  installationPlaces,
  type Made,
  ownPlaces,
  payPlaces,
  type Place,
  publicPlaces,
  samplePlaces,
} from '../support/console-places.ts'
import { showSamples } from '../support/console-samples.ts'
import { fail, LOADING, READS, settle } from '../support/console-walk.ts'
import { withDatabase } from '../support/invoiced-workspaces.ts'
import { addFleet } from './fleet.ts'

const help = `Usage: npm run pictures -w console -- [options] [paths…]

Photographs every page of the console, of a service of its own that is removed again; with paths,
only pages whose path contains one of them, as in: devices /w/acme/jobs. An id in a path is the
name of what it is of, as in: /w/acme/devices/device?tab=settings. It needs Chromium
(/usr/bin/chromium-headless-shell, or another one by MOORING_TEST_CHROMIUM).

  --out DIR          where the pictures go, ./pictures by default
  --state NAME       of the workspace: full, empty, or failing, where every read fails; full by
                     default
  --theme NAME       light or dark; light by default
  --width N          of the window, in pixels; 1440 by default
  --language NAME    en or de; en by default
  --help             this text

Progress goes to standard error.`

function oneOf<Name extends string>(name: string, text: string, names: readonly Name[]): Name {
  const found = names.find((each) => each === text)
  if (found !== undefined) return found
  throw new Error(`--${name} must be one of ${names.join(', ')}`)
}

function widthOf(text: string): number {
  const width = Number(text)
  if (Number.isInteger(width) && width >= 320 && width <= 4_000) return width
  throw new Error('--width must be a number of pixels from 320 to 4000')
}

const options = orUsage(help, () => {
  const { values, positionals: paths } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: 'string', default: 'pictures' },
      state: { type: 'string', default: 'full' },
      theme: { type: 'string', default: 'light' },
      width: { type: 'string', default: '1440' },
      language: { type: 'string', default: 'en' },
      help: { type: 'boolean', default: false },
    },
  })
  return {
    paths,
    help: values.help,
    // From where npm was called: it starts the program in the folder of the console.
    out: resolve(process.env['INIT_CWD'] ?? '.', values.out),
    state: oneOf('state', values.state, ['full', 'empty', 'failing']),
    theme: oneOf('theme', values.theme, ['light', 'dark']),
    width: widthOf(values.width),
    language: oneOf('language', values.language, ['en', 'de']),
  }
})

const say = (line: string): void => void process.stderr.write(`${line}\n`)

/** Stands for the ids in names of files, which are the same in every run then. */
const names: Made = {
  account: 'account',
  campaign: 'campaign',
  device: 'device',
  domain: 'domain',
  group: 'group',
  invoice: 'invoice',
  job: 'job',
  key: 'key',
  login: 'login',
  template: 'template',
  webhook: 'webhook',
  workspace: 'workspace',
}

const nameOf = ({ path }: Place): string => path('acme', names)

type Cleanup = Parameters<typeof openToFill>[0]

interface Part {
  places: readonly Place[]
  /** The state that these and all that follow need. */
  begin: (page: Page, t: Cleanup) => unknown
}

const isFailing = options.state === 'failing'
const isInWorkspace = (place: Place): boolean => nameOf(place).startsWith('/w/')

/** In the order that the numbers of the files follow. */
const parts: readonly Part[] = [
  {
    places: [...ownPlaces.filter(isInWorkspace), ...installationPlaces],
    async begin(page) {
      if (!isFailing) return
      await fail(page, READS.ofWorkspace)
      await fail(page, READS.ofInstallation)
    },
  },
  {
    places: [...ownPlaces.filter((place) => !isInWorkspace(place)), ...payPlaces],
    begin: (page) => isFailing && fail(page, READS.all),
  },
  { places: samplePlaces, begin: (page, t) => showSamples(t, page) },
  { places: publicPlaces, begin: (page) => page.context().clearCookies() },
]

const places = parts.flatMap((part) => part.places)

const isChosen = (place: Place): boolean =>
  (options.state !== 'empty' || place.needsData !== true) &&
  (options.paths.length === 0 || options.paths.some((text) => nameOf(place).includes(text)))

/** A moment for what is drawn after the data: charts, and fonts. */
const REST_MS = 250

async function photograph(page: Page, place: Place, path: string): Promise<void> {
  await page.goto(`/console${path}`)
  await settle(page)
  // Samples show also this.
  const isSample = samplePlaces.includes(place)
  if (!isSample) await page.locator(LOADING).first().waitFor({ state: 'detached' })
  await page.waitForTimeout(REST_MS)
  const number = String(places.indexOf(place) + 1).padStart(2, '0')
  const words = nameOf(place).match(/[\w-]+/g) ?? []
  const file = join(options.out, `${[number, ...words].join('-')}.png`)
  await page.screenshot({ path: file, fullPage: true, animations: 'disabled' })
}

/** The owner also operates the installation, as if signed in with a second factor. */
async function makeOperator({ call, headers, dataDir }: OwnerPage): Promise<string> {
  await withDatabase(dataDir, async (query) => {
    await query(`UPDATE users SET installation_role = 'operator' WHERE email = $1`, [OWNER.email])
    await query('UPDATE user_sessions SET mfa = true')
    // As a change of an account is announced to the processes of the service.
    await query(`INSERT INTO changes (kind, ref) SELECT 'user', id FROM users`)
  })
  const { body } = await call('GET', '/auth/me', { headers })
  return String(body.id)
}

/** @returns the ids of what the pages show. */
async function prepare(t: Cleanup, opened: OwnerPage): Promise<Made> {
  const { page, workspaceId: workspace } = opened
  await page.setViewportSize({ width: options.width, height: 900 })
  await page.emulateMedia({ colorScheme: options.theme, reducedMotion: 'reduce' })
  await page.evaluate(`localStorage.setItem('mooring-language', '${options.language}')`)
  const account = await makeOperator(opened)
  const filled = options.state === 'empty' ? names : await fill(opened, usual)
  const made = options.state === 'full' ? await addFleet(t, opened, filled) : filled
  return { ...made, account, workspace }
}

async function photographAll(t: Cleanup): Promise<void> {
  const opened = await openToFill(t, usual)
  say('The service runs; it is being filled')
  const made = await prepare(t, opened)
  const all = places.filter(isChosen)
  for (const part of parts) {
    await part.begin(opened.page, t)
    for (const place of part.places.filter(isChosen)) {
      say(`${all.indexOf(place) + 1} of ${all.length}: ${nameOf(place)}`)
      await photograph(opened.page, place, place.path('acme', made))
    }
  }
}

async function run(): Promise<void> {
  if (!places.some(isChosen)) throw new Error('no page has such a path')
  const { state, theme, width, language } = options
  say(`Photographs the console: ${state}, ${theme}, ${width} px, ${language}`)
  await mkdir(options.out, { recursive: true })
  const steps: (() => unknown)[] = []
  try {
    await photographAll({ after: (step: () => unknown) => void steps.push(step) })
  } finally {
    for (const step of steps) await step()
  }
  process.stdout.write(`${options.out}\n`)
}

if (options.help) process.stdout.write(`${help}\n`)
else await run()
