/**
 * A separate database for each test, cloned from the migrated template that test/run.ts creates.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { defer } from './cleanup.ts'

/** Names the folder of a database that test/run.ts has made and migrated, if it has. */
export const CLUSTER_FOLDER = 'MOORING_TEST_CLUSTER'

/**
 * Puts a database that is there, migrated, and empty into a data folder: to make one takes longer
 * than to start. Nothing happens on a server that is not the run's own: then a start makes it.
 */
export async function copyCluster(dataDir: string): Promise<void> {
  const cluster = process.env[CLUSTER_FOLDER]
  if (cluster === undefined) return
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await promisify(execFile)('cp', ['-pR', cluster, join(dataDir, 'postgres')])
}

interface ServerOfRun extends pg.ClientConfig {
  url?: string
}

const readServer = (): { server: ServerOfRun; template: string } => {
  const { MOORING_TEST_SERVER: server, MOORING_TEST_TEMPLATE: template } = process.env
  if (server === undefined || template === undefined) {
    throw new Error('run tests with `npm test` or `node test/run.ts <file>`')
  }
  return { server: JSON.parse(server) as ServerOfRun, template }
}

/** How to reach a database of the test server. */
function connectionTo(database: string): pg.PoolConfig {
  const { server } = readServer()
  if (server.url === undefined) return { ...server, database }
  const url = new URL(server.url)
  url.pathname = `/${database}`
  return { connectionString: url.href }
}

/** The superuser of the private server that test/run.ts starts. */
const SUPERUSER = 'postgres'
const TRIES = 20
const PAUSE_MS = 250
/** In use; not ours to terminate, as a process of the server's own is in there for a moment. */
const PASSING = ['55006', '42501']

/** Runs one statement on the server, outside of the test databases. */
async function administer(sql: string): Promise<void> {
  const { server } = readServer()
  const client = new pg.Client(
    server.url === undefined ? { ...server, user: SUPERUSER } : { connectionString: server.url },
  )
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

async function administerWithRetries(sql: string): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      return await administer(sql)
    } catch (error) {
      const passes = error instanceof pg.DatabaseError && PASSING.includes(error.code ?? '')
      if (!passes || left === 0) throw error
      await sleep(PAUSE_MS)
    }
  }
}

/** A new database with what is in `template`, dropped again with anyone who is still connected. */
async function createDatabase(t: Pick<TestContext, 'after'>, template: string): Promise<string> {
  const { server } = readServer()
  const name = `t_${randomBytes(6).toString('hex')}`
  // On a private server; a copy of the files costs less than one through the log.
  const asSuperuser = server.url === undefined ? `OWNER ${server.user} STRATEGY FILE_COPY` : ''
  await administerWithRetries(`CREATE DATABASE ${name} TEMPLATE ${template} ${asSuperuser}`)
  defer(t, () => administerWithRetries(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  return name
}

/** Clones the template; dropped again after the test, with anyone who is still connected. */
export async function cloneDatabase(t: Pick<TestContext, 'after'>): Promise<pg.PoolConfig> {
  return connectionTo(await createDatabase(t, readServer().template))
}

/** A database with nothing in it, dropped again after the test. */
export async function emptyDatabase(t: Pick<TestContext, 'after'>): Promise<pg.PoolConfig> {
  return connectionTo(await createDatabase(t, 'template0'))
}

/** The DATABASE_URL of a database with nothing in it, dropped again after the test. */
export const emptyDatabaseUrl = async (t: Pick<TestContext, 'after'>): Promise<string> =>
  databaseUrl(await createDatabase(t, 'template0'))

/** The DATABASE_URL of a clone of the template. */
export const clonedDatabaseUrl = async (t: Pick<TestContext, 'after'>): Promise<string> =>
  databaseUrl(await createDatabase(t, readServer().template))

/** The DATABASE_URL of a database by its name. */
export function databaseUrl(name: string): string {
  const { server } = readServer()
  const url = new URL(server.url ?? 'postgres://localhost')
  url.pathname = `/${name}`
  if (server.url === undefined) {
    url.username = server.user ?? ''
    url.searchParams.set('host', server.host ?? '')
    url.searchParams.set('port', String(server.port))
  }
  return url.href
}
