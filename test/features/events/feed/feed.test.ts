/** The feed of events: everything once, in order, nothing passed over. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteOldEvents } from '../../../../src/platform/record/retention.ts'
import { SafeSequence } from '../../../../src/features/events/feed/safe-sequence.ts'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

const insert = `INSERT INTO events (workspace_id, id, type, data)
  VALUES ($1, $2, $3, json_build_object('n', $4::int))`

const reader = ({ call, seed, database }: TestApp) => {
  const read = (query = '') =>
    call('GET', `/workspaces/${seed.id}/events${query}`, { as: as.platformKey(seed.platformKey) })
  const page = async (query = ''): Promise<{ names: unknown[]; next: string }> => {
    const { status, body, text } = await read(query)
    assert.equal(status, 200, text)
    const items: { type: string; data: { n?: number } }[] = body.items
    return { names: items.map(({ type, data }) => data.n ?? type), next: body.next_cursor }
  }
  const write = (n: number, type = 'device.updated', id = newUuid()) =>
    database.pool.query(insert, [seed.uuid, id, type, n])
  /** Reads on until so many have come: other transactions of the server hold the feed up. */
  const upTo = async (
    after: string,
    count: number,
  ): Promise<{ names: unknown[]; next: string }> => {
    const names: unknown[] = []
    let next = after
    await until(`${count} events`, async () => {
      const found = await page(next === '' ? '' : `?after=${next}`)
      names.push(...found.names)
      next = found.next
      return names.length >= count
    })
    return { names, next }
  }
  /** A place behind everything that there is. */
  const mark = async (): Promise<string> => {
    await write(-1)
    let next = ''
    await until('the mark', async () => {
      const found = await page(next === '' ? '' : `?after=${next}`)
      next = found.next
      return found.names.includes(-1)
    })
    return next
  }
  return { read, page, write, upTo, mark }
}

test('an event is in the feed as soon as its change has a response', async (t) => {
  const app = await freshTenants(t)
  const { page, mark } = reader(app)
  const next = await mark()
  const response = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
    as: as.user(app.seed.owner.token),
    body: { key_kind: 'platform', name: 'Mirror' },
  })
  assert.equal(response.status, 201)
  const { body } = await reader(app).read(`?after=${next}&wait=30`)
  assert.equal(body.items.length, 1)
  const [{ id, occurred_at, ...event }] = body.items
  assert.match(id, /^evt_/)
  assert.match(occurred_at, /^\d{4}-.*Z$/)
  assert.equal(event.type, 'api_key.created')
  assert.equal(event.workspace_id, app.seed.id)
  assert.deepEqual(Object.keys(event).toSorted(), ['data', 'type', 'workspace_id'])
  const after = await page(`?after=${body.next_cursor}`)
  assert.deepEqual(after.names, [])
})

test('a late commit appears late, in order, and no event is skipped', async (t) => {
  const app = await freshTenants(t)
  const { page, write, upTo, mark } = reader(app)
  const start = await mark()
  const late = await app.database.pool.connect()
  await late.query('BEGIN')
  await late.query(insert, [app.seed.uuid, newUuid(), 'device.updated', 1])
  await write(2)
  const meanwhile = await page(`?after=${start}`)
  assert.deepEqual(meanwhile.names, [])
  await late.query('COMMIT')
  late.release()
  const whole = await upTo(meanwhile.next, 2)
  assert.deepEqual(whole.names, [1, 2])
})

test('a rollback leaves no gap to wait for', async (t) => {
  const app = await freshTenants(t)
  const { write, upTo, mark } = reader(app)
  const start = await mark()
  const never = await app.database.pool.connect()
  await never.query('BEGIN')
  await never.query(insert, [app.seed.uuid, newUuid(), 'device.updated', 1])
  await write(2)
  await never.query('ROLLBACK')
  never.release()
  assert.deepEqual((await upTo(start, 1)).names, [2])
})

