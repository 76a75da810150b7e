/**
 * Time and peak memory of device imports as files grow, each with its own database and service
 * process.
 */
import type { ImportLoadProgram } from './programs/import-load.ts'
import { peakMiB, processorSeconds, residentMiB } from './support/processes.ts'
import type { Fixture } from './support/environment.ts'
import { grouped, plainTable } from './support/plain-table.ts'

interface ImportRun {
  rows: number
  seconds: number
  /** Processor time of the service, without Postgres. */
  serviceSeconds: number
  /** MiB before it. */
  atRest: number
  /** MiB at its highest. */
  peak: number
}

/** Seconds that are promised for so many rows. */
const PROMISED_ROWS = 100_000
const PROMISED_SECONDS = 10

async function importOnce(fixture: Fixture, rows: number): Promise<ImportRun> {
  const database = await fixture.newDatabase()
  const service = await fixture.startService(database)
  const load = fixture.start<ImportLoadProgram>('bench/programs/import-load.ts')
  await service.settle()
  const { pid, ports } = service
  const [atRest, before] = [residentMiB(pid), processorSeconds(pid)]
  const { id: workspaceId, platformKey: key } = database.workspace
  const seconds = await load.call('run', { port: ports.http, workspaceId, key, rows })
  const serviceSeconds = processorSeconds(pid) - before
  return { rows, seconds, serviceSeconds, atRest, peak: peakMiB(pid) }
}

export async function measureImports(
  newFixture: () => Fixture,
  sizes: readonly number[],
  say: (line: string) => void,
): Promise<ImportRun[]> {
  const runs: ImportRun[] = []
  for (const rows of sizes) {
    const fixture = newFixture()
    try {
      runs.push(await importOnce(fixture, rows))
    } finally {
      await fixture.clear()
    }
    say(`import: ${grouped(rows)} rows: ${runs.at(-1)?.seconds.toFixed(1)} s`)
  }
  return runs
}

const headings = [
  'rows',
  'time',
  '',
  'rate',
  'processor time of the service, s',
  'its memory at rest, MiB',
  'at its highest, MiB',
]

function outcome({ rows, seconds }: ImportRun): string {
  if (rows !== PROMISED_ROWS) return ''
  return seconds < PROMISED_SECONDS ? 'kept' : 'short'
}

const cellsOf = (run: ImportRun): string[] => [
  grouped(run.rows),
  `${run.seconds.toFixed(1)} s`,
  outcome(run),
  `${grouped(run.rows / run.seconds)} rows/s`,
  run.serviceSeconds.toFixed(1),
  run.atRest.toFixed(0),
  run.peak.toFixed(0),
]

export const importTable = (runs: readonly ImportRun[]): string =>
  plainTable([headings, ...runs.map(cellsOf)])
