/**
 * Measures what is promised, each beside its limit: `npm run bench -- [names…]`.
 *
 *   --seconds N      length of one measurement, 1.5 unless told
 *   --rounds N       measurements of each side, 5 unless told
 *   --json           the figures as JSON instead of a table
 *   --write          also puts the table into docs/performance.md
 *   --profile DIR    CPU profiles of all programs, one file each
 */
import { parseArgs } from 'node:util'
import { bulk } from './bulk.ts'
import { login } from './login.ts'
import { mqttConnect } from './mqtt-connect.ts'
import { provision } from './provision.ts'
import { readDevice } from './read-device.ts'
import { secondWall } from './second-wall.ts'
import { type Bench, compare, type Pace, type Result } from './support/comparison.ts'
import { machineOf, reportOf, tableOf, writeTable } from './support/report.ts'
import { openTheatre, type Theatre } from './support/stage.ts'

const benches: readonly Bench[] = [readDevice, provision, bulk, mqttConnect, login, secondWall]

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '1.5' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
})

function readPositive(name: 'seconds' | 'rounds'): number {
  const number = Number(options[name])
  if (number > 0 && Number.isFinite(number)) return number
  throw new Error(`--${name} must be a number above 0`)
}

function chosenBenches(): readonly Bench[] {
  const known = benches.map(({ name }) => name)
  const strangers = names.filter((name) => !known.includes(name))
  if (strangers.length > 0) {
    throw new Error(`there is no ${strangers.join(', ')}; there are ${known.join(', ')}`)
  }
  return names.length === 0 ? benches : benches.filter(({ name }) => names.includes(name))
}

/** Progress, on standard error so that standard output holds the result alone. */
const say = (line: string): void => void process.stderr.write(`${line}\n`)

async function play(theatre: Theatre, bench: Bench, pace: Pace): Promise<Result[]> {
  const stage = theatre.newStage()
  const results: Result[] = []
  try {
    for (const comparison of await bench.prepare(stage)) {
      const result = await compare(comparison, pace)
      say(`${bench.name}: ${result.name}: ${result.ratio.median.toFixed(2)}`)
      results.push(result)
    }
  } finally {
    await stage.clear()
  }
  return results
}

const pace = { seconds: readPositive('seconds'), rounds: Math.ceil(readPositive('rounds')) }
const chosen = chosenBenches()
const theatre = await openTheatre(options.profile)
try {
  const results: Result[] = []
  for (const bench of chosen) results.push(...(await play(theatre, bench, pace)))
  const report = reportOf(theatre.postgres, results)
  process.stdout.write(
    options.json
      ? `${JSON.stringify(report, null, 2)}\n`
      : `${machineOf(report)}\n\n${tableOf(results)}\n`,
  )
  if (options.write) {
    await writeTable(new URL('../docs/performance.md', import.meta.url), report)
  }
} finally {
  await theatre.close()
}
