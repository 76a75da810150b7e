/**
 * The processes of a test run: a few that each run many files in sequence or, if the caller passes
 * flags for `node --test`, one per file, as those flags expect.
 */
import { spawn } from 'node:child_process'
import { globSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { announceFiles, FILE_TIMEOUT_MS, GRACE_MS, TURNS_FOLDER, unfinished } from './test-queue.ts'

export interface TestRun {
  /** Paths of test files and of folders; if there are none, all tests but the long ones. */
  chosen: readonly string[]
  /** For `node --test`. */
  flags: readonly string[]
  /** A folder that is the run's own. */
  folder: string
  environment: Readonly<Record<string, string>>
}

/** Tests that end processes again and again: too long for each run, so `.ci/run` names them. */
const FAULTS = /^test\/faults\//
/**
 * Tests that start the service or its commands many times, each a process and mostly with a
 * database of its own: a quarter of the processor time of all. `npm test -- --processes` runs them.
 */
const OF_PROCESSES = [
  /^test\/cli\/(commands|sign-in)\.test\.ts$/,
  /^test\/commands\/(accounts-and-keys|backup|changes|database-url|doctor|lists)\.test\.ts$/,
  /^test\/commands\/(lost-database|master-key|plain-user|serve)\.test\.ts$/,
  /^test\/e2e\/(demo|killed-service|upgrade-from-[\d.]+)\.test\.ts$/,
  /^test\/platform\/database\/(earlier-server|embedded-faults|embedded-identity)\.test\.ts$/,
]

/** The longest file is taken first, so that all processes end at about the same time. */
const LONG = [
  /^test\/(architecture|cli|commands|e2e|platform\/database)\//,
  /\/(every-page|bind-claim|binding-races|mfa-guessing|mfa-verify|lock-out|login)\.test\.ts$/,
]
/** Files wait for their databases, and for services that start, more than half of the time. */
const CONCURRENCY = availableParallelism() + 4
const WATCH_EVERY_MS = 5_000
const SHORT_REPORTER = new URL('short-reporter.ts', import.meta.url).href

const isOfProcesses = (file: string): boolean => OF_PROCESSES.some((each) => each.test(file))

/** The files for `npm test -- --processes`. */
export const filesOfProcesses = (): string[] =>
  globSync('test/**/*.test.ts').filter(isOfProcesses).sort()

function testFiles(chosen: readonly string[]): string[] {
  const paths = chosen.length === 0 ? ['test'] : chosen
  const named = paths.flatMap((path) =>
    statSync(path).isDirectory() ? globSync(join(path, '**/*.test.ts')) : [path],
  )
  const isShort = (file: string): boolean => !FAULTS.test(file) && !isOfProcesses(file)
  const files = chosen.length > 0 ? named : named.filter(isShort)
  const isLate = (file: string): number => (LONG.some((pattern) => pattern.test(file)) ? 0 : 1)
  return [...new Set(files)].sort((a, b) => isLate(a) - isLate(b) || (a < b ? -1 : 1))
}

/** @returns the exit code. */
function runNode(args: readonly string[], environment: TestRun['environment']): Promise<number> {
  const child = spawn(process.execPath, ['--test', `--test-concurrency=${CONCURRENCY}`, ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
}

/** Ends a process whose file does not even come to its timeout, as it never waits. */
function watch(turns: string): NodeJS.Timeout {
  return setInterval(() => {
    for (const { taken } of unfinished(turns)) {
      if (taken === undefined || Date.now() - taken.at < FILE_TIMEOUT_MS + GRACE_MS) continue
      process.kill(taken.pid, 'SIGKILL')
    }
  }, WATCH_EVERY_MS)
}

/** Scripts that Node takes for test files; it wants a file of its own for each process. */
function workerScripts(folder: string, count: number): string[] {
  const worker = JSON.stringify(new URL('worker.ts', import.meta.url).href)
  mkdirSync(folder)
  return Array.from({ length: count }, (_, index) => {
    const path = join(folder, `process-${index + 1}.mjs`)
    writeFileSync(path, `import ${worker}\n`)
    return path
  })
}

async function runTogether(files: readonly string[], run: TestRun): Promise<number> {
  const turns = join(run.folder, 'turns')
  announceFiles(turns, files)
  const count = Math.min(CONCURRENCY, files.length)
  const watching = watch(turns)
  const scripts = workerScripts(join(run.folder, 'processes'), count)
  // Each test of a few files is named.
  const isWhole = run.chosen.length === 0
  if (isWhole)
    process.stdout.write(`${files.length} files of tests. What fails is printed below.\n`)
  const reporter = isWhole ? [`--test-reporter=${SHORT_REPORTER}`] : []
  const environment = { ...run.environment, [TURNS_FOLDER]: turns }
  const code = await runNode([...reporter, ...scripts], environment)
  clearInterval(watching)
  const rest = unfinished(turns)
  for (const { file, taken } of rest) {
    const what = taken === undefined ? 'was not run' : 'was not run to its end'
    process.stderr.write(`${file} ${what}\n`)
  }
  return rest.length === 0 ? code : 1
}

/** Runs the tests, and writes what they say to standard output. @returns the exit code. */
export function runTests(run: TestRun): Promise<number> {
  const files = testFiles(run.chosen)
  if (run.flags.length === 0) return runTogether(files, run)
  return runNode([`--test-timeout=${FILE_TIMEOUT_MS}`, ...run.flags, ...files], run.environment)
}
