/**
 * `npm run scale`: an installation of several machines on this one, in which each part is killed
 * again and again under load. After each kill nothing acknowledged may be lost, and nothing revoked
 * may be admitted. The times go to docs/scale.md.
 */
import { parseArgs } from 'node:util'
import { leavingNothing } from '../support/leaving-nothing.ts'
import { machineLine, machineOf, watchOthers } from '../support/machine.ts'
import { writeTable } from '../support/report.ts'
import { orUsage } from '../support/usage.ts'
import { Cluster } from './cluster.ts'
import { Load, type Outage } from './load.ts'
import { outageTable } from './outage-table.ts'

const help = `Usage: npm run scale -- [options]

Starts a Postgres primary and a synchronous standby, three nodes of RabbitMQ and three processes of
the API on this machine, with load. In each round it kills an API process, a broker node, the primary
(whose standby is promoted) and the standby (without which the primary continues), each in turn, and
checks that nothing acknowledged is lost and nothing revoked is admitted. Needs RabbitMQ (Debian:
rabbitmq-server).

  --rounds N    rounds of four kills, 10 by default, 30 at most; a round takes about half a minute
  --devices N   devices that are connected, 100 by default, 1000 at most
  --write       also updates the table in docs/scale.md
  --help        this text

Progress goes to standard error. After a violation the exit code is 1 and the folder is kept.`

const MAX_ROUNDS = 30
const MAX_DEVICES = 1_000

const options = orUsage(help, () => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '10' },
      devices: { type: 'string', default: '100' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const whole = (name: 'rounds' | 'devices', max: number): number => {
    const number = Number(values[name])
    if (Number.isInteger(number) && number >= 1 && number <= max) return number
    throw new Error(`--${name} must be a number from 1 to ${max}`)
  }
  return {
    ...values,
    rounds: whole('rounds', MAX_ROUNDS),
    devices: whole('devices', MAX_DEVICES),
  }
})

const say = (line: string): void =>
  void process.stderr.write(`${Math.round(performance.now() / 1_000)} s: ${line}\n`)

/** One kind of kill. */
interface Kill {
  name: string
  kill(cluster: Cluster, round: number): Promise<unknown>
  /** Whether the load continues while what was killed is made again. */
  restoresUnderLoad: boolean
  /** The acts of an operator, once callers and devices are back. */
  restore(cluster: Cluster, round: number): Promise<unknown>
}

const PROCESSES = 3

const kills: readonly Kill[] = [
  {
    name: 'a process of the API',
    restoresUnderLoad: true,
    kill: ({ api }, round) => api.kill(round % PROCESSES),
    restore: (cluster, round) => cluster.startApi(round % PROCESSES),
  },
  {
    name: 'a node of the broker',
    // A node takes as long to start as all else together.
    restoresUnderLoad: false,
    kill: ({ brokers }, round) => brokers.killNode(round % PROCESSES),
    restore: ({ brokers }, round) => brokers.startNode(round % PROCESSES),
  },
  {
    name: 'the primary',
    restoresUnderLoad: true,
    async kill({ postgres }) {
      await postgres.killPrimary()
      await postgres.promote()
    },
    restore: ({ postgres }) => postgres.addStandby(),
  },
  {
    name: 'the standby',
    restoresUnderLoad: true,
    async kill({ postgres }) {
      await postgres.killStandby()
      await postgres.continueAlone()
    },
    restore: ({ postgres }) => postgres.addStandby(),
  },
]

const BEFORE_MS = 1_000
/** The load continues at least so long after a kill. */
const AFTER_MS = 3_000

async function runKill(cluster: Cluster, load: Load, kill: Kill, round: number): Promise<Outage> {
  await load.begin()
  await new Promise((resolve) => setTimeout(resolve, BEFORE_MS + Math.random() * BEFORE_MS))
  const killedAt = performance.now()
  await kill.kill(cluster, round)
  await load.recovered(killedAt, AFTER_MS)
  const outage = load.outageSince(killedAt)
  if (!kill.restoresUnderLoad) await load.end()
  await kill.restore(cluster, round)
  if (kill.restoresUnderLoad) await load.end()
  await load.check()
  return outage
}

const inSeconds = (ms: number): string => (ms / 1_000).toFixed(1)

async function runRounds(cluster: Cluster, load: Load): Promise<Map<string, Outage[]>> {
  const outages = new Map<string, Outage[]>(kills.map(({ name }) => [name, []]))
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const kill of kills) {
      const outage = await runKill(cluster, load, kill, round)
      outages.get(kill.name)?.push(outage)
      say(
        `round ${round}, ${kill.name}: registrations after ${inSeconds(outage.writesMs)} s, ` +
          `reads after ${inSeconds(outage.readsMs)} s, ${outage.failedRequests} requests failed, ` +
          `${outage.disconnected} devices back after ${inSeconds(outage.backMs)} s`,
      )
      for (const violation of load.violations) say(`violation: ${violation}`)
      if (load.violations.length > 0) return outages
    }
  }
  return outages
}

const page = new URL('../../docs/scale.md', import.meta.url)
async function run(): Promise<boolean> {
  const others = watchOthers()
  const cluster = await Cluster.start(say)
  const load = new Load(cluster)
  let isRight = false
  try {
    await load.addDevices(options.devices)
    say(`${options.devices} devices are connected`)
    const outages = await runRounds(cluster, load)
    await load.checkAll()
    isRight = load.violations.length === 0
    const machine = machineOf(others(), await cluster.postgres.version())
    const text =
      `${machineLine(machine)} ${options.rounds} rounds of ` +
      `four kills, ${options.devices} devices connected. In all ${load.summary}; ` +
      `${load.violations.length} violations.\n\n${outageTable(outages)}`
    process.stdout.write(`${text}\n`)
    if (isRight && options.write) {
      await writeTable(page, 'scale --', text)
    }
    if (!isRight) say(`the folder ${cluster.folder} is kept\n${cluster.api.logs.join('\n')}`)
  } finally {
    load.stop()
    await cluster.stop()
  }
  if (isRight) await cluster.remove()
  return isRight
}

if (options.help) {
  process.stdout.write(`${help}\n`)
  process.exit()
}
let isRight = false
await leavingNothing(async () => {
  isRight = await run()
  return !isRight
})
process.exit(isRight ? 0 : 1)
