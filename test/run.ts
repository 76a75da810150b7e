/**
 * Runs the tests: `node test/run.ts [--postgres] [files or folders…]`. It starts one private
 * Postgres for all of them (or takes the one of DATABASE_URL), migrates a template database there,
 * and every test file clones it. After a run of all tests it looks whether every failure of the
 * catalogue was met.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../src/database/embedded.ts'
import { migrate } from '../src/database/migrate.ts'
import { complaintsAbout, REACHED_FILE } from './support/reached.ts'

const args = process.argv.slice(2)
const onPostgres = args.includes('--postgres')
const chosen = args.filter((arg) => !arg.startsWith('--'))
const flags = args.filter((arg) => arg.startsWith('--') && arg !== '--postgres')

interface Server {
  connection: pg.ClientConfig
  stop(): Promise<void>
}

async function openServer(): Promise<Server> {
  if (onPostgres) {
    const url = process.env.DATABASE_URL
    if (!url) throw new Error('npm run test:postgres needs DATABASE_URL')
    return { connection: { connectionString: url }, stop: () => Promise.resolve() }
  }
  const folder = mkdtempSync(join(tmpdir(), 'mooring-test-'))
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} })
  return {
    connection: postgres.connection,
    async stop() {
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const patterns = (): string[] =>
  chosen.length === 0
    ? ['test/**/*.test.ts']
    : chosen.map((path) => (statSync(path).isDirectory() ? `${path}/**/*.test.ts` : path))

function runTests(environment: Record<string, string>): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-timeout=60000',
      `--test-concurrency=${availableParallelism()}`,
      ...flags,
      ...patterns(),
    ],
    { stdio: 'inherit', env: { ...process.env, ...environment } },
  )
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
}

const server = await openServer()
const template = `mooring_template_${randomBytes(4).toString('hex')}`
const admin = new pg.Client(server.connection)
await admin.connect()
await admin.query(`CREATE DATABASE ${template}`)
const connection = { ...server.connection, database: template }
const connect = async (): Promise<pg.Client> => {
  const client = new pg.Client(
    onPostgres ? { connectionString: withDatabase(template) } : connection,
  )
  await client.connect()
  return client
}

function withDatabase(name: string): string {
  const url = new URL(process.env.DATABASE_URL as string)
  url.pathname = `/${name}`
  return url.href
}

/** Says what only the whole run can tell. @returns the exit code. */
function judgeWholeRun(file: string): number {
  const complaints = complaintsAbout(file)
  for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
  return complaints.length === 0 ? 0 : 1
}

let code = 1
const folder = mkdtempSync(join(tmpdir(), 'mooring-run-'))
const reached = join(folder, 'reached')
try {
  await migrate(connect, new URL('../migrations/', import.meta.url), () => {})
  code = await runTests({
    [REACHED_FILE]: reached,
    MOORING_TEST_SERVER: JSON.stringify(
      onPostgres ? { url: process.env.DATABASE_URL } : server.connection,
    ),
    MOORING_TEST_TEMPLATE: template,
  })
  const isWhole = chosen.length === 0 && flags.length === 0
  if (code === 0 && isWhole) code = judgeWholeRun(reached)
} finally {
  rmSync(folder, { recursive: true, force: true })
  await admin.query(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`)
  await admin.end()
  await server.stop()
}
process.exitCode = code
