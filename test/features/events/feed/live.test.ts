/** The feed of events as server-sent events: nothing missed, nothing twice, and an end in time. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { createEventTails } from '../../../../src/features/events/feed/event-tail.ts'
import { followFeed } from '../../../../src/features/events/feed/event-feed.ts'
import type { Context } from '../../../../src/context.ts'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type Headers, type TestApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import { listen, type Listener } from '../../../support/event-stream.ts'
import { reach } from '../../../support/provoked-failures.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

interface Claims {
  sub: string
  sid: string
}

const freshTenants = useTenants()

// Retention reads the time of an event out of its id.
const insert = `INSERT INTO events (workspace_id, id, type, subject_id, data)
  SELECT $1, (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
           || right(replace(gen_random_uuid()::text, '-', ''), 20))::uuid, $2, $6, json_build_object('n', n, 'filling', repeat('x', $5))
  FROM generate_series($3::int, $4::int) AS n`

/** Writes events with these numbers, in one transaction. */
const write = (
  { database, seed }: TestApp,
  from: number,
  to: number,
  { type = 'device.updated', filling = 0, subject = null as string | null } = {},
) => database.pool.query(insert, [seed.uuid, type, from, to, filling, subject])

async function open(
  t: TestContext,
  app: TestApp,
  query = '',
  headers: Headers = as.platformKey(app.seed.platformKey),
): Promise<Listener> {
  const listener = await listen(`${app.url}/workspaces/${app.seed.id}/events${query}`, headers)
  defer(t, () => listener.close())
  return listener
}

const numbers = ({ heard }: Pick<Listener, 'heard'>): number[] =>
  heard.map(({ data }) => data.data.n)
const range = (length: number, from = 0): number[] =>
  Array.from({ length }, (_none, at) => at + from)

async function problemOf(listener: Listener) {
  await listener.end()
  const { text, status } = listener
  const problem = JSON.parse(text) as { code: string; limit?: { name: string; value: number } }
  reach('GET', '/api/v1/workspaces/x/events', problem.code)
  return { status, ...problem }
}

test('events come as they happen, in the shape of the feed, with where to continue', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const listener = await open(t, app, '?after=latest')
  assert.equal(listener.status, 200)
  assert.equal(listener.headers['content-type'], 'text/event-stream')
  await until('a position', () => listener.lastId !== '')
  assert.deepEqual([listener.retryMs, listener.heard], [2_000, []])
  const owner = as.user(seed.owner.token)
  const path = `/workspaces/${seed.id}`
  const made = await call('POST', `${path}/api-keys`, {
    as: owner,
    body: { key_kind: 'platform', name: 'Zürich ✓' },
  })
  assert.equal(made.status, 201, made.text)
  const [event] = await listener.hear(1)
  const { body } = await call('GET', `${path}/events`, { as: owner })
  assert.deepEqual(event?.data, body.items.at(-1))
  assert.equal(event?.type, 'api_key.created')
  const next = await call('GET', `${path}/events?after=${event?.id}`, { as: owner })
  assert.deepEqual(next.body.items, [])
})

test('types are selected, and the position also passes the omitted events', async (t) => {
  const app = await freshTenants(t)
  const listener = await open(t, app, '?after=latest&types=device.*')
  await until('a position', () => listener.lastId !== '')
  await write(app, 1, 2, { type: 'claim.created' })
  await write(app, 3, 3)
  await write(app, 4, 4, { type: 'claim.created' })
  await write(app, 5, 5, { type: 'device.deleted' })
  await listener.hear(2)
  assert.deepEqual(numbers(listener), [3, 5])
  // From the beginning: the stored events, and then the new ones.
  const whole = await open(t, app, '?types=device.*')
  await whole.hear(2)
  await write(app, 6, 6)
  await whole.hear(3)
  assert.deepEqual(numbers(whole), [3, 5, 6])
})

test('the events of one device are heard alone, from the past and as they come', async (t) => {
  const app = await freshTenants(t)
  const [own, neighbour] = [newUuid(), newUuid()]
  const writeAbout = async (from: number): Promise<void> => {
    await write(app, from, from, { subject: own })
    await write(app, from + 1, from + 1, { subject: neighbour })
    await write(app, from + 2, from + 2)
    await write(app, from + 3, from + 3, { subject: own, type: 'command.failed' })
  }
  await writeAbout(0)
  const listener = await open(t, app, `?device_id=${formatId('dev', own)}`)
  await listener.hear(2)
  await writeAbout(4)
  await listener.hear(4)
  assert.deepEqual(numbers(listener), [0, 3, 4, 7])
})

