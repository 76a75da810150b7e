/**
 * Runs the tests: `node test/run.ts [--postgres] [files or folders…]`. It starts one private
 * Postgres for all of them (or takes the one of DATABASE_URL), migrates a template database there,
 * and every test file clones it. After a run of all tests it looks whether every failure of the
 * catalogue was met.
 */
import { randomBytes } from 'node:crypto'
import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { variables } from '../src/config-variables.ts'
import { startEmbeddedPostgres } from '../src/database/embedded.ts'
import { migrate } from '../src/database/migrate.ts'
import { prepareRequestRole } from '../src/database/request-role.ts'
import { migrateQueue } from '../src/jobs/queue-schema.ts'
import { runTests } from './support/processes.ts'
import { complaintsAbout, REACHED_FILE } from './support/reached.ts'

const args = process.argv.slice(2)
const onPostgres = args.includes('--postgres')
const chosen = args.filter((arg) => !arg.startsWith('--'))
const flags = args.filter((arg) => arg.startsWith('--') && arg !== '--postgres')

interface Server {
  connection: pg.ClientConfig
  stop(): Promise<void>
}

const MEMORY_FOLDER = '/dev/shm'
const ENOUGH_MEMORY_BYTES = 3 * 2 ** 30

/**
 * Where the run keeps its files: in memory if there is plenty. Every test clones a database, and
 * on a disk the copies and their syncs take longer than the tests.
 */
function temporaryFolder(): string {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= ENOUGH_MEMORY_BYTES ? MEMORY_FOLDER : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** A service has about twenty connections, and some tests start several services. */
const settings = { max_connections: '400' }

async function openServer(runFolder: string): Promise<Server> {
  if (onPostgres) {
    const url = process.env.DATABASE_URL
    if (!url) throw new Error('npm run test:postgres needs DATABASE_URL')
    return { connection: { connectionString: url }, stop: () => Promise.resolve() }
  }
  const dataDir = join(runFolder, 'data')
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {}, settings })
  return { connection: postgres.connection, stop: () => postgres.stop() }
}

const temporary = temporaryFolder()
const runFolder = mkdtempSync(join(temporary, 'mooring-run-'))
const server = await openServer(runFolder)
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
const reached = join(runFolder, 'reached')
try {
  await migrate(connect, new URL('../migrations/', import.meta.url), () => {})
  await migrateQueue(onPostgres ? { connectionString: withDatabase(template) } : connection)
  await prepareRequestRole(connect, variables.databaseRole.fallback)
  const environment = {
    [REACHED_FILE]: reached,
    MOORING_TEST_SERVER: JSON.stringify(
      onPostgres ? { url: process.env.DATABASE_URL } : server.connection,
    ),
    MOORING_TEST_TEMPLATE: template,
    TMPDIR: temporary,
    // Most processes load the whole service: it is compiled once for all of them.
    NODE_COMPILE_CACHE: join(runFolder, 'compiled'),
  }
  code = await runTests({ chosen, flags, folder: runFolder, environment })
  const isWhole = chosen.length === 0 && flags.length === 0
  if (code === 0 && isWhole) code = judgeWholeRun(reached)
} finally {
  if (onPostgres) await admin.query(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`)
  await admin.end()
  await server.stop()
  rmSync(runFolder, { recursive: true, force: true })
}
process.exitCode = code
