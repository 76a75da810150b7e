/** Empty databases on the run's server, for tests that need their own. */
import type { TestContext } from 'node:test'
import { Client, type ClientConfig } from 'pg'
import { emptyDatabase } from './database.ts'

export type ScratchDatabase = {
  config: ClientConfig
  /** A new connection; it must be ended before the test is over. */
  connect: () => Promise<Client>
  /** One statement on a connection of its own; its rows. */
  ask: <Row = Record<string, unknown>>(sql: string) => Promise<Row[]>
}

export async function scratchDatabase(t: TestContext): Promise<ScratchDatabase> {
  const config = await emptyDatabase(t)
  return {
    config,
    connect: () => connectTo(config),
    ask: <Row>(sql: string) => askOn(config, sql) as Promise<Row[]>,
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
