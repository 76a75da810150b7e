/** The live stream of pages: each page gets its hints, from every process, in bounded memory. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { HintBuffer } from '../../../../src/features/events/live/hint-buffer.ts'
import { type Hint, hintOf } from '../../../../src/features/events/live/hints.ts'
import type { EventTails } from '../../../../src/features/events/feed/event-tail.ts'
import { LiveHub } from '../../../../src/features/events/live/live-hub.ts'
import { isWatched, watchWorkspace } from '../../../../src/features/events/live/live-watch.ts'
import { writeStates } from '../../../../src/features/mqtt/sessions/store.ts'
import { Failure } from '../../../../src/platform/errors/errors.ts'
import type { LiveMessage } from '../../../../src/platform/http/live-form.ts'
import { eventTypes } from '../../../../src/platform/record/event.ts'
import { as, type Headers, type TestApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import { listen, type Listener } from '../../../support/event-stream.ts'
import { north, postJob, seedFleet } from '../../../support/fleet.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

/** Opens a stream and waits until no later change goes unnoticed. */
async function open(
  t: TestContext,
  { url, seed }: Pick<TestApp, 'url' | 'seed'>,
  watch: string,
  headers: Headers = as.user(seed.owner.token),
): Promise<Listener> {
  const listener = await listen(`${url}/workspaces/${seed.id}/live?watch=${watch}`, headers)
  defer(t, () => listener.close())
  assert.equal(listener.status, 200, listener.text)
  await listener.hear(1)
  return listener
}

const changesOf = ({ heard }: Listener, kind: string) =>
  heard.filter(({ type, data }) => type === 'changed' && data.kind === kind).map(({ data }) => data)

const hearOf = (listener: Listener, kind: string, event?: string) =>
  until(`a hint of ${kind} ${event}`, () =>
    changesOf(listener, kind).find(({ events }) => event === undefined || events.includes(event)),
  )

const connect = ({ database, seed }: TestApp, uuid: string, id: string) =>
  database.pool.query(
    `INSERT INTO events (workspace_id, id, type, subject_id, data)
     VALUES ($1, gen_random_uuid(), 'device.connected', $2, json_build_object('device_id', $3::text))`,
    [seed.uuid, uuid, id],
  )

test('the stream begins with what the caller will receive, which JSON lists without a stream', async (t) => {
  const app = await freshTenants(t)
  const viewer = await seedUser(app.app, { [app.seed.uuid]: 'viewer' })
  const webhook = `webhook:whk_${'0'.repeat(26)}`
  const path = `/workspaces/${app.seed.id}/live`
  const named = await app.call('GET', `${path}?watch=fleet,${webhook}`, {
    as: as.user(viewer.token),
  })
  assert.deepEqual([named.status, named.body], [200, { watching: ['fleet'] }])
  const listener = await open(t, app, `fleet,${webhook}`, as.platformKey(app.seed.platformKey))
  assert.deepEqual(
    [listener.heard[0]?.type, listener.heard[0]?.data],
    ['ready', { watching: ['fleet', webhook] }],
  )
  for (const watch of ['everything', 'device:x', 'device', `job:dev_${'0'.repeat(26)}`, ',']) {
    const refused = await app.call('GET', `${path}?watch=${watch}`, { as: as.user(viewer.token) })
    assert.equal(refused.body.code, 'invalid_request', watch)
  }
})

test('a viewer hears what the role may read and nothing else; no other workspace does', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const viewer = await seedUser(app.app, { [seed.uuid]: 'viewer' })
  const byViewer = await open(t, app, 'fleet,workspace', as.user(viewer.token))
  const byOwner = await open(t, app, 'fleet,workspace')
  const other = { ...app, seed: { ...seed, ...seed.other } }
  const byOutsider = await open(t, other, 'fleet,workspace')
  const asOwner = { as: as.user(seed.owner.token) }
  const path = `/workspaces/${seed.id}`
  await call('POST', `${path}/api-keys`, { ...asOwner, body: { key_kind: 'platform' } })
  await call('POST', `${path}/mqtt/principals`, { ...asOwner, body: { name: 'backend' } })
  const made = await call('POST', `${path}/devices`, { ...asOwner, body: { device_key: 'k' } })
  const seen = await hearOf(byViewer, 'device', 'device.registered')
  assert.deepEqual(seen, {
    kind: 'device',
    id: made.body.id,
    events: ['device.registered'],
    data: {},
  })
  await hearOf(byViewer, 'mqtt_principal')
  await hearOf(byOwner, 'api_key')
  assert.deepEqual(changesOf(byViewer, 'api_key'), [])
  assert.deepEqual(byOutsider.heard.length, 1)
})

