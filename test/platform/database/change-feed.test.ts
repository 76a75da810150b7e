/** Every change comes once, and nothing that was read before a change is kept as if it were new. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type ChangeFeed, createChangeFeed } from '../../../src/platform/database/change-feed.ts'
import { connectDatabase, type Database } from '../../../src/platform/database/connect.ts'
import { statement } from '../../support/statement.ts'
import { FeedCache } from '../../../src/platform/database/feed-cache.ts'
import { systemClock } from '../../../src/platform/lib/clock.ts'
import { newUuid } from '../../../src/platform/lib/ids.ts'
import { cloneDatabase } from '../../support/database.ts'
import { defer } from '../../support/cleanup.ts'
import { until } from '../../support/until.ts'

interface Bench {
  db: Database
  feed: ChangeFeed
  /** Waits until the feed has begun and ended a read since now. */
  nextRead: () => Promise<unknown>
}

/** @param among changes what the feed's reads are answered with. */
async function open(
  t: TestContext,
  among: <Row>(rows: Row[]) => Row[] = (rows) => rows,
): Promise<Bench> {
  const db = connectDatabase({
    connection: await cloneDatabase(t),
    poolSize: 2,
    prepared: true,
    statementTimeoutMs: 30_000,
    acquireTimeoutMs: 30_000,
  })
  defer(t, () => db.close())
  let reads = 0
  const feed = createChangeFeed({
    db: {
      ...db.autonomousDb,
      query: async (...query) => among(await db.autonomousDb.query(...query)),
    },
    clock: systemClock,
    onClockOffset: () => void (reads += 1),
  })
  defer(t, () => feed.stop())
  const nextRead = (): Promise<unknown> => {
    const before = reads
    return until('two more reads', () => reads >= before + 2)
  }
  return { db, feed, nextRead }
}

/**
 * The value that a cache holds of `ref` at a moment at which the feed is fresh, so that it may
 * return it.
 */
const known = (
  feed: ChangeFeed,
  cache: { get(ref: string): unknown },
  ref: string,
): Promise<unknown[]> =>
  until('the feed is fresh', () => {
    const held = cache.get(ref)
    return feed.isFresh() && [held]
  })

const notify = statement('test.notify', `INSERT INTO changes (kind, ref) VALUES ('device', $1)`)
const notifyMany = statement(
  'test.notify_many',
  `INSERT INTO changes (kind, ref)
   SELECT 'device', gen_random_uuid() FROM generate_series(1, 10001)`,
)

test('a change comes once, however long a transaction before it stays open', async (t) => {
  const { db, feed, nextRead } = await open(t)
  const heard: string[] = []
  feed.on('device', (ref) => heard.push(ref))
  await feed.start()
  const long = await db.connect()
  defer(t, () => long.end())
  await long.query('BEGIN')
  await long.query('SELECT pg_current_xact_id()')
  const [first, second, last] = [newUuid(), newUuid(), newUuid()]
  await db.query(notify, [first])
  await nextRead()
  await db.query(notify, [second])
  await nextRead()
  assert.deepEqual(heard, [first, second])
  await long.query(notify.text, [last])
  await nextRead()
  assert.deepEqual(heard, [first, second], 'it is not committed yet')
  await long.query('COMMIT')
  await nextRead()
  await nextRead()
  assert.deepEqual(heard, [first, second, last])
})

interface Value {
  ref: string
}

/** A cache, and a load that continues until `finish` is called. */
function loading(feed: ChangeFeed, ref: string) {
  const cache = new FeedCache<Value>({
    feed,
    max: 10,
    kinds: ['device'],
    refsOf: (value) => [value.ref],
  })
  const reading = Promise.withResolvers<Value>()
  const load = cache.load(ref, () => reading.promise)
  const finish = async (): Promise<void> => {
    reading.resolve({ ref })
    await load
  }
  return { cache, finish }
}

test('a value that was read while nothing changed is kept until it does', async (t) => {
  const { db, feed, nextRead } = await open(t)
  await feed.start()
  const ref = newUuid()
  const { cache, finish } = loading(feed, ref)
  await db.query(notify, [newUuid()])
  await nextRead()
  await finish()
  assert.deepEqual(await known(feed, cache, ref), [{ ref }])
  await db.query(notify, [ref])
  await nextRead()
  assert.equal(cache.get(ref), undefined)
})

test('a value whose reading began before a gap is not kept', async (t) => {
  const { feed } = await open(t)
  const ref = newUuid()
  const { cache, finish } = loading(feed, ref)
  // Whatever was before the start is unknown, as after a long absence.
  await feed.start()
  await finish()
  assert.deepEqual(await known(feed, cache, ref), [undefined])
})

test('a value that changed while it was read is not kept, whatever came after', async (t) => {
  const { db, feed, nextRead } = await open(t)
  await feed.start()
  const ref = newUuid()
  const { cache, finish } = loading(feed, ref)
  await db.query(notify, [ref])
  await db.query(notifyMany)
  await nextRead()
  await finish()
  assert.deepEqual(await known(feed, cache, ref), [undefined])
})

test('after a failover every cached value is evicted, since transaction ids may come again', async (t) => {
  const promoted = { isServing: false }
  const { feed, nextRead } = await open(t, (rows) =>
    promoted.isServing ? rows.map((row) => ({ ...row, server: 'another' })) : rows,
  )
  await feed.start()
  const ref = newUuid()
  const { cache, finish } = loading(feed, ref)
  await finish()
  assert.deepEqual(await known(feed, cache, ref), [{ ref }])
  promoted.isServing = true
  await nextRead()
  assert.deepEqual(await known(feed, cache, ref), [undefined])
})

test('a change that was restored from another server is reported once', async (t) => {
  const { db, feed, nextRead } = await open(t)
  const heard: string[] = []
  feed.on('device', (ref) => heard.push(ref))
  await feed.start()
  const restored = statement(
    'test.restored',
    `INSERT INTO changes (kind, ref, xid) VALUES ('device', $1, '999999999999'::xid8)`,
  )
  await db.query(restored, [newUuid()])
  await nextRead()
  await nextRead()
  assert.deepEqual(heard, [])
})
