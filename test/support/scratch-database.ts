// Empty databases for tests that need one of their own: on the server of DATABASE_URL if it is set
// (its role must be allowed to create databases), else on an embedded one that all tests of the
// file share.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { Client, type ClientConfig } from 'pg'
import { startEmbeddedPostgres } from '../../src/database/embedded.ts'

export type ScratchDatabase = {
  config: ClientConfig
  /** A new connection; it must be ended before the test is over. */
  connect: () => Promise<Client>
  /** One statement on a connection of its own; its rows. */
  ask: <Row = Record<string, unknown>>(sql: string) => Promise<Row[]>
}

let shared: Promise<ClientConfig> | undefined
const atEnd: (() => Promise<void>)[] = []
after(async () => {
  for (const action of atEnd) await action()
})

export async function scratchDatabase(t: TestContext): Promise<ScratchDatabase> {
  shared ??= findServer()
  const server = await shared
  const name = `mooring_test_${randomBytes(6).toString('hex')}`
  await askOn(server, `CREATE DATABASE ${name}`)
  t.after(() => askOn(server, `DROP DATABASE ${name} WITH (FORCE)`))
  const config = { ...server, database: name }
  return {
    config,
    connect: () => connectTo(config),
    ask: <Row>(sql: string) => askOn(config, sql) as Promise<Row[]>,
  }
}

async function findServer(): Promise<ClientConfig> {
  const url = process.env['DATABASE_URL']
  if (url) return serverOf(url)
  const dataDir = await mkdtemp(join(tmpdir(), 'mooring-test-'))
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} })
  atEnd.push(async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  })
  return postgres.connection
}

function serverOf(url: string): ClientConfig {
  const client = new Client(url)
  const { host, port, user, database, ssl } = client
  const password = typeof client.password === 'string' ? { password: client.password } : {}
  return {
    host,
    port,
    ssl,
    ...(user ? { user } : {}),
    ...(database ? { database } : {}),
    ...password,
  }
}

async function connectTo(config: ClientConfig): Promise<Client> {
  const client = new Client(config)
  client.on('error', () => {})
  await client.connect()
  return client
}

async function askOn(config: ClientConfig, sql: string): Promise<unknown[]> {
  const client = await connectTo(config)
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