test('the events of one row have the order of its changes', async (t) => {
  const app = await freshTenants(t)
  const { upTo, mark } = reader(app)
  const start = await mark()
  const [first, second] = [await app.database.pool.connect(), await app.database.pool.connect()]
  const take = 'UPDATE workspaces SET name = name WHERE id = $1'
  // The second transaction has the lower number, and waits for the first.
  await second.query('BEGIN')
  await second.query('SELECT pg_current_xact_id()')
  await first.query('BEGIN')
  await first.query(take, [app.seed.uuid])
  const waiting = second.query(take, [app.seed.uuid])
  await first.query(insert, [app.seed.uuid, newUuid(), 'workspace.updated', 1])
  await first.query('COMMIT')
  await waiting
  await second.query(insert, [app.seed.uuid, newUuid(), 'workspace.updated', 2])
  await second.query('COMMIT')
  first.release()
  second.release()
  assert.deepEqual((await upTo(start, 2)).names, [1, 2])
})

test('pages of any size, with many writers at once, have each event once', async (t) => {
  const app = await freshTenants(t)
  const { page, write, mark } = reader(app)
  let cursor = await mark()
  const seen: unknown[] = []
  const writing = [0, 1, 2, 3].map(async (writer) => {
    for (let n = 0; n < 25; n += 1) await write(writer * 25 + n)
  })
  const readOn = async (): Promise<number> => {
    const { names, next } = await page(`?limit=7&after=${cursor}`)
    seen.push(...names)
    cursor = next
    return names.length
  }
  for (let n = 0; n < 8; n += 1) await readOn()
  await Promise.all(writing)
  await until('all of them', async () => (await readOn()) === 0 && seen.length >= 100)
  const wanted = Array.from({ length: 100 }, (_none, n) => n)
  assert.deepEqual(
    seen.toSorted((one, other) => Number(one) - Number(other)),
    wanted,
  )
  for (const writer of [0, 1, 2, 3]) {
    const own = seen.filter((n) => Math.floor(Number(n) / 25) === writer)
    assert.deepEqual(own, wanted.slice(writer * 25, writer * 25 + 25))
  }
})

test('types are selected by name or by prefix', async (t) => {
  const app = await freshTenants(t)
  const { page, read, write, upTo, mark } = reader(app)
  const start = await mark()
  await write(1, 'device.registered')
  await write(2, 'claim.created')
  await write(3, 'device.deleted')
  await write(4, 'job.created')
  await upTo(start, 4)
  const names = async (types: string) => (await page(`?after=${start}&types=${types}`)).names
  assert.deepEqual(await names('device.*'), [1, 3])
  assert.deepEqual(await names('claim.created,job.*'), [2, 4])
  const some = await page(`?after=${start}&types=device.*&limit=1`)
  assert.deepEqual((await page(`?after=${some.next}`)).names, [2, 3, 4])
  for (const types of ['device', 'nothing.*', 'device.*,', '.*']) {
    const refused = await read(`?types=${types}`)
    assert.equal(refused.body.code, 'invalid_request', types)
    assert.equal(refused.body.errors[0].pointer, '/query/types')
  }
})

test('the events of one device are read alone, page by page, and of no other workspace', async (t) => {
  const [app, other] = [await freshTenants(t), await freshTenants(t)]
  const [own, neighbour] = [newUuid(), newUuid()]
  const { page, read, mark } = reader(app)
  const start = await mark()
  const writeAbout = (workspace: string, uuid: string, n: number, type: string) =>
    app.database.pool.query(
      `INSERT INTO events (workspace_id, id, type, subject_id, data)
       VALUES ($1, $2, $3, $4, json_build_object('n', $5::int))`,
      [workspace, newUuid(), type, uuid, n],
    )
  const types = ['device.connected', 'command.failed']
  for (let n = 0; n < 10; n += 1) {
    await writeAbout(app.seed.uuid, n % 2 === 0 ? own : neighbour, n, types[(n % 4) >> 1] as string)
  }
  await writeAbout(other.seed.uuid, own, 99, 'device.connected')
  const device = `device_id=${formatId('dev', own)}`
  await until('all of them', async () => {
    const { names } = await page(`?after=${start}&${device}`)
    assert.ok(names.length <= 5)
    return names.length === 5
  })
  const seen: unknown[] = []
  let cursor = start
  for (let pages = 0; pages < 4; pages += 1) {
    const { names, next } = await page(`?after=${cursor}&${device}&limit=2`)
    assert.ok(names.length <= 2)
    seen.push(...names)
    cursor = next
  }
  assert.deepEqual(seen, [0, 2, 4, 6, 8])
  assert.deepEqual((await page(`?after=${start}&${device}&types=command.*`)).names, [2, 6])
  assert.deepEqual((await page(`?after=${cursor}`)).names, [])
  assert.deepEqual((await reader(other).page(`?${device}`)).names, [99])
  const refused = await read('?device_id=usr_01h455vb4pex5vsknk084sn02q')
  assert.equal(refused.body.errors[0].pointer, '/query/device_id')
})