test('a listener receives its position although it has no events', async (t) => {
  const app = await freshTenants(t)
  const { services, database, seed } = app
  const context = {
    ...services,
    ...database.within(seed.uuid),
    eventTails: createEventTails(services.eventWatch, 20),
    workspaceId: seed.uuid,
  } as unknown as Context & typeof services
  const closing = new AbortController()
  const query = { after: 'latest', types: 'claim.*' }
  const stream = { lastEventId: undefined, signal: closing.signal }
  const ids = new Set<string>()
  for await (const messages of followFeed(context, query, stream)) {
    assert.ok(messages.every(({ data }) => data === undefined))
    for (const { id = '' } of messages) ids.add(id)
    if (ids.size === 1) await write(app, 1, 1)
    if (ids.size > 1) closing.abort()
  }
  assert.equal(ids.size, 2)
})

test('a stream that is interrupted repeatedly, on two processes, has each event once and in order', async (t) => {
  const app = await freshTenants(t)
  const sibling = await app.sibling()
  const [writers, each] = [4, 100]
  let isWriting = true
  const writing = range(writers).map(async (writer) => {
    for (let n = 0; n < each; n += 1) await write(app, writer * each + n, writer * each + n)
  })
  const written = Promise.all(writing).finally(() => (isWriting = false))
  const seen: number[] = []
  let [lastId, interruptions] = ['', 0]
  const begin = await open(t, app, '?types=device.updated')
  await until('a position', () => begin.lastId !== '')
  lastId = begin.heard.length === 0 ? begin.lastId : ''
  begin.close()
  while (seen.length < writers * each) {
    const place = interruptions % 2 === 0 ? app : sibling
    const isHeader = interruptions % 3 !== 0 && lastId !== ''
    const after = lastId === '' || isHeader ? '' : `&after=${lastId}`
    const listener = await open(t, place, `?types=device.updated${after}`, {
      ...as.platformKey(app.seed.platformKey),
      ...(isHeader && { 'last-event-id': lastId }),
    })
    const isDisconnected = isWriting || interruptions < 5
    const wanted = isDisconnected ? 1 + (interruptions % 17) : writers * each - seen.length
    await listener.hear(Math.min(wanted, writers * each - seen.length))
    listener.close()
    await listener.end()
    seen.push(...numbers(listener))
    lastId = listener.lastId
    interruptions += 1
  }
  await written
  assert.ok(interruptions > 2, `${interruptions} interruptions`)
  assert.deepEqual(
    seen.toSorted((one, other) => one - other),
    range(writers * each),
  )
  for (const writer of range(writers)) {
    const own = seen.filter((n) => Math.floor(n / each) === writer)
    assert.deepEqual(own, range(each, writer * each))
  }
})

test('a slow reader delays nobody, costs no memory, and misses nothing', async (t) => {
  const app = await freshTenants(t)
  const sockets = new Set<Socket>()
  const watch = (socket: Socket): void => void sockets.add(socket)
  app.app.http.server.on('connection', watch)
  defer(t, () => void app.app.http.server.off('connection', watch))
  const slow = await open(t, app, '?after=latest')
  await until('a position', () => slow.lastId !== '')
  slow.pause()
  const quick = await open(t, app, '?after=latest')
  await until('a position', () => quick.lastId !== '')
  // More than the two systems keep of a connection that nobody reads.
  const count = 800
  for (let n = 0; n < count; n += 100) await write(app, n, n + 99, { filling: 16_000 })
  await quick.hear(count)
  const waiting = [...sockets].reduce((sum, { writableLength }) => sum + writableLength, 0)
  assert.ok(slow.heard.length < count && waiting < 2_000_000, `${waiting} bytes wait`)
  slow.resume()
  await slow.hear(count)
  for (const listener of [quick, slow]) assert.deepEqual(numbers(listener), range(count))
})

