/** Scores the pages of the console: a line for each main page, one for all others. */
import { type Made, ownPlaces } from '../../test/support/console-places.ts'
import { scoresOf } from './lighthouse.ts'
import { kept, type Line } from './measured-lines.ts'

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
