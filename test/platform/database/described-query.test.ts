/** The columns of a named statement are described once on each connection. */
import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { run } from '../../../src/platform/database/query.ts'
import { defer } from '../../support/cleanup.ts'
import { cloneDatabase } from '../../support/database.ts'
import { statement } from '../../support/statement.ts'

/** A connection, and what arrived on it since the last call. */
async function open(t: TestContext) {
  const socket = new Socket()
  const chunks: Buffer[] = []
  const client = new pg.Client({ ...(await cloneDatabase(t)), stream: () => socket })
  await client.connect()
  defer(t, () => client.end())
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk))
  const arrived = (): string => Buffer.concat(chunks.splice(0)).toString('latin1')
  return { client, arrived }
}

const values = statement(
  'test.values',
  `SELECT $1::text AS a_name, $2::bigint AS number, $3::boolean AS yes, $4::bytea AS bytes,
    $5::text AS nothing, $6::jsonb AS object, $7::text[] AS several`,
)

test('every run of a named statement has the same rows, and only the first a description', async (t) => {
  const { client, arrived } = await open(t)
  const plain: unknown[] = ['text', 7, true, Buffer.from('bytes'), null, null, ['one', '"two"']]
  const row = { a_name: 'text', number: 7, yes: true, bytes: plain[3], nothing: null }
  for (const isFirst of [true, false, false]) {
    const expected = [{ ...row, object: null, several: plain[6] }]
    assert.deepEqual(await run(client, true, values, plain), expected)
    assert.equal(arrived().includes('a_name'), isFirst)
  }
  // A value that is left to the driver.
  const [{ object } = {}] = await run<Record<string, unknown>>(
    client,
    true,
    values,
    plain.with(5, { member: 1 }),
  )
  assert.deepEqual(object, { member: 1 })
})

test('a statement without rows has none however often it runs', async (t) => {
  const { client } = await open(t)
  await client.query('CREATE TEMP TABLE numbers (number int PRIMARY KEY)')
  const add = statement('test.add', 'INSERT INTO numbers VALUES ($1)')
  for (const number of [1, 2, 3]) assert.deepEqual(await run(client, true, add, [number]), [])
  await assert.rejects(run(client, true, add, [3]), { code: '23505' })
  assert.deepEqual(await run(client, true, add, [4]), [])
  const { rows } = await client.query('SELECT count(*)::int AS count FROM numbers')
  assert.deepEqual(rows, [{ count: 4 }])
})

test('a statement whose columns change is refused, and not read by its old description', async (t) => {
  const { client } = await open(t)
  await client.query('CREATE TEMP TABLE things AS SELECT 1 AS thing')
  const all = statement('test.things', 'SELECT * FROM things')
  for (let times = 0; times < 2; times += 1) {
    assert.deepEqual(await run(client, true, all), [{ thing: 1 }])
  }
  await client.query("ALTER TABLE things ADD other text DEFAULT 'other'")
  await assert.rejects(run(client, true, all), { code: '0A000' })
})

test('an error of a named statement has the stack of its caller', async (t) => {
  const { client } = await open(t)
  const divide = statement('test.divide', 'SELECT 1 / $1::int AS quotient')
  const dividing = async (): Promise<unknown> => run(client, true, divide, [0])
  await assert.rejects(dividing(), (error: Error) =>
    /at async .*dividing|described-query\.test/.test(String(error.stack)),
  )
  assert.deepEqual(await run(client, true, divide, [1]), [{ quotient: 1 }])
})
