/**
 * The cost of a start, as people do it: `npm run bench -- start`. The service with its own Postgres
 * is started in an empty folder, and again in the same one. Counted from the start of the process
 * until it says that it is ready. Memory is the proportional share of the service and of all that
 * it has started (PSS), so that pages which the processes of Postgres share count once.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { kept, type Line } from './support/measured-lines.ts'
import { shareMiB, treeSeconds } from './support/processes.ts'
import { startServing } from './support/serving.ts'

const ROUNDS = 5
/** Until V8 has given back what only the start needed. */
const REST_MS = 30_000

interface Start {
  ms: number
  /** Processor time until then, of all processes. */
  processorMs: number
  memoryMiB: number
}

/** Starts the service, waits until it is ready, and ends it. */
async function startOnce(
  dataDir: string,
  { more = {}, restMs = 0 }: { more?: Record<string, string>; restMs?: number } = {},
): Promise<Start> {
  const begun = performance.now()
  const serving = await startServing({ MOORING_PROCESSES: '1', ...more, MOORING_DATA_DIR: dataDir })
  try {
    const ms = performance.now() - begun
    const processorMs = treeSeconds(serving.pid) * 1_000
    await sleep(restMs)
    return { ms, processorMs, memoryMiB: shareMiB(serving.pid) }
  } finally {
    await serving.stop()
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const seconds = (what: string, starts: readonly Start[], aimMs: number): Line[] => {
  const ms = median(starts.map((start) => start.ms))
  const worked = median(starts.map(({ processorMs }) => processorMs))
  return [
    kept(what, `${(ms / 1_000).toFixed(2)} s`, `${aimMs / 1_000} s`, ms <= aimMs),
    kept(`${what}: processor time`, `${(worked / 1_000).toFixed(2)} s`, '', true),
  ]
}

const memory = (what: string, { memoryMiB }: Start, aim?: number): Line =>
  kept(
    what,
    `${memoryMiB.toFixed(0)} MiB`,
    aim === undefined ? '' : `${aim} MiB`,
    aim === undefined || memoryMiB <= aim,
  )

export async function measureStarts(say: (line: string) => void): Promise<Line[]> {
  const first: Start[] = []
  const later: Start[] = []
  const folders: string[] = []
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const folder = await mkdtemp(join(tmpdir(), 'mooring-bench-'))
      folders.push(folder)
      const dataDir = join(folder, 'data')
      first.push(await startOnce(dataDir))
      later.push(await startOnce(dataDir))
      say(`start: ${round} of ${ROUNDS}`)
    }
    const dataDir = join(folders[0] as string, 'data')
    const rested = await startOnce(dataDir, { restMs: REST_MS })
    const more = { MOORING_EMBEDDED_BROKER: 'off' }
    const without = await startOnce(dataDir, { more, restMs: REST_MS })
    return [
      ...seconds('the first start', first, 1_800),
      ...seconds('a later start', later, 900),
      memory('memory of the service with Postgres', rested, 180),
      memory('the same without the embedded broker', without),
    ]
  } finally {
    for (const folder of folders) await rm(folder, { recursive: true, maxRetries: 10 })
  }
}
