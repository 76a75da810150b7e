/** Several hosts in DATABASE_URL: every connection is to the one that takes writes. */
import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { newClient } from '../../../src/platform/database/primary-client.ts'
import { openServer } from '../../../src/platform/database/server.ts'
import { startFakePostgres } from '../../support/fake-postgres.ts'

interface Host {
  port: number
  row: Record<string, string>
}

async function startHost(t: TestContext, standby: 't' | 'f'): Promise<Host> {
  const row = { version: '180004', encoding: 'UTF8', standby }
  return { port: (await startFakePostgres(t, { row })).port, row }
}

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const WAITING = { timeoutMs: 5_000, log: () => {} }

const open = (ports: readonly number[], timeoutMs = WAITING.timeoutMs) => {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
  return openServer(`postgres://u:secret@${hosts}/m?sslmode=disable`, { ...WAITING, timeoutMs })
}

/** The port to which a connection is made; it tries again as the service does. */
async function portOf(connection: pg.PoolConfig): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const client = newClient(connection)
    try {
      await client.connect()
      return client.port
    } catch (error) {
      if (tries === 3) throw error
    } finally {
      await client.end().catch(() => {})
    }
  }
}

test('a host that is away and a standby are passed over', async (t) => {
  const away = await closedPort()
  const [standby, primary] = [await startHost(t, 't'), await startHost(t, 'f')]
  const connection = await open([away, standby.port, primary.port])
  assert.equal(await portOf(connection), primary.port)
})

test('after a promotion all connections are to the new primary, those of pools too', async (t) => {
  const [a, b] = [await startHost(t, 'f'), await startHost(t, 't')]
  const connection = await open([a.port, b.port])
  const pool = new pg.Pool({ ...connection, max: 1 })
  pool.on('error', () => {})
  t.after(() => pool.end())
  const ofPool = async (): Promise<number> => {
    const client = await pool.connect()
    client.release(true)
    assert.equal((client as pg.Client).password, 'secret')
    return (client as pg.Client).port
  }
  assert.equal(await ofPool(), a.port)
  a.row.standby = 't'
  b.row.standby = 'f'
  assert.equal(await portOf(connection), b.port)
  assert.equal(await ofPool(), b.port)
})

test('without a primary a connection fails as one to a server that is away', async (t) => {
  const [a, b] = [await startHost(t, 't'), await startHost(t, 't')]
  const refused = await open([a.port, b.port], 200).then(
    () => assert.fail('none of them takes writes'),
    (error: Error) => error,
  )
  assert.match(refused.message, /127\.0\.0\.1:\d+,127\.0\.0\.1:\d+\/m cannot be used: .* standby/)
  assert.ok(!refused.message.includes('secret'))
})
