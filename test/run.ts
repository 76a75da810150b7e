/**
 * Runs the tests: `node test/run.ts [--postgres] [--processes] [files or folders…]`. It starts one
 * private Postgres for all of them (or takes the one of DATABASE_URL), migrates a template database
 * there, and every test file clones it. After a run of all tests it looks whether every failure of
 * the catalogue was met. With `--processes` it adds those that start many processes.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { CLUSTER_FOLDER } from './support/database.ts'
import { prepare, startPrivateServer, temporaryFolder } from './support/private-server.ts'
import { filesOfProcesses, runTests } from './support/processes.ts'
import { complaintsAbout, REACHED_FILE } from './support/provoked-failures.ts'

const args = process.argv.slice(2)
const onPostgres = args.includes('--postgres')
const OWN_FLAGS = ['--postgres', '--processes']
const chosen = args
  .filter((arg) => !arg.startsWith('--'))
  .concat(args.includes('--processes') ? filesOfProcesses() : [])
const flags = args.filter((arg) => arg.startsWith('--') && !OWN_FLAGS.includes(arg))

interface Server {
  connection: pg.ClientConfig
  /** The stopped folder of a private server before the tests, for services of their own. */
  cluster?: string
  stop(): Promise<void>
}

const template = `mooring_template_${randomBytes(4).toString('hex')}`

async function administer(connection: pg.ClientConfig, sql: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** The server of DATABASE_URL, which keeps nothing of the run. */
async function borrowServer(): Promise<Server> {
  const address = process.env.DATABASE_URL
  if (!address) throw new Error('npm run test:postgres needs DATABASE_URL')
  const connection = { connectionString: address }
  const url = new URL(address)
  url.pathname = `/${template}`
  const stop = () => administer(connection, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`)
  await administer(connection, `CREATE DATABASE ${template}`)
  try {
    await prepare({ connectionString: url.href })
  } catch (error) {
    await stop()
    throw error
  }
  return { connection, stop }
}

/** A private server. Its folder is copied while it is stopped: the copy is whole. */
async function openServer(runFolder: string): Promise<Server> {
  const dataDir = join(runFolder, 'data')
  const start = () => startPrivateServer(dataDir)
  const first = await start()
  try {
    await prepare(first.connection)
  } finally {
    await first.stop()
  }
  const cluster = join(runFolder, 'cluster')
  await promisify(execFile)('cp', ['-pR', join(dataDir, 'postgres'), cluster])
  const server = await start()
  const { connection } = server
  await administer(connection, `CREATE DATABASE ${template} TEMPLATE ${connection.database}`)
  return { connection, cluster, stop: () => server.stop() }
}

/** Runs while the server starts. If it fails, the processes of the tests compile for themselves. */
async function compileOnce(): Promise<void> {
  const script = fileURLToPath(new URL('support/compile-once.ts', import.meta.url))
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled }
  await promisify(execFile)(process.execPath, [script], { env }).catch(() => {})
}

/** Prints the findings that only the whole run has. @returns the exit code. */
function evaluateRun(file: string): number {
  const complaints = complaintsAbout(file)
  for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
  return complaints.length === 0 ? 0 : 1
}

let code = 1
const temporary = temporaryFolder()
const runFolder = mkdtempSync(join(temporary, 'mooring-run-'))
const reached = join(runFolder, 'reached')
const compiled = join(runFolder, 'compiled')
let opened: Server | undefined
try {
  const compiling = compileOnce()
  const server = await (onPostgres ? borrowServer() : openServer(runFolder))
  opened = server
  await compiling
  const environment = {
    [REACHED_FILE]: reached,
    MOORING_TEST_SERVER: JSON.stringify(
      onPostgres ? { url: process.env.DATABASE_URL } : server.connection,
    ),
    MOORING_TEST_TEMPLATE: template,
    ...(server.cluster !== undefined && { [CLUSTER_FOLDER]: server.cluster }),
    TMPDIR: temporary,
    // Most processes load the whole service: it is compiled once for all of them.
    NODE_COMPILE_CACHE: compiled,
  }
  code = await runTests({ chosen, flags, folder: runFolder, environment })
  const isWhole = chosen.length === 0 && flags.length === 0
  if (code === 0 && isWhole) code = evaluateRun(reached)
} finally {
  await opened?.stop()
  rmSync(runFolder, { recursive: true, force: true })
}
process.exitCode = code
