/** The workspace that a statement is kept to: the requested one; none stays behind. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import {
  connectDatabase,
  type Database,
  NO_WORKSPACE,
  unnamed,
} from '../../../src/platform/database/connect.ts'
import { statement } from '../../support/statement.ts'
import { enterRole, scopedTo } from '../../../src/platform/database/workspace-scope.ts'
import { newUuid } from '../../../src/platform/lib/ids.ts'
import { defer } from '../../support/cleanup.ts'
import { cloneDatabase } from '../../support/database.ts'

const ROLE = 'mooring_requests'

/** Without any condition of its own. */
const seen = statement('test.seen', 'SELECT name FROM workspaces')
const fails = statement('test.fails', 'SELECT 1 / 0 FROM workspaces')
const rename = statement('test.rename', `UPDATE workspaces SET revision = revision + 1`)
const place = unnamed(
  `SELECT current_user AS role, current_setting('mooring.workspace', true) AS ws`,
)

async function open(
  t: TestContext,
  options: { poolSize?: number; prepared?: boolean } = {},
): Promise<Database> {
  const database = connectDatabase({
    connection: await cloneDatabase(t),
    poolSize: 5,
    prepared: true,
    statementTimeoutMs: 30_000,
    acquireTimeoutMs: 30_000,
    requestRole: ROLE,
    ...options,
  })
  defer(t, () => database.close())
  return database
}

/** Workspaces that are called by their ids. */
async function makeWorkspaces(database: Database, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newUuid)
  await database.query(
    unnamed(`INSERT INTO workspaces (id, name, slug)
             SELECT id, id::text, 'w' || id::text FROM unnest($1::uuid[]) AS t (id)`),
    [ids],
  )
  return ids
}

const STATEMENTS = 10_000
const CALLERS = 64

/** One use of one workspace; the number says in which way. */
async function use(database: Database, id: string, number: number): Promise<void> {
  const { db, points } = database.within(id)
  const expected = [{ name: id }]
  const mine = async (reader: Pick<typeof db, 'query'>): Promise<void> =>
    assert.deepEqual(await reader.query(seen, []), expected)
  switch (number % 10) {
    case 0:
      return assert.rejects(db.query(fails))
    case 1:
      return assert.rejects(points.query(fails, []))
    case 2:
      return db.transaction(async (trx) => {
        await mine(trx)
        await trx.query(rename)
        await mine(trx)
      })
    case 3: {
      const undone = db.transaction(async (trx) => {
        await mine(trx)
        await trx.query(fails)
      })
      return assert.rejects(undone)
    }
    case 4:
      return assert.deepEqual(await database.within(NO_WORKSPACE).db.query(seen), [])
    default:
      return mine(number % 2 === 0 ? db : points)
  }
}

for (const prepared of [true, false]) {
  const kind = prepared ? 'with sessions of its own' : 'behind a pooler'
  const uses = prepared ? STATEMENTS : STATEMENTS / 10
  test(`${uses} interleaved uses of 50 workspaces on five connections see their own, ${kind}`, async (t) => {
    const database = await open(t, { prepared })
    const ids = await makeWorkspaces(database, 50)
    let next = 0
    const caller = async (): Promise<void> => {
      while (next < uses) {
        const number = next++
        // Neighbours differ, and each comes back to a connection that served another one.
        await use(database, ids[(number * 7) % ids.length] as string, number)
      }
    }
    await Promise.all(Array.from({ length: CALLERS }, caller))
    const { rows } = await database.pool.query<{ changed: number }>(
      'SELECT sum(revision - 1)::int AS changed FROM workspaces',
    )
    assert.equal(rows[0]?.changed, uses / 10, 'each change met one row')
  })
}

test(`${STATEMENTS} uses on one pipelined connection see their own, in runs and with failures between`, async (t) => {
  const database = await open(t)
  const ids = await makeWorkspaces(database, 5)
  const idOf = (number: number): string => ids[Math.floor(number / 4) % ids.length] as string
  const check = async (number: number): Promise<void> => {
    const { points } = database.within(idOf(number))
    if (number % 3 === 0) return assert.rejects(points.query(fails, []))
    assert.deepEqual(await points.query(seen, []), [{ name: idOf(number) }])
  }
  const numbers = Array.from({ length: STATEMENTS }, (_, number) => number)
  for (let from = 0; from < STATEMENTS; from += CALLERS) {
    await Promise.all(numbers.slice(from, from + CALLERS).map(check))
  }
})

test('a transaction that is rolled back takes no setting with it', async (t) => {
  const database = await open(t, { poolSize: 1 })
  const [first = '', second = ''] = await makeWorkspaces(database, 2)
  assert.deepEqual(await database.within(first).db.query(seen), [{ name: first }])
  const undone = database.within(second).db.transaction(async (trx) => {
    assert.deepEqual(await trx.query(seen), [{ name: second }])
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  assert.deepEqual(await database.within(second).db.query(seen), [{ name: second }])
  assert.deepEqual(await database.within(first).db.query(seen), [{ name: first }])
})

test('nothing but a UUID gets into the setting', async (t) => {
  const database = await open(t)
  for (const id of [`' ; DROP TABLE x; --`, 'ws_1', `${newUuid()}'`, ` ${newUuid()}`]) {
    assert.throws(() => database.within(id), /not a UUID/)
  }
})

test('behind a pooler nothing stays on the connection', async (t) => {
  const database = await open(t, { prepared: false, poolSize: 1 })
  const [id = ''] = await makeWorkspaces(database, 1)
  const { db } = database.within(id)
  const [inside] = await db.query<{ role: string; ws: string }>(place)
  assert.deepEqual(inside, { role: ROLE, ws: id })
  await assert.rejects(db.query(fails))
  const inTransaction = await db.transaction((trx) => trx.query(place))
  assert.deepEqual(inTransaction, [inside])
})

test('a pooler is recognised by the number that it gives to a connection', async (t) => {
  const connection = await cloneDatabase(t)
  const check = async (client: pg.Client) =>
    (await client.query<{ role: string; ws: string | null }>(place.text)).rows[0]
  for (const isPooled of [false, true]) {
    const client = new pg.Client({ ...connection, pipeline: true })
    await client.connect()
    defer(t, () => client.end())
    if (isPooled) (client as unknown as { processID: number }).processID += 1
    const before = await check(client)
    await enterRole(client, ROLE, true)
    const id = newUuid()
    const mode = scopedTo(id, ROLE, true)
    assert.deepEqual(await mode.single(client, place, []), [{ role: ROLE, ws: id }])
    const after = await check(client)
    if (isPooled) assert.equal(after?.role, before?.role)
    else assert.deepEqual(after, { role: ROLE, ws: id })
  }
})

test('without a role everything is done as the owner', async (t) => {
  const database = await open(t)
  const plain = connectDatabase({
    connection: database.pool.options,
    poolSize: 1,
    prepared: true,
    statementTimeoutMs: 30_000,
    acquireTimeoutMs: 30_000,
  })
  defer(t, () => plain.close())
  const ids = await makeWorkspaces(database, 2)
  assert.equal((await plain.within(ids[0] ?? '').db.query(seen)).length, 2)
})
