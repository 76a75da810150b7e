/** Measures each performance promise against its limit, and what a fleet costs. */
import { parseArgs } from 'node:util'
import { sizeThreadPool } from '../src/platform/config/thread-pool.ts'
import { bulk } from './bulk.ts'
import { commitTable, compareCommits } from './commits.ts'
import { hooks } from './hooks.ts'
import { listDevices } from './list-devices.ts'
import { login } from './login.ts'
import { measurements, type Measurement, type Outcome } from './measurements.ts'
import { mqttConnect } from './mqtt-connect.ts'
import { mqttDurable } from './mqtt-durable.ts'
import { mqttMessages } from './mqtt-messages.ts'
import { provision } from './provision.ts'
import { readDevice } from './read-device.ts'
import { rowSecurity } from './row-security.ts'
import { type Bench, compare, type Result } from './support/comparison.ts'
import { type Environment, openEnvironment } from './support/environment.ts'
import { type Machine, machineLine, machineOf, watchOthers } from './support/machine.ts'
import { tablesOf, writeTable } from './support/report.ts'
import { leavingNothing } from './support/leaving-nothing.ts'
import { orUsage } from './support/usage.ts'
import { webhooks } from './webhooks.ts'

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

const nameColumn = (name: string): string => `  ${name.padEnd(17)}`

const topics = [...Map.groupBy(benches, ({ topic }) => topic)].map(
  ([topic, those]) => `${nameColumn(topic)}${those.map(({ name }) => name).join(', ')}`,
)
const others = measurements.map(
  ({ name, help }) => `${nameColumn(name)}${help.replaceAll('\n', `\n${nameColumn('')}`)}`,
)

const help = `Usage: npm run bench -- [options] [names…]

Measures each performance promise against its limit: what the machine can do in that place at all.
With names, only these, by topic:

${topics.join('\n')}

  --seconds N      duration of a measurement, 1.5 by default
  --rounds N       measurements of each side, 6 by default; an even number

These have to be named; each has a table of its own:

${others.join('\n')}

For all of them:

  --json           the results as JSON instead of tables; of several tables an array
  --write          also puts the tables into their pages (docs/performance.md, docs/scale.md,
                   docs/revocation.md); of the benches by topic only all at once
  --profile DIR    CPU profiles of all programs, one file each
  --commit REV     measures an older commit and this one in turns, as many as --rounds says, each by
                   its own benches, and compares their tables; what the older one lacks is left out.
                   Without names: the benches by topic
  --help           this text

A ratio says what was reached of the limit, and \`kept\` or \`short\` whether that is the aim.
Processor time is that of the measured programs, of Postgres and of the generator of the load.
Progress goes to standard error. Other programs should not work meanwhile: each table says what
they used of the machine. An installation of several machines has a program of its own:
npm run scale -- --help`

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
      only: { type: 'string', default: '' },
      devices: { type: 'string' },
      minutes: { type: 'string' },
    },
  })

// The programs that it starts have as many threads as the service.
sizeThreadPool()

const { values: options, positionals: names } = orUsage(help, readArguments)
if (options.help) {
  process.stdout.write(`${help}\n`)
  process.exit()
}

function readPositive(name: 'seconds' | 'rounds' | 'devices' | 'minutes', fallback: number) {
  const number = Number(options[name] ?? fallback)
  if (number > 0 && Number.isFinite(number)) return number
  throw new Error(`--${name} must be a number above 0`)
}

function readSizes(): number[] | undefined {
  const sizes = options.sizes?.split(',').map(Number)
  if (sizes?.every((size) => Number.isInteger(size) && size >= 1_000) ?? true) return sizes
  throw new Error('--sizes must be numbers of devices, 1000 at least each')
}