test('a waiting reader gets a new event at once, and only that event', async (t) => {
  const app = await freshTenants(t)
  const { page, write, mark } = reader(app)
  const next = await mark()
  const waiting = page(`?after=${next}&types=device.*&wait=30`)
  await write(1, 'claim.created')
  await write(2)
  assert.deepEqual((await waiting).names, [2])
})

test('a position before deleted events is refused, a position after them is not', async (t) => {
  const app = await freshTenants(t)
  const { page, read, write, upTo, mark } = reader(app)
  const start = await mark()
  const old = '00000000-0001-7000-8000-00000000000'
  await write(1, 'device.updated', `${old}1`)
  await write(2, 'device.updated', `${old}2`)
  await write(3)
  await upTo(start, 3)
  const one = await page(`?after=${start}&limit=1`)
  const two = await page(`?after=${one.next}&limit=1`)
  await deleteOldEvents({ db: app.database, clock: app.services.clock }, 90)
  for (const cursor of [start, one.next]) {
    const { status, body } = await read(`?after=${cursor}`)
    assert.deepEqual([status, body.code], [410, 'events_gone'])
  }
  assert.deepEqual((await page(`?after=${two.next}`)).names, [3])
  assert.deepEqual((await page()).names.at(-1), 3)
})

test('a cursor of another workspace, or none at all, is refused', async (t) => {
  const [app, other] = [await freshTenants(t), await freshTenants(t)]
  const { next } = await reader(other).page()
  for (const cursor of [next, 'x', `${next}x`]) {
    assert.equal((await reader(app).read(`?after=${cursor}`)).body.code, 'invalid_cursor')
  }
})

test('a database that was put back to an earlier time says that it lost events', async (t) => {
  const app = await freshTenants(t)
  const { read, mark } = reader(app)
  const next = await mark()
  await app.database.pool.query(`SELECT setval('events_seq', last_value - 1) FROM events_seq`)
  const { status, body } = await read(`?after=${next}`)
  await app.database.pool.query(`SELECT setval('events_seq', last_value + 1) FROM events_seq`)
  assert.deepEqual([status, body.code], [410, 'events_gone'])
})

test('a number is safe only when no transaction that could have it is open', async (t) => {
  const app = await freshTenants(t)
  const safeSequence = new SafeSequence(app.database)
  const open = await app.database.pool.connect()
  await open.query('BEGIN')
  await open.query(insert, [app.seed.uuid, newUuid(), 'device.updated', 1])
  assert.equal(await safeSequence.advance(), 0)
  await open.query('COMMIT')
  open.release()
  await until('a safe number', async () => (await safeSequence.advance()) > 0)
  const results = await Promise.all([
    safeSequence.advance(),
    safeSequence.advance(),
    safeSequence.advance(),
  ])
  assert.ok(results.every((safe) => safe > 0 && safe <= safeSequence.last))
})

test('a reader can start with the newest events, of all or of some types', async (t) => {
  const { page, write, mark } = reader(await freshTenants(t))
  for (const n of [1, 2, 3, 4]) await write(n)
  await write(5, 'device.suspended')
  await write(6)
  await mark()
  const three = await page('?newest=3')
  assert.deepEqual(three.names, [5, 6, -1])
  await write(7)
  await until('the next one', async () => {
    const { names } = await page(`?after=${three.next}&newest=3`)
    return names.length > 0 && assert.deepEqual(names, [7]) === undefined
  })
  assert.deepEqual((await page('?newest=2&types=device.suspended')).names, [5])
  assert.deepEqual((await page('?newest=1000')).names.slice(-4), [5, 6, -1, 7])
})
