/** The connection for point reads is one, also after it was lost. */
import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { pipelined } from '../../../src/platform/database/points.ts'
import { statement } from '../../support/statement.ts'
import { defer } from '../../support/cleanup.ts'
import { cloneDatabase } from '../../support/database.ts'
import { until } from '../../support/until.ts'

const one = statement('test.one', 'SELECT 1 AS one')

test('a read at the moment of a loss does not leave a connection behind', async (t) => {
  const connection = await cloneDatabase(t)
  const watch = new pg.Client(connection)
  await watch.connect()
  defer(t, () => watch.end())
  const others = async (): Promise<number[]> =>
    (
      await watch.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'points'`,
      )
    ).rows.map(({ pid }) => pid)
  let atLoss: Promise<unknown> | undefined
  const points = pipelined(
    { ...connection, application_name: 'points', pipeline: true },
    {
      prepared: true,
      onError: () => void (atLoss ??= points.query(one, [])),
      availability: { requireAvailable: () => {}, noteResponse: () => {} },
    },
  )
  await points.query(one, [])
  const [first] = await others()
  await watch.query('SELECT pg_terminate_backend($1)', [first])
  assert.deepEqual(await until('the loss', () => atLoss), [{ one: 1 }])
  await points.query(one, [])
  // The one that was lost may be on its way out still.
  assert.equal((await others()).filter((pid) => pid !== first).length, 1)
  await points.close()
  await until('the end of every connection', async () => (await others()).length === 0)
})

/** A server that passes everything on, and notes in how many pieces it came. */
async function countPieces(t: TestContext, upstream: pg.PoolConfig) {
  const pieces: Buffer[] = []
  // Where it is, also if that is given as an address.
  const { host, port: upstreamPort, user, password, database } = new pg.Client(upstream)
  const server = createServer((client) => {
    const onward: Socket = host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${upstreamPort}`)
      : connect(upstreamPort, host)
    client.on('data', (piece: Buffer) => {
      pieces.push(piece)
      onward.write(piece)
    })
    onward.pipe(client)
    client.once('close', () => onward.destroy())
    onward.once('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  defer(t, () => void server.close())
  const { port } = server.address() as { port: number }
  return { pieces, connection: { user, password, database, host: '127.0.0.1', port } }
}

test('the reads of one turn of the event loop leave together', async (t) => {
  const { pieces, connection } = await countPieces(t, await cloneDatabase(t))
  const points = pipelined(
    { ...connection, pipeline: true },
    { prepared: true, availability: { requireAvailable: () => {}, noteResponse: () => {} } },
  )
  defer(t, () => points.close())
  await points.query(one, [])
  pieces.length = 0
  const several = Array.from({ length: 16 }, () => points.query(one, []))
  for (const rows of await Promise.all(several)) assert.deepEqual(rows, [{ one: 1 }])
  assert.equal(pieces.length, 1)
  // The next turn does not wait for anything.
  assert.deepEqual(await points.query(one, []), [{ one: 1 }])
  assert.equal(pieces.length, 2)
})
