/**
 * An older commit compared with this one: `npm run bench -- --commit REV`. The benches of the older
 * commit measure it, and those of this one this one, in turns. So both have the same machine, and
 * each has programs that fit it. Only what both measure by the same name is compared.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Pace, type Result, spreadOf } from './support/comparison.ts'
import { grouped, plainTable } from './support/plain-table.ts'

/** What clients and devices wait for; measured if no names are given. */
export const HOT_PATHS = ['read-device', 'provision', 'bulk', 'mqtt-connect', 'hooks', 'login']

/** Of each bench in a turn; it has rounds of its own to compare with its limits. */
const ROUNDS_OF_A_TURN = '2'

const root = fileURLToPath(new URL('..', import.meta.url))

const run = promisify(execFile)

const git = async (...words: string[]): Promise<string> =>
  (await run('git', ['-C', root, ...words])).stdout.trim()

/** What one commit did in a second, in each turn. */
type Rates = Map<string, number[]>

export interface CommitLine {
  name: string
  unit: string
  /** Per second; medians of all turns. */
  older: number
  newer: number
}

export interface CommitRun {
  /** Short name and date of the older commit. */
  commit: string
  lines: CommitLine[]
}

type Say = (line: string) => void

/** Puts the commit and its packages into an empty folder. */
async function checkOut(commit: string, folder: string, say: Say, signal: AbortSignal) {
  await git('worktree', 'add', '--detach', folder, commit)
  say(`install the packages of ${commit}`)
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, signal })
}

async function remove(folder: string): Promise<void> {
  // Programs that npm has started may still write.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  await git('worktree', 'prune')
}

async function measure(
  folder: string,
  names: readonly string[],
  seconds: number,
  signal: AbortSignal,
): Promise<Result[]> {
  const options = ['--json', '--seconds', String(seconds), '--rounds', ROUNDS_OF_A_TURN]
  const program = ['bench/run.ts', ...options, ...names]
  const { stdout } = await run(join(folder, 'node_modules/.bin/node'), program, {
    cwd: folder,
    maxBuffer: 1e8,
    signal,
  })
  return (JSON.parse(stdout) as { results: Result[] }).results
}

/** One name can be measured against several limits. */
function note(rates: Rates, results: readonly Result[]): void {
  for (const { name, ours } of results) {
    rates.set(name, [...(rates.get(name) ?? []), ours.median])
  }
}

/**
 * The older commit and this one begin in turn.
 * @throws if there is no such commit, or if its benches fail, e.g. because it lacks one of them
 */
export async function measureCommit(
  revision: string,
  names: readonly string[],
  pace: Pace,
  say: Say,
): Promise<CommitRun> {
  const commit = await git('rev-parse', '--short', '--verify', `${revision}^{commit}`)
  const date = await git('show', '--no-patch', '--format=%cs', commit)
  // Ctrl-C ends the measurement, and the folder is removed all the same.
  const stopping = new AbortController()
  const { signal } = stopping
  const stop = (): void => stopping.abort()
  process.once('SIGINT', stop)
  const folder = await mkdtemp(join(tmpdir(), 'mooring-commit-'))
  const [older, newer]: [Rates, Rates] = [new Map(), new Map()]
  const units = new Map<string, string>()
  try {
    await checkOut(commit, folder, say, signal)
    for (let turn = 0; turn < pace.rounds; turn += 1) {
      const sides: [Rates, string][] = [
        [older, folder],
        [newer, root],
      ]
      for (const [rates, where] of turn % 2 === 0 ? sides : sides.toReversed()) {
        const results = await measure(where, names, pace.seconds, signal)
        note(rates, results)
        for (const { name, unit } of results) units.set(name, unit)
        say(`turn ${turn + 1} of ${pace.rounds}: ${rates === older ? commit : 'this commit'}`)
      }
    }
  } finally {
    await remove(folder)
    process.off('SIGINT', stop)
  }
  const lines = [...newer].flatMap(([name, rates]) => {
    const before = older.get(name)
    const unit = units.get(name) ?? ''
    return before
      ? [{ name, unit, older: spreadOf(before).median, newer: spreadOf(rates).median }]
      : []
  })
  return { commit: `${commit} of ${date}`, lines }
}

export const commitTable = ({ commit, lines }: CommitRun): string =>
  plainTable([
    ['', `${commit}, per second`, 'this commit, per second', 'ratio'],
    ...lines.map(({ name, unit, older, newer }) => [
      name,
      `${grouped(Math.round(older))} ${unit}`,
      grouped(Math.round(newer)),
      (newer / older).toFixed(2),
    ]),
  ])
