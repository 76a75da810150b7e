/** Scores the pages of the console: a line for each main page, one for all others. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Made, ownPlaces } from '../../test/support/console-places.ts'
import { kept, type Line } from './measured-lines.ts'

const LIGHTHOUSE = 'lighthouse@13.5.0'
const CATEGORIES = ['performance', 'accessibility', 'best-practices']
/** The stream of live changes never ends: Lighthouse would wait 45 s for a quiet network. */
const LONGEST_LOAD_MS = 8_000
const MAX_OUTPUT = 64 * 2 ** 20

interface Report {
  categories: Record<string, { score: number | null }>
}

/**
 * Scores a page in a browser that is open already and signed in. Lighthouse is no dependency of the
 * project, because it is larger than all of them: npx fetches it.
 * @returns the scores of performance, accessibility and best practices, up to 100
 */
async function scoresOf(url: string, port: number): Promise<number[]> {
  const options = [
    `--port=${port}`,
    '--preset=desktop',
    `--max-wait-for-load=${LONGEST_LOAD_MS}`,
    `--only-categories=${CATEGORIES.join(',')}`,
    // The session is in a cookie.
    '--disable-storage-reset',
    '--output=json',
    '--quiet',
  ]
  const { stdout } = await promisify(execFile)('npx', ['--yes', LIGHTHOUSE, url, ...options], {
    maxBuffer: MAX_OUTPUT,
  })
  const { categories } = JSON.parse(stdout) as Report
  return CATEGORIES.map((name) => Math.round((categories[name]?.score ?? 0) * 100))
}

interface Scored {
  /** On which the browser can be driven. */
  port: number
  deviceId: string
  templateId: string
  say: (line: string) => void
}

type Page = readonly [what: string, path: string, aim: number]

const IN = '/console/w/bench'
const AIM = 95

const mainPages = ({ deviceId, templateId }: Scored): readonly Page[] => [
  ['sign-in', '/console/sign-in', 100],
  ['overview', IN, AIM],
  ['list of devices', `${IN}/devices`, AIM],
  ['device', `${IN}/devices/${deviceId}`, AIM],
  ['template', `${IN}/templates/${templateId}`, AIM],
  ['API keys', `${IN}/keys`, AIM],
  ['live messages', `${IN}/messages`, AIM],
]

/** The other pages of the workspace and the account that need no id, except `/kit`. */
function furtherPaths(main: readonly Page[]): string[] {
  const known = new Set(main.map(([, path]) => path))
  const paths = ownPlaces
    .filter(({ needsData, route }) => needsData !== true && route !== '/kit')
    // Tabs of one page differ by their query.
    .map(({ path }) =>
      `/console${path('bench', {} as Made)}`.replace(/\?.*/, '').replace(/\/$/, ''),
    )
  return [...new Set(paths)].filter((path) => !known.has(path))
}

export async function scorePages(scored: Scored, origin: string): Promise<Line[]> {
  const { port, say } = scored
  const scoresAt = async (path: string): Promise<number[]> => {
    const scores = await scoresOf(`${origin}${path}`, port)
    say(`lighthouse: ${path}: ${scores.join(', ')}`)
    return scores
  }
  const lineOf = (what: string, scores: readonly number[], aim: number): Line => {
    const isKept = scores.every((score) => score >= aim)
    return kept(`Lighthouse: ${what}`, scores.join(' / '), `${aim}`, isKept)
  }
  const main = mainPages(scored)
  const lines: Line[] = []
  for (const [what, path, aim] of main) lines.push(lineOf(what, await scoresAt(path), aim))
  const further = furtherPaths(main)
  let lowest: number[] = []
  for (const path of further) {
    const scores = await scoresAt(path)
    lowest = scores.map((score, at) => Math.min(score, lowest[at] ?? score))
  }
  const what = `${further.length} further pages, the lowest score of each kind`
  return [...lines, lineOf(what, lowest, AIM)]
}
