/**
 * How the cost of requests grows with the fleet: `npm run bench -- scale [--sizes 10000,100000,…]`.
 * Fleets of all sizes exist at the same time, each with its own service, and are measured in turns,
 * so that other load on the machine affects all of them. The result is the ratio to the smallest.
 */
import type { OneByOneProgram } from './programs/one-by-one.ts'
import { type Fleet, loadFleet } from './support/fleet.ts'
import { grouped, plainTable } from './support/plain-table.ts'
import { openPlans, type Plans } from './support/plans.ts'
import {
  filterCases,
  filterText,
  provisionCase,
  readCases,
  type ScaleCase,
} from './support/scale-cases.ts'
import type { RunningService, Fixture } from './support/environment.ts'
import type { Worker } from './support/worker.ts'

interface ScaleRow {
  name: string
  /** Median milliseconds at each size. */
  medians: number[]
  /** The function that reads the tables at the largest size; '' where that is not a list. */
  plan: string
}

interface ScaleResult {
  sizes: number[]
  /** Seconds to load each. */
  loading: number[]
  rows: ScaleRow[]
}

interface Place {
  fleet: Fleet
  service: RunningService
  plans: Plans
}

type Say = (line: string) => void

const ROUNDS = 36
const CALLS = 10
const THOUSANDTH = 1_000

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

async function openEnvironment(fixture: Fixture, size: number, say: Say): Promise<Place> {
  const database = await fixture.newDatabase(0)
  const { connection, workspace } = database
  const fleet = await loadFleet(connection, { workspace, size, masterKey: fixture.masterKey, say })
  const service = await fixture.startService(database)
  return { fleet, service, plans: openPlans(connection, fixture.masterKey, workspace.uuid) }
}

/** Finds the cursor of the thousandth page of ten, or of the last one of a fleet that has fewer. */
async function goDeep(worker: Worker<OneByOneProgram>, place: Place): Promise<void> {
  const { fleet, service } = place
  const { cursor } = await worker.call('walk', {
    port: service.ports.http,
    path: `/api/v1/workspaces/${fleet.workspace.id}/devices?limit=10`,
    headers: { 'x-api-key': fleet.workspace.platformKey },
    pages: Math.min(THOUSANDTH, fleet.size / 10),
  })
  fleet.deepCursor = cursor
}

/** Asks all fleets in turns. @returns the median of each. */
async function measure(
  places: readonly Place[],
  time: (place: Place, round: number) => Promise<number[]>,
): Promise<number[]> {
  const times = places.map((): number[] => [])
  // The first round is for caches and plans.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [at, place] of places.entries()) {
      const some = await time(place, round)
      if (round > 0) times[at]?.push(...some)
    }
  }
  return times.map(medianOf)
}

const timing =
  (worker: Worker<OneByOneProgram>, each: ScaleCase) =>
  ({ fleet, service }: Place, round: number): Promise<number[]> =>
    worker.call('time', {
      port: service.ports.http,
      requests: each.requests(fleet),
      status: each.status ?? 200,
      count: CALLS,
      from: round * CALLS,
    })

/** Each round takes devices that have not been there, so that all are looked up in the database. */
const connecting =
  (worker: Worker<OneByOneProgram>) =>
  ({ fleet, service }: Place, round: number): Promise<number[]> => {
    const from = (round * CALLS) % (fleet.known.length - CALLS)
    const devices = fleet.known.slice(from, from + CALLS)
    return worker.call('connect', { port: service.ports.mqtt, devices })
  }

export async function scale(
  fixture: Fixture,
  sizes: readonly number[],
  say: Say,
): Promise<ScaleResult> {
  const places: Place[] = []
  try {
    for (const size of sizes) places.push(await openEnvironment(fixture, size, say))
    const worker = fixture.start<OneByOneProgram>('bench/programs/one-by-one.ts')
    for (const place of places) await goDeep(worker, place)
    const largest = places.at(-1) as Place
    const rows: ScaleRow[] = []
    const add = (name: string, medians: number[], plan = ''): void => {
      say(`${name}: ${medians.map((ms) => ms.toFixed(2)).join(' · ')} ms ${plan}`)
      rows.push({ name, medians, plan })
    }
    for (const each of [...readCases, ...filterCases]) {
      const medians = await measure(places, timing(worker, each))
      const { filter } = each
      const plan = filter && (await largest.plans.of(filterText(filter, largest.fleet)))
      add(each.name, medians, plan)
    }
    add(provisionCase.name, await measure(places, timing(worker, provisionCase)))
    add('CONNECT', await measure(places, connecting(worker)))
    return { sizes: [...sizes], loading: places.map(({ fleet }) => fleet.seconds), rows }
  } finally {
    await Promise.all(places.map(({ plans }) => plans.close()))
  }
}

/** The permitted cost of a request at the largest fleet, against the smallest. */
const MAX_RATIO = 1.2

/** Milliseconds at each size, the ratio of the last to the first, the plan of a list. */
export function scaleText({ sizes, loading, rows }: ScaleResult): string {
  const headings = ['', ...sizes.map((size) => `${grouped(size)}, ms`), 'ratio', '', 'reads']
  const lines = rows.map(({ name, medians, plan }) => {
    const ratio = (medians.at(-1) ?? 0) / (medians[0] ?? 1)
    const outcome = ratio <= MAX_RATIO ? 'kept' : 'above'
    const shown = plan === '' ? '' : `\`${plan}\``
    const label = plan === '' ? name : `\`${name}\``
    return [label, ...medians.map((ms) => ms.toFixed(2)), ratio.toFixed(2), outcome, shown]
  })
  const times = sizes.map(
    (size, at) => `${grouped(size)} devices ${Math.round(loading[at] ?? 0)} s`,
  )
  return `Loading took ${times.join(', ')}.\n\n${plainTable([headings, ...lines])}`
}
