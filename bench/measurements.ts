/**
 * The measurements of `npm run bench -- NAME`, one at a time, each with a table of its own in a
 * page.
 */
import { measureConsole } from './console.ts'
import { delays } from './delays.ts'
import { idle, idleTable } from './idle.ts'
import { importTable, measureImports } from './import.ts'
import { measurePartition, partitionTable, type PartitionRun } from './partition.ts'
import { measureAllProcesses, processesTable } from './processes.ts'
import { rabbitmqStates } from './rabbitmq-states.ts'
import { measureReconnects, reconnectTable, type ReconnectResult } from './reconnects.ts'
import { revoke } from './revoke.ts'
import { revokeBrokers, revokeTable } from './revoke-brokers.ts'
import { scale, scaleText } from './scale.ts'
import { measureStarts } from './starts.ts'
import { measureStates } from './states.ts'
import { streams } from './streams.ts'
import { measureSustained } from './sustained.ts'
import { delaysTable } from './support/delays.ts'
import type { Environment, Fixture } from './support/environment.ts'
import { type Line, linesTable } from './support/measured-lines.ts'

export interface Settings {
  devices: number
  minutes: number
  /** For measurements at several sizes; each has its own sizes by default. */
  sizes: readonly number[] | undefined
  lighthouse: boolean
  /** A text of the lines that are measured; all have the empty one. */
  only: string
  say: (line: string) => void
}

export interface Outcome {
  /** A table of Markdown, and what has to be said before it. */
  text: string
  /** The same for programs. */
  results: unknown
}

export interface Measurement {
  name: string
  /** The measured quantity, for `--help`. */
  help: string
  page: 'performance' | 'scale' | 'revocation'
  measure: (environment: Environment, settings: Settings) => Promise<Outcome>
}

async function measureOn<T>(
  environment: Environment,
  measure: (fixture: Fixture) => Promise<T>,
): Promise<T> {
  const fixture = environment.newFixture()
  try {
    return await measure(fixture)
  } finally {
    await fixture.clear()
  }
}

/** The measurements on one fixture, shown as a table. */
const tabled =
  <T>(measure: (fixture: Fixture, settings: Settings) => Promise<T>, show: (of: T) => string) =>
  async (environment: Environment, settings: Settings): Promise<Outcome> => {
    const results = await measureOn(environment, (fixture) => measure(fixture, settings))
    return { text: show(results), results }
  }

/** A measurement that has lines with aims. */
const lined = (measure: (fixture: Fixture, settings: Settings) => Promise<readonly Line[]>) =>
  tabled(measure, linesTable)

async function measureReturns(environment: Environment, { devices }: Settings): Promise<Outcome> {
  const results: ReconnectResult[] = []
  for (const isStored of [false, true]) {
    const reconnect = (fixture: Fixture) => measureReconnects(fixture, devices, isStored)
    results.push(await measureOn(environment, reconnect))
  }
  return { text: reconnectTable(results), results }
}

async function measurePartitions(environment: Environment, settings: Settings): Promise<Outcome> {
  const results: PartitionRun[] = []
  for (const size of settings.sizes ?? [50_000, 200_000]) {
    results.push(await measureOn(environment, (fixture) => measurePartition(fixture, size)))
    settings.say(`partition: ${size} devices: ${results.at(-1)?.seconds.toFixed(1)} s`)
  }
  return { text: partitionTable(results), results }
}

export const measurements: readonly Measurement[] = [
  {
    name: 'scale',
    help: `how the cost of requests grows with the fleet; --sizes N,N,… are the
devices of each, 10000,100000,1000000 by default`,
    page: 'scale',
    measure: tabled(
      (fixture, { sizes = [10_000, 100_000, 1_000_000], say }) => scale(fixture, sizes, say),
      scaleText,
    ),
  },
  {
    name: 'idle',
    help: 'the cost of a connected fleet that does nothing; --devices N, 10000 by default',
    page: 'performance',
    measure: tabled((fixture, { devices }) => idle(fixture, devices), idleTable),
  },
  {
    name: 'reconnects',
    help: `the cost of a fleet that reconnects at once after a crash, without and with
stored sessions; --devices N, 10000 by default`,
    page: 'performance',
    measure: measureReturns,
  },
  {
    name: 'states',
    help: `the time until a published state can be read, of --devices N that publish
one a second, 10000 by default`,
    page: 'performance',
    measure: lined((fixture, { devices }) => measureStates(fixture, devices)),
  },
  {
    name: 'rabbitmq-states',
    help: `the states a second that pass RabbitMQ, each acknowledged after its commit,
and what one costs; needs rabbitmq-server`,
    page: 'scale',
    measure: tabled(rabbitmqStates, (table) => table),
  },
  {
    name: 'streams',
    help: 'memory, processor time and delays of 1,000 live streams, as of so many browsers',
    page: 'performance',
    measure: lined(streams),
  },
  {
    name: 'import',
    help: `time and memory of device imports; --sizes N,N,… are the rows of each,
100000 by default`,
    page: 'performance',
    async measure(environment, { sizes = [100_000], say }) {
      const results = await measureImports(() => environment.newFixture(), sizes, say)
      return { text: importTable(results), results }
    },
  },
  {
    name: 'partition',
    help: `the time that a conversion to partitions takes, and its disk; --sizes N,N,…
are the devices, 50000,200000 by default`,
    page: 'scale',
    measure: measurePartitions,
  },
  {
    name: 'revoke',
    help: 'the time until another process refuses what was revoked; --only as for delays',
    page: 'revocation',
    measure: tabled((fixture, { only }) => revoke(fixture, only), delaysTable),
  },
  {
    name: 'delays',
    help: `the time until other changes have their effect in another process; --only TEXT
measures only the lines with this text`,
    page: 'revocation',
    measure: tabled((fixture, { only }) => delays(fixture, only), delaysTable),
  },
  {
    name: 'revoke-brokers',
    help: 'the duration of a revocation on the installed brokers',
    page: 'revocation',
    measure: tabled((_fixture, { say }) => revokeBrokers(say), revokeTable),
  },
  {
    name: 'start',
    help: 'the time and memory of a first and of a later start, with its own Postgres',
    page: 'performance',
    measure: lined((_fixture, { say }) => measureStarts(say)),
  },
  {
    name: 'processes',
    help: 'the API and the broker side by side, in one process and in two',
    page: 'performance',
    async measure(environment) {
      const results = await measureAllProcesses(() => environment.newFixture())
      return { text: processesTable(results), results }
    },
  },
  {
    name: 'sustained',
    help: `registrations for --minutes N, half a one by default, and whether the audit
chain keeps up`,
    page: 'performance',
    measure: lined((fixture, { minutes }) => measureSustained(fixture, Math.ceil(minutes * 60))),
  },
  {
    name: 'console',
    help: `the budgets of the console, in Chromium (/usr/bin/chromium, or another one by
MOORING_TEST_CHROMIUM), over a workspace with 100000 devices, or --sizes N;
--lighthouse also fetches Lighthouse with npx, and scores pages by it`,
    page: 'performance',
    measure: lined((fixture, { sizes: [devices] = [100_000], lighthouse, say }) =>
      measureConsole(fixture, { devices: devices as number, lighthouse, say }),
    ),
  },
]