test('each type of event names a thing, and nothing else of its data is sent', () => {
  const view = { id: 'evt_1', workspace_id: 'ws_1', occurred_at: '' }
  for (const type of eventTypes) {
    const hint = hintOf({ ...view, type, data: { name: 'not sent' } })
    assert.ok(hint, type)
    assert.equal(JSON.stringify(hint).includes('not sent'), false, type)
  }
  assert.equal(hintOf({ ...view, type: 'later.build', data: {} }), undefined)
  const device = hintOf({ ...view, type: 'device.connected', data: { device_id: 'dev_1' } }) as Hint
  assert.deepEqual(
    ['fleet', 'workspace', 'device:dev_1', 'device:dev_2', 'job:job_1'].map((topic) =>
      isWatched(new Set([topic]), device),
    ),
    [true, false, true, false, false],
  )
})

test('a note that is added, changed or deleted reaches the watchers of its device', async (t) => {
  const app = await freshTenants(t)
  const [id = ''] = (await seedFleet(app, 1)).ids
  const notes = `/workspaces/${app.seed.id}/devices/${id}/notes`
  const asOwner = { as: as.user(app.seed.owner.token) }
  const listener = await open(t, app, `device:${id}`)
  const digests = new Set<unknown>()
  const hearNotes = () =>
    until('another digest of the notes', () =>
      changesOf(listener, 'device').some(
        ({ data }) => digests.size < digests.add(data.notes_digest).size,
      ),
    )
  const made = await app.call('POST', notes, { ...asOwner, body: { text: 'wet' } })
  await hearNotes()
  const note = `${notes}/${made.body.id}`
  await app.call('PATCH', note, { ...asOwner, body: { text: 'dry' } })
  await hearNotes()
  await app.call('DELETE', note, asOwner)
  await hearNotes()
})

test('a change without an event reaches its watchers on another process', async (t) => {
  const app = await freshTenants(t)
  const sibling = await app.sibling()
  const { database, seed } = app
  const { ids, uuids } = await seedFleet(app, 2)
  const [[id = '', otherId = ''], [uuid = '', otherUuid = '']] = [ids, uuids]
  const ofDevice = await open(t, sibling, `device:${id}`)
  const ofFleet = await open(t, sibling, 'fleet')
  const write = (deviceId: string, version: number) =>
    writeStates(database, [{ workspaceId: seed.uuid, deviceId, state: '{"t":1}', version }])
  await write(otherUuid, 1_000)
  await write(uuid, 1_000)
  const state = await hearOf(ofDevice, 'device')
  assert.deepEqual([state.id, state.events, state.data.state_revision], [id, [], 1])
  const path = `/workspaces/${seed.id}/devices/${id}/commands`
  const command = { name: 'reboot', payload: {} }
  const sent = await app.call('POST', path, { as: as.user(seed.owner.token), body: command })
  assert.equal(sent.status, 201, sent.text)
  const sentHint = await hearOf(ofDevice, 'command')
  assert.deepEqual([sentHint.id, sentHint.device_id], [sent.body.id, id])
  await connect(app, otherUuid, otherId)
  const presence = await hearOf(ofFleet, 'device', 'device.connected')
  assert.deepEqual([presence.id, presence.data], [otherId, { presence: 'connected' }])
  // The fleet hears of no states, and a device of no other device.
  assert.deepEqual(changesOf(ofFleet, 'device').length, 1)
  assert.ok(changesOf(ofDevice, 'device').every((each) => each.id === id))
})

test('the progress of a job reaches the watchers of the fleet and of the job', async (t) => {
  const app = await freshTenants(t)
  const sibling = await app.sibling()
  const { uuids } = await seedFleet(app, 3)
  const ofFleet = await open(t, sibling, 'fleet')
  const job = await postJob(app, { ...north, filter: '' })
  assert.equal(job.status, 201, job.text)
  const ofJob = await open(t, sibling, `job:${job.body.id}`)
  const done = await hearOf(ofFleet, 'job', 'job.completed')
  assert.deepEqual([done.id, done.data.status], [job.body.id, 'completed'])
  const last = await until(
    'the last count',
    () => changesOf(ofJob, 'job').find(({ data }) => data.succeeded === uuids.length) ?? done,
  )
  assert.equal(last.id, job.body.id)
})

test('a thousand changes of one thing a second are four hints a second', async (t) => {
  const app = await freshTenants(t)
  const { ids, uuids } = await seedFleet(app, 1)
  const listener = await open(t, app, 'fleet')
  const begun = performance.now()
  for (let round = 0; round < 10; round += 1) {
    await app.database.pool.query(
      `INSERT INTO events (workspace_id, id, type, subject_id, data)
       SELECT $1, gen_random_uuid(), 'device.updated', $2, json_build_object('device_id', $3::text)
       FROM generate_series(1, 200)`,
      [app.seed.uuid, uuids[0], ids[0]],
    )
    await sleep(100)
  }
  await connect(app, uuids[0] ?? '', ids[0] ?? '')
  await hearOf(listener, 'device', 'device.connected')
  const max = 1 + (performance.now() - begun) / 250
  const count = changesOf(listener, 'device').length
  assert.ok(count >= 2 && count <= max, `${count} hints, at most ${max}`)
})

