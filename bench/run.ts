/** Measures each performance promise against its limit, and what a fleet costs. */
import { parseArgs } from 'node:util'
import { bulk } from './bulk.ts'
import { commitTable, HOT_PATHS, measureCommit } from './commits.ts'
import { measureConsole as consoleBudgets } from './console.ts'
import { delays } from './delays.ts'
import { hooks } from './hooks.ts'
import { idle, idleTable } from './idle.ts'
import { importTable, measureImports } from './import.ts'
import { listDevices } from './list-devices.ts'
import { login } from './login.ts'
import { mqttConnect } from './mqtt-connect.ts'
import { mqttDurable } from './mqtt-durable.ts'
import { mqttMessages } from './mqtt-messages.ts'
import { measurePartition, partitionTable, type PartitionRun } from './partition.ts'
import { measureAllProcesses, processesTable } from './processes.ts'
import { provision } from './provision.ts'
import { rabbitmqStates } from './rabbitmq-states.ts'
import { readDevice } from './read-device.ts'
import { revoke } from './revoke.ts'
import { revokeBrokers, revokeTable } from './revoke-brokers.ts'
import { rowSecurity } from './row-security.ts'
import { measureReconnects, reconnectTable, type ReconnectResult } from './reconnects.ts'
import { measureStates as publishedStates } from './states.ts'
import { streams } from './streams.ts'
import { webhooks } from './webhooks.ts'
import { delaysTable, type Delays } from './support/delays.ts'
import { type Bench, compare, type Pace, type Result } from './support/comparison.ts'
import { scale, type ScaleResult } from './scale.ts'
import { measureStarts } from './starts.ts'
import { measureSustained } from './sustained.ts'
import {
  machineLine,
  machineOf,
  reportOf,
  tableOf,
  writeNamed,
  writeTable,
} from './support/report.ts'
import { openEnvironment, type Environment, type Fixture } from './support/environment.ts'
import { type Line, linesTable } from './support/measured-lines.ts'
import { grouped, plainTable } from './support/plain-table.ts'
import { orUsage } from './support/usage.ts'
import { sizeThreadPool } from '../src/platform/config/thread-pool.ts'

/** What a page may cost at the largest fleet, against the smallest. */
const MAX_RATIO = 1.2

/** A Markdown table: milliseconds at each size, the ratio of the last to the first, the plan. */
function scaleTable({ sizes, rows }: ScaleResult): string {
  const headings = ['', ...sizes.map((size) => `${grouped(size)}, ms`), 'ratio', '', 'reads']
  const lines = rows.map(({ name, medians, plan }) => {
    const ratio = (medians.at(-1) ?? 0) / (medians[0] ?? 1)
    const outcome = ratio <= MAX_RATIO ? 'kept' : 'above'
    const shown = plan === '' ? '' : `\`${plan}\``
    const label = plan === '' ? name : `\`${name}\``
    return [label, ...medians.map((ms) => ms.toFixed(2)), ratio.toFixed(2), outcome, shown]
  })
  return plainTable([headings, ...lines])
}

const loadingLine = ({ sizes, loading }: ScaleResult): string =>
  `Loading took ${sizes
    .map((size, at) => `${grouped(size)} devices ${Math.round(loading[at] ?? 0)} s`)
    .join(', ')}.`

const benches: readonly Bench[] = [
  readDevice,
  listDevices,
  provision,
  bulk,
  mqttConnect,
  mqttMessages,
  mqttDurable,
  hooks,
  login,
  webhooks,
  rowSecurity,
]

const help = `Usage: npm run bench -- [options] [names…]

Measures each performance promise against its limit; with names, only these:
${benches.map(({ name }) => name).join(', ')}.

  --seconds N      duration of a measurement, 1.5 by default
  --rounds N       measurements of each side, 6 by default; an even number
  --json           the results as JSON instead of a table
  --write          also updates the table in docs/performance.md
  --profile DIR    CPU profiles of all programs, one file each
  --commit REV     measures an older commit and this one in turns, as many as --rounds says, each by
                   its own benches; without names: ${HOT_PATHS.join(', ')}
  --help           this text

These are measured one at a time:

  scale            how the cost of requests grows with the fleet; --sizes N,N,… are the
                   devices of each, 10000,100000,1000000 by default
  idle, storm      the cost of an idle fleet, and of one that reconnects at once after a
                   crash, without and with stored sessions; --devices N, 10000 by default
  states           the time until a published state can be read, of --devices N that publish
                   one a second
  rabbitmq-states  the states a second that pass RabbitMQ, each acknowledged after its commit, and
                   what one costs; needs rabbitmq-server; its table is in docs/scale.md
  streams          memory, processor time and delays of 1,000 live streams, as of so many browsers
  import           time and memory of device imports; --sizes N,N,… are the rows of each,
                   100000 by default
  partition        the time that a conversion to partitions takes, and its disk; --sizes N,N,…
                   are the devices, 50000,200000 by default; its table is in docs/scale.md
  revoke           the time until another process refuses what was revoked
  delays           the time until other changes have their effect in another process
  revoke-brokers   the duration of a revocation on the installed brokers
  start            the time and memory of a first and of a later start, with its own Postgres
  processes        the API and the broker side by side, in one process and in two
  sustained        registrations for --minutes N, half a one by default, and whether the audit
                   chain keeps up
  console          the budgets of the console, in Chromium (/usr/bin/chromium, or another one by
                   MOORING_TEST_CHROMIUM) over a workspace with 100000 devices, or --sizes N;
                   --lighthouse also fetches Lighthouse with npx, and scores pages by it`

