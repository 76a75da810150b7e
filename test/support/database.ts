/** A database of its own for a test, cloned from the migrated template that test/run.ts made. */
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { defer } from './cleanup.ts'

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

/** Runs one statement on the server, outside of the test databases. */
async function administer(sql: string): Promise<void> {
  const { server } = readServer()
  const client = new pg.Client(server.url === undefined ? server : { connectionString: server.url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Clones the template; dropped again after the test, with whoever is still connected. */
export async function cloneDatabase(t: Pick<TestContext, 'after'>): Promise<pg.PoolConfig> {
  const { template } = readServer()
  const name = `t_${randomBytes(6).toString('hex')}`
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  defer(t, () => administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  return connectionTo(name)
}

/** The DATABASE_URL of a database with nothing in it, dropped again after the test. */
export async function emptyDatabaseUrl(t: Pick<TestContext, 'after'>): Promise<string> {
  const { server } = readServer()
  const name = `t_${randomBytes(6).toString('hex')}`
  await administer(`CREATE DATABASE ${name} TEMPLATE template0`)
  defer(t, () => administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  const url = new URL(server.url ?? 'postgres://localhost')
  url.pathname = `/${name}`
  if (server.url === undefined) {
    url.username = server.user ?? ''
    url.searchParams.set('host', server.host ?? '')
    url.searchParams.set('port', String(server.port))
  }
  return url.href
}