test('for a slow reader one hint of each thing waits, and then only how many are missing', async () => {
  const device = (id: number, status: string): Hint => ({
    kind: 'device',
    id: `dev_${id}`,
    scope: 'fleet',
    permission: 'devices.read',
    deviceId: undefined,
    events: ['device.updated'],
    data: { status },
  })
  const buffer = new HintBuffer(() => true)
  for (let n = 0; n < 1_000; n += 1) buffer.add(device(n % 100, `${n}`))
  assert.equal(buffer.size, 100)
  const taken = buffer.take().map(({ data }) => data as { events: string[]; data: object })
  assert.deepEqual(
    [taken.length, taken[0]?.events, taken[0]?.data],
    [100, ['device.updated'], { status: '900' }],
  )
  for (let n = 0; n < 1_000; n += 1) buffer.add(device(n, 'active'))
  assert.equal(buffer.size, 0)
  assert.deepEqual(buffer.take(), [{ event: 'skipped', data: { count: 1_000 } }])
  assert.deepEqual(buffer.take(), [])
  assert.equal(await buffer.filled(1, new AbortController().signal), false)
})

test('without changes comments are sent, and a feed that cannot be followed is a skip', async (t) => {
  const app = await freshTenants(t)
  const { services, database, seed } = app
  let faults = 0
  const eventTails: EventTails = {
    isEnded: false,
    beatMs: 20,
    listen(reader) {
      const tail = services.eventTails.listen(reader)
      const after: typeof tail.after = (position, types) => {
        if (faults === 0) return tail.after(position, types)
        faults -= 1
        throw new Failure('events_gone')
      }
      return Object.create(tail, { after: { value: after } }) as typeof tail
    },
  }
  const times = { beatMs: 20, gatherMs: 1 }
  const liveHub = new LiveHub({ ...services, db: database, eventTails }, times)
  const caller = { kind: 'platform-key', workspaceId: seed.uuid }
  const context = { ...services, caller, workspaceId: seed.uuid, liveHub }
  const closing = new AbortController()
  const stream = { lastEventId: undefined, signal: closing.signal }
  const heard: LiveMessage[] = []
  for await (const messages of watchWorkspace(context as never, { watch: 'fleet' }, stream)) {
    heard.push(...messages)
    if (heard.length === 2) faults = 1
    if (messages.some(({ event }) => event === 'skipped')) closing.abort()
  }
  assert.deepEqual(heard.slice(0, 2), [{ event: 'ready', data: { watching: ['fleet'] } }, {}])
  assert.deepEqual(heard.at(-1), { event: 'skipped', data: { count: 1 } })
})

test('a stream ends when its key, session or role ends', async (t) => {
  const app = await freshTenants(t)
  const elsewhere = await app.sibling()
  const { id, owner, uuid } = app.seed
  const asOwner = { as: as.user(owner.token) }
  const key = await app.call('POST', `/workspaces/${id}/api-keys`, {
    ...asOwner,
    body: { key_kind: 'platform' },
  })
  const admin = await seedUser(app.app, { [uuid]: 'admin' })
  const leaving = await seedUser(app.app, { [uuid]: 'viewer' })
  const ofKey = await open(t, elsewhere, 'fleet', as.platformKey(key.body.key))
  const ofAdmin = await open(t, elsewhere, 'workspace', as.user(admin.token))
  const ofSession = await open(t, elsewhere, 'fleet', as.user(leaving.token))
  const ofOwner = await open(t, elsewhere, 'workspace')
  await app.call('DELETE', `/workspaces/${id}/api-keys/${key.body.id}`, asOwner)
  assert.equal(await ofKey.end(), 'end')
  await app.call('POST', '/auth/logout', { as: as.user(leaving.token) })
  assert.equal(await ofSession.end(), 'end')
  // A viewer may watch too, but not what an admin may.
  await app.call('PATCH', `/workspaces/${id}/members/${admin.id}`, {
    ...asOwner,
    body: { role: 'viewer' },
  })
  assert.equal(await ofAdmin.end(), 'end')
  assert.equal(ofOwner.ended, undefined)
})

test('the streams of a person are limited', async (t) => {
  const app = await freshTenants(t)
  const sibling = await app.sibling({ MOORING_STREAMS_PER_USER: '1' })
  const first = await open(t, sibling, 'fleet')
  const url = `${sibling.url}/workspaces/${app.seed.id}/live`
  const second = await listen(url, as.user(app.seed.owner.token))
  await second.end()
  const problem = JSON.parse(second.text) as { limit: object }
  assert.deepEqual(problem.limit, { name: 'streams_of_user', value: 1, reset_seconds: 10 })
  await open(t, sibling, 'fleet', as.platformKey(app.seed.platformKey))
  first.close()
  await until('room', async () => {
    const next = await listen(url, as.user(app.seed.owner.token))
    defer(t, () => next.close())
    return next.status === 200
  })
})