const readArguments = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '1.5' },
      rounds: { type: 'string', default: '6' },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      profile: { type: 'string' },
      commit: { type: 'string' },
      sizes: { type: 'string' },
      lighthouse: { type: 'boolean', default: false },
      devices: { type: 'string', default: '10000' },
      minutes: { type: 'string', default: '0.5' },
    },
  })

// The programs that it starts have as many threads as the service.
sizeThreadPool()

const { values: options, positionals: names } = orUsage(help, readArguments)
if (options.help) {
  process.stdout.write(`${help}\n`)
  process.exit()
}

function readPositive(name: 'seconds' | 'rounds' | 'devices' | 'minutes'): number {
  const number = Number(options[name])
  if (number > 0 && Number.isFinite(number)) return number
  throw new Error(`--${name} must be a number above 0`)
}

function chosenBenches(): readonly Bench[] {
  const known = benches.map(({ name }) => name)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new Error(`there is no ${unknown.join(', ')}; there are ${known.join(', ')}`)
  }
  return names.length === 0 ? benches : benches.filter(({ name }) => names.includes(name))
}

/** Progress, on standard error so that standard output contains only the result. */
const say = (line: string): void =>
  void process.stderr.write(`${Math.round(performance.now() / 1_000)} s: ${line}\n`)

async function play(environment: Environment, bench: Bench, pace: Pace): Promise<Result[]> {
  const fixture = environment.newFixture()
  const results: Result[] = []
  try {
    for (const comparison of await bench.prepare(fixture)) {
      const result = await compare(bench.topic, comparison, pace, fixture.meter)
      say(`${bench.name}: ${result.name}: ${result.ratio.median.toFixed(2)}`)
      results.push(result)
    }
  } finally {
    await fixture.clear()
  }
  return results
}

const REVOKES = 300
const DELAYS = 100
const REVOKED_DEVICES = 100

const page = new URL('../docs/performance.md', import.meta.url)
const scalePage = new URL('../docs/scale.md', import.meta.url)

