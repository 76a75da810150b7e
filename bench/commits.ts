/**
 * An older commit compared with this one: `npm run bench -- --commit REV`. The benches of the older
 * commit measure it, and those of this one this one, in turns. So both have the same machine, and
 * each has programs that fit it. The comparison covers figures of their tables that have a row and
 * a column of the same name.
 */
import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Pace, spreadOf } from './support/comparison.ts'
import { plainTable } from './support/plain-table.ts'
import { figuresOf, shownFigure, type Unit } from './support/table-figures.ts'

/** The rounds of each bench in a turn; it has rounds of its own to compare with its limits. */
const ROUNDS_OF_A_TURN = '2'

const root = fileURLToPath(new URL('..', import.meta.url))

const run = promisify(execFile)

const git = async (...words: string[]): Promise<string> =>
  (await run('git', ['-C', root, ...words])).stdout.trim()

/** The results of one commit, in all turns: the figures of one row and column, by both. */
type Measured = Map<string, { unit: Unit; values: number[] }>

interface CommitLine {
  bench: string
  /** The name of the row, and of the column where that says more. */
  name: string
  unit: Unit
  /** Medians of all turns. */
  older: number
  newer: number
}

interface CommitRun {
  /** Short name and date of the older commit. */
  commit: string
  lines: CommitLine[]
  /** Names of benches that the older commit does not have. */
  lacking: string[]
}

interface CommitOptions {
  /** The names of benches. */
  names: readonly string[]
  pace: Pace
  /** For the benches of both, e.g. `--devices`. */
  options: readonly string[]
  say: (line: string) => void
}

/** Puts the commit and its packages into a temporary folder. */
async function checkOut(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-commit-'))
  const archive = `${folder}.tar`
  await git('archive', '--output', archive, commit)
  await run('tar', ['-xf', archive, '-C', folder])
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, maxBuffer: 1e8 })
  return folder
}

/** Adds what a bench prints. @returns false if the commit has no such bench. */
async function measure(
  folder: string,
  name: string,
  options: readonly string[],
  measured: Measured,
): Promise<boolean> {
  const node = join(folder, 'node_modules/.bin/node')
  const running = run(node, ['bench/run.ts', ...options, name], { cwd: folder, maxBuffer: 1e8 })
  const output = await running.catch((error: Error & { stderr: string }) => {
    if (error.stderr.includes(`there is no ${name}`)) return undefined
    throw error
  })
  for (const { row, column, unit, value } of figuresOf(output?.stdout ?? '')) {
    const key = JSON.stringify([row, column])
    const { values } = measured.get(key) ?? { values: [] }
    measured.set(key, { unit, values: [...values, value] })
  }
  return output !== undefined
}

function linesOf(bench: string, older: Measured, newer: Measured): CommitLine[] {
  return [...newer].flatMap(([key, { unit, values }]) => {
    const [row, column] = JSON.parse(key) as [string, string]
    // A table may have had fewer columns, and so no heading.
    const before = older.get(key) ?? older.get(JSON.stringify([row, '']))
    if (before?.unit.measures !== unit.measures) return []
    const what = column.replace(/^(?:measured|ours, )/, '')
    const name = what === '' ? row : `${row}: ${what}`
    return [
      { bench, name, unit, older: spreadOf(before.values).median, newer: spreadOf(values).median },
    ]
  })
}

/**
 * The older commit and this one begin in turn.
 * @throws if there is no such commit, or if a bench fails
 */
export async function compareCommits(
  revision: string,
  { names, pace, options, say }: CommitOptions,
): Promise<CommitRun> {
  const commit = await git('rev-parse', '--short', '--verify', `${revision}^{commit}`)
  const date = await git('show', '--no-patch', '--format=%cs', commit)
  say(`install the packages of ${commit}`)
  const folder = await checkOut(commit)
  const all = ['--seconds', `${pace.seconds}`, '--rounds', ROUNDS_OF_A_TURN, ...options]
  const lines: CommitLine[] = []
  const lacking: string[] = []
  for (const name of names) {
    const [older, newer]: [Measured, Measured] = [new Map(), new Map()]
    const ours = () => measure(root, name, all, newer)
    const theirs = () => measure(folder, name, all, older)
    let isThere = true
    for (let turn = 0; turn < pace.rounds && isThere; turn += 1) {
      // The older commit begins: it may lack the bench.
      if (turn % 2 === 1) await ours()
      isThere = await theirs()
      if (turn % 2 === 0 && isThere) await ours()
      say(`${name}: ${isThere ? `turn ${turn + 1} of ${pace.rounds}` : `not in ${commit}`}`)
    }
    lines.push(...linesOf(name, older, newer))
    if (!isThere) lacking.push(name)
  }
  return { commit: `${commit} of ${date}`, lines, lacking }
}

export function commitTable({ commit, lines, lacking }: CommitRun): string {
  const skipped = lacking.length === 0 ? '' : `${commit} does not have: ${lacking.join(', ')}.\n\n`
  const rows = lines.map(({ bench, name, unit, older, newer }) => [
    bench,
    name,
    shownFigure(older, unit),
    shownFigure(newer, unit),
    older === 0 ? '' : (newer / older).toFixed(2),
  ])
  return skipped + plainTable([['bench', '', commit, 'this commit', 'ratio'], ...rows])
}