function readNames(): { chosen: readonly Bench[]; named: readonly Measurement[] } {
  const known = [...benches, ...measurements].map(({ name }) => name)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new Error(`there is no ${unknown.join(', ')}; there are ${known.join(', ')}`)
  }
  const isNamed = ({ name }: { name: string }): boolean => names.includes(name)
  const chosen = names.length === 0 ? benches : benches.filter(isNamed)
  if (options.write && chosen.length > 0 && chosen.length < benches.length && !options.commit) {
    throw new Error(`--write replaces the tables of all topics: leave out ${chosen[0]?.name}`)
  }
  if (options.write && options.only) throw new Error('--write replaces tables: leave out --only')
  return { chosen, named: measurements.filter(isNamed) }
}

const say = (line: string): void =>
  void process.stderr.write(`${Math.round(performance.now() / 1_000)} s: ${line}\n`)

const { pace, chosen, named, settings } = orUsage(help, () => ({
  pace: {
    seconds: readPositive('seconds', 1.5),
    rounds: 2 * Math.ceil(readPositive('rounds', 6) / 2),
  },
  ...readNames(),
  settings: {
    devices: Math.ceil(readPositive('devices', 10_000)),
    minutes: readPositive('minutes', 0.5),
    sizes: readSizes(),
    lighthouse: options.lighthouse,
    only: options.only,
    say,
  },
}))

interface Place {
  page: Measurement['page']
  /** The command in the mark of its place. */
  command: string
}

const documents: object[] = []

async function show(machine: Machine, { text, results }: Outcome, place: Place): Promise<void> {
  const content = `${machineLine(machine)}${text.startsWith('|') ? '\n\n' : ' '}${text}`
  if (options.json) documents.push({ ...machine, results })
  else process.stdout.write(`${content}\n`)
  const page = new URL(`../docs/${place.page}.md`, import.meta.url)
  if (options.write) await writeTable(page, place.command, content)
}

async function play(environment: Environment, bench: Bench): Promise<Result[]> {
  const fixture = environment.newFixture()
  const results: Result[] = []
  try {
    for (const comparison of await bench.prepare(fixture, pace.rounds)) {
      const result = await compare(bench.topic, comparison, pace, fixture.meter)
      say(`${bench.name}: ${result.name}: ${result.ratio.median.toFixed(2)}`)
      results.push(result)
    }
  } finally {
    await fixture.clear()
  }
  return results
}

async function measureBenches(environment: Environment): Promise<void> {
  const results: Result[] = []
  for (const bench of chosen) results.push(...(await play(environment, bench)))
  // At the busiest of them.
  const share = Math.max(...results.map((result) => result.others))
  const text = `Medians of ${pace.rounds} rounds.\n\n${tablesOf(results)}`
  const machine = machineOf(share, environment.postgres)
  await show(machine, { text, results }, { page: 'performance', command: 'bench --' })
}

async function measureNamed(environment: Environment, { name, page, measure }: Measurement) {
  const share = watchOthers()
  const outcome = await measure(environment, settings)
  await show(machineOf(share(), environment.postgres), outcome, {
    page,
    command: `bench -- ${name}`,
  })
}

async function measureAll(): Promise<void> {
  const environment = await openEnvironment(options.profile)
  try {
    if (chosen.length > 0) await measureBenches(environment)
    for (const each of named) await measureNamed(environment, each)
  } finally {
    await environment.close()
  }
}

async function measureOlder(commit: string): Promise<void> {
  const { sizes, devices, minutes } = options
  const given = Object.entries({ sizes, devices, minutes }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  )
  const share = watchOthers()
  const all = [...chosen, ...named].map(({ name }) => name)
  const results = await compareCommits(commit, { names: all, pace, options: given, say })
  const place: Place = { page: 'performance', command: 'bench -- --commit REV' }
  await show(machineOf(share()), { text: commitTable(results), results }, place)
}

const { commit } = options
await leavingNothing(async () => {
  await (commit === undefined ? measureAll() : measureOlder(commit))
  if (!options.json) return
  const [first, ...rest] = documents
  process.stdout.write(`${JSON.stringify(rest.length === 0 ? first : documents, null, 2)}\n`)
})