function readSizes(fallback: number[]): number[] {
  const sizes = options.sizes?.split(',').map(Number) ?? fallback
  if (sizes.every((size) => Number.isInteger(size) && size >= 1_000)) return sizes
  throw new Error('--sizes must be numbers of devices, 1000 at least each')
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

/** Of what has a table without aims. */
async function showTable(
  environment: Environment,
  name: string,
  table: string,
  where = page,
): Promise<void> {
  const text = `${machineLine(reportOf(environment.postgres, []))}\n\n${table}`
  process.stdout.write(`${text}\n`)
  if (options.write) await writeNamed(where, name, text)
}

async function measureScale(environment: Environment): Promise<void> {
  const sizes = readSizes([10_000, 100_000, 1_000_000])
  const result = await measureOn(environment, (fixture) => scale(fixture, sizes, say))
  const machine = machineLine(reportOf(environment.postgres, []))
  const text = `${machine} ${loadingLine(result)}\n\n${scaleTable(result)}`
  process.stdout.write(options.json ? `${JSON.stringify(result, null, 2)}\n` : `${text}\n`)
  if (options.write) await writeNamed(page, 'scale', text)
}

async function measureIdle(environment: Environment): Promise<void> {
  const result = await measureOn(environment, (fixture) => idle(fixture, devices))
  await showTable(environment, 'idle', idleTable(result))
}

async function measureReturns(environment: Environment): Promise<void> {
  const results: ReconnectResult[] = []
  for (const isStored of [false, true]) {
    const reconnect = (fixture: Fixture) => measureReconnects(fixture, devices, isStored)
    results.push(await measureOn(environment, reconnect))
  }
  await showTable(environment, 'storm', reconnectTable(results))
}

async function measureImport(environment: Environment): Promise<void> {
  const runs = await measureImports(() => environment.newFixture(), readSizes([100_000]), say)
  const text = `${machineLine(reportOf(environment.postgres, []))}\n\n${importTable(runs)}`
  process.stdout.write(options.json ? `${JSON.stringify(runs, null, 2)}\n` : `${text}\n`)
  if (options.write) await writeNamed(page, 'import', text)
}

async function measurePartitions(environment: Environment): Promise<void> {
  const runs: PartitionRun[] = []
  for (const size of readSizes([50_000, 200_000])) {
    runs.push(await measureOn(environment, (fixture) => measurePartition(fixture, size)))
    say(`partition: ${grouped(size)} devices: ${runs.at(-1)?.seconds.toFixed(1)} s`)
  }
  await showTable(environment, 'partition', partitionTable(runs), scalePage)
}

const measureRabbitmq = async (environment: Environment): Promise<void> =>
  showTable(environment, 'rabbitmq-states', await measureOn(environment, rabbitmqStates), scalePage)

async function measureDelays(
  environment: Environment,
  name: 'revoke' | 'delays',
  measure: (fixture: Fixture) => Promise<Delays[]>,
): Promise<void> {
  await showTable(environment, name, delaysTable(await measureOn(environment, measure)))
}

const measureRevokes = async (environment: Environment): Promise<void> =>
  showTable(environment, 'revoke-brokers', revokeTable(await revokeBrokers(REVOKED_DEVICES, say)))

async function measureConsole(environment: Environment): Promise<void> {
  const [size = 0] = readSizes([100_000])
  const fixture = environment.newFixture()
  try {
    const { lighthouse } = options
    const { lines, load } = await consoleBudgets(fixture, { devices: size, lighthouse, say })
    const [before, after] = load.map((each) => each.toFixed(1))
    const machine = machineLine(reportOf(environment.postgres, []))
    const text = `${machine} ${grouped(size)} devices. Load of the machine: ${before} before, ${after} after.\n\n${linesTable(lines)}`
    process.stdout.write(options.json ? `${JSON.stringify(lines, null, 2)}\n` : `${text}\n`)
    if (options.write) await writeNamed(page, 'console', text)
  } finally {
    await fixture.clear()
  }
}

/** Of what has a table of lines with aims. */
async function showLines(
  environment: Environment,
  name: 'sustained' | 'start' | 'states' | 'streams',
  lines: readonly Line[],
): Promise<void> {
  const text = `${machineLine(reportOf(environment.postgres, []))}\n\n${linesTable(lines)}`
  process.stdout.write(options.json ? `${JSON.stringify(lines, null, 2)}\n` : `${text}\n`)
  if (options.write) await writeNamed(page, name, text)
}

async function measureLines(
  environment: Environment,
  name: 'sustained' | 'states' | 'streams',
  measure: (fixture: Fixture) => Promise<readonly Line[]>,
): Promise<void> {
  await showLines(environment, name, await measureOn(environment, measure))
}

const measureSustainedLoad = (environment: Environment): Promise<void> =>
  measureLines(environment, 'sustained', (fixture) =>
    measureSustained(fixture, Math.ceil(minutes * 60)),
  )

async function measureBenches(environment: Environment): Promise<void> {
  const results: Result[] = []
  for (const bench of chosen) results.push(...(await play(environment, bench, pace)))
  const report = reportOf(environment.postgres, results)
  process.stdout.write(
    options.json
      ? `${JSON.stringify(report, null, 2)}\n`
      : `${machineOf(report)}\n\n${tableOf(results)}\n`,
  )
  if (options.write) {
    await writeTable(page, report)
  }
}

async function measureOlder(environment: Environment, commit: string): Promise<void> {
  const measured = names.length === 0 ? HOT_PATHS : chosen.map(({ name }) => name)
  const result = await measureCommit(commit, measured, pace, say)
  await showTable(environment, '--commit REV', commitTable(result))
}

const measureStates = (environment: Environment): Promise<void> =>
  measureLines(environment, 'states', (fixture) => publishedStates(fixture, devices))

const apart = new Map<string, (environment: Environment) => Promise<void>>([
  ['scale', measureScale],
  ['import', measureImport],
  ['partition', measurePartitions],
  ['states', measureStates],
  ['rabbitmq-states', measureRabbitmq],
  ['streams', (environment) => measureLines(environment, 'streams', streams)],
  ['idle', measureIdle],
  ['storm', measureReturns],
  [
    'processes',
    async (environment) => {
      const results = await measureAllProcesses(() => environment.newFixture())
      await showTable(environment, 'processes', processesTable(results))
    },
  ],
  [
    'revoke',
    (environment) => measureDelays(environment, 'revoke', (fixture) => revoke(fixture, REVOKES)),
  ],
  [
    'delays',
    (environment) => measureDelays(environment, 'delays', (fixture) => delays(fixture, DELAYS)),
  ],
  ['revoke-brokers', measureRevokes],
  ['console', measureConsole],
  ['sustained', measureSustainedLoad],
  ['start', async (environment) => showLines(environment, 'start', await measureStarts(say))],
])
const [only] = names.length === 1 ? names : []
const { commit } = options
const alone =
  commit === undefined
    ? apart.get(only ?? '')
    : (environment: Environment) => measureOlder(environment, commit)
const { pace, devices, minutes, chosen } = orUsage(help, () => {
  // Those who measure read them again, with sizes of their own where none are given.
  readSizes([])
  return {
    pace: { seconds: readPositive('seconds'), rounds: 2 * Math.ceil(readPositive('rounds') / 2) },
    devices: Math.ceil(readPositive('devices')),
    minutes: readPositive('minutes'),
    chosen: alone && commit === undefined ? [] : chosenBenches(),
  }
})
const environment = await openEnvironment(options.profile)
try {
  await (alone ?? measureBenches)(environment)
} finally {
  await environment.close()
}
