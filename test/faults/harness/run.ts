/**
 * Kills the service and its Postgres under a mixed load, round after round, and checks after each
 * that nothing acknowledged is lost and nothing has happened twice.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { orUsage } from '../../../bench/support/usage.ts'
import { Harness } from './harness.ts'

const help = `Usage: npm run faults -- [options]

Starts a service with a data folder of its own and puts a mixed load on it: registrations one by one
and in streams, rotations, claims, API keys, accounts that are deleted, jobs that are cancelled, imports,
webhooks, the event feed, invoices and payments. In each round it kills the service, its Postgres or a single process of
that at a random moment, brings it back, and checks that what was acknowledged is there once.

  --rounds N   rounds, 200 by default
  --seed S     chooses what happens; random by default
  --first N    number of the first round, 1 by default: to repeat one round of a seed
  --help       this text

Progress goes to standard error. After a violation the exit code is 1 and the data folder is kept.`

function readWhole(name: string, text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 0) return number
  throw new Error(`--${name} must be a whole number`)
}

const options = orUsage(help, () => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '200' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      first: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  })
  return {
    rounds: readWhole('rounds', values.rounds),
    seed: readWhole('seed', values.seed),
    first: readWhole('first', values.first),
    help: values.help,
  }
})

const say = (line: string): void => void process.stderr.write(`${line}\n`)

async function run(): Promise<boolean> {
  const { rounds, seed, first } = options
  const folder = await mkdtemp(join(tmpdir(), 'mooring-faults-'))
  const dataDir = join(folder, 'data')
  say(`seed ${seed}, ${rounds} rounds, data in ${dataDir}`)
  const harness = await Harness.start(seed, dataDir)
  let isRight = true
  try {
    for (let round = first; isRight && round < first + rounds; round += 1) {
      say(await harness.runRound(round))
      isRight = harness.violations.length === 0
      for (const violation of harness.violations) say(`violation: ${violation}`)
      if (isRight) continue
      await writeFile(join(folder, 'service.log'), harness.log)
      await writeFile(join(folder, 'tasks.log'), await harness.tasks().catch(String))
      say(`Repeat it with: npm run faults -- --seed ${seed} --first ${round} --rounds 1`)
      say(`The data folder, the log of the service and its tasks are in ${folder}`)
    }
    say(harness.summary())
  } finally {
    await harness.stop()
  }
  if (isRight) await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  return isRight
}

if (options.help) process.stdout.write(`${help}\n`)
else process.exitCode = (await run()) ? 0 : 1