test('a stream ends when its key, member, token or workspace ends', async (t) => {
  const app = await freshTenants(t)
  const elsewhere = await app.sibling()
  const { id, owner, uuid } = app.seed
  const asOwner = { as: as.user(owner.token) }
  const key = await app.call('POST', `/workspaces/${id}/api-keys`, {
    ...asOwner,
    body: { key_kind: 'platform' },
  })
  const admin = await seedUser(app.app, { [uuid]: 'admin' })
  const [, payload = ''] = admin.token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims
  // Whole seconds: of fewer, hardly any of it might be left.
  const short = app.services.consoleTokens.sign({ sub: claims.sub, sid: claims.sid }, 5)
  const ofToken = await open(t, app, '', as.user(short))
  const ofKey = await open(t, elsewhere, '', as.platformKey(key.body.key))
  const ofMember = await open(t, elsewhere, '', as.user(admin.token))
  const ofOwner = await open(t, app, '', as.user(owner.token))
  for (const { status } of [ofToken, ofKey, ofMember, ofOwner]) assert.equal(status, 200)
  await app.call('DELETE', `/workspaces/${id}/api-keys/${key.body.id}`, asOwner)
  assert.equal(await ofKey.end(), 'end')
  assert.equal(await ofToken.end(), 'end')
  assert.equal(ofMember.ended, undefined)
  await app.call('PATCH', `/workspaces/${id}/members/${admin.id}`, {
    ...asOwner,
    body: { role: 'viewer' },
  })
  assert.equal(await ofMember.end(), 'end')
  assert.equal(ofOwner.ended, undefined)
  const gone = await app.call('DELETE', `/workspaces/${id}`, {
    ...asOwner,
    body: { confirm: app.seed.slug },
  })
  assert.ok(gone.status < 300, gone.text)
  assert.equal(await ofOwner.end(), 'end')
})

test('the streams of a workspace and of a process are limited', async (t) => {
  const [app, other] = [await freshTenants(t), await freshTenants(t)]
  const sibling = await app.sibling({ MOORING_STREAMS: '2', MOORING_STREAMS_PER_WORKSPACE: '1' })
  const place = { ...other, url: sibling.url }
  const first = await open(t, sibling)
  const second = await open(t, sibling)
  const { code, status, limit } = await problemOf(second)
  assert.deepEqual(
    [status, code, limit, second.headers['retry-after']],
    [429, 'too_many_streams', { name: 'streams_of_workspace', value: 1, reset_seconds: 10 }, '10'],
  )
  const third = await open(t, place)
  const another = await freshTenants(t)
  const fourth = await open(t, { ...another, url: sibling.url })
  const ofProcess = { name: 'streams_of_process', value: 2, reset_seconds: 10 }
  assert.deepEqual((await problemOf(fourth)).limit, ofProcess)
  first.close()
  const again = await until('room', async () => {
    const next = await open(t, sibling)
    return next.status === 200 && next
  })
  assert.deepEqual([third.ended, again.ended], [undefined, undefined])
  // A stop ends them all, also those whose clients read nothing.
  again.pause()
  await write(app, 1, 1_000, { filling: 16_000 })
  await sibling.close()
  await third.end()
  assert.equal(third.ended, 'end')
})

test('an invalid position is refused before anything is sent', async (t) => {
  const [app, other] = [await freshTenants(t), await freshTenants(t)]
  const foreign = await open(t, other)
  await until('a position', () => foreign.lastId !== '')
  const key = as.platformKey(app.seed.platformKey)
  for (const id of [foreign.lastId, 'x', 'x'.repeat(5_000)]) {
    const refused = await open(t, app, '', { ...key, 'last-event-id': id })
    assert.equal((await problemOf(refused)).code, 'invalid_cursor')
  }
  const wrong = await open(t, app, '?types=nothing')
  assert.equal((await problemOf(wrong)).code, 'invalid_request')
  const old = await open(t, app)
  await until('a position', () => old.lastId !== '')
  await app.database.pool.query(
    `INSERT INTO event_floors (workspace_id, seq, id)
     SELECT $1, last_value + 1, $2 FROM events_seq`,
    [app.seed.uuid, newUuid()],
  )
  old.close()
  // A count that is still in memory is no reason to refuse anybody.
  const gone = await until('a refusal', async () => {
    const listener = await open(t, app, '', { ...key, 'last-event-id': old.lastId })
    if (listener.status !== 200) return listener
    listener.close()
    return undefined
  })
  assert.deepEqual([gone.status, (await problemOf(gone)).code], [410, 'events_gone'])
  for (const accept of ['application/json', '*/*', 'application/json, text/event-stream;q=0.9']) {
    const plain = await open(t, app, '', { ...key, accept })
    assert.match(plain.headers['content-type'] ?? '', /^application\/json/, accept)
  }
})
