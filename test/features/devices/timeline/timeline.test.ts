/** The timeline of a device: everything that happened to it, once, in order, for whom it is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatId, newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type Headers, type TestApp } from '../../../support/app.ts'
import {
  type Fleet,
  listen,
  registerDevice,
  respondTo,
  sendCommand,
} from '../../../support/commands.ts'
import { tryConnect } from '../../../support/mqtt.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

interface Entry {
  id: string
  kind: string
  at: string
  connection?: { accepted: boolean; reason: string | null; ended_at: string | null }
  command?: { id: string; status: string; name: string }
  config?: { version: number }
  report?: { status: string }
  note?: { text: string }
  act?: { action: string; actor: { kind: string; id: string | null } }
}

interface Page {
  items: Entry[]
  next_cursor: string | null
  left_out: string[]
}

const pathOf = ({ path }: Fleet): string => path.replace('/commands', '')

async function timelineOf(app: TestApp, device: Fleet, who: Headers, query = ''): Promise<Page> {
  const answer = await app.call('GET', `${pathOf(device)}/timeline${query}`, { as: who })
  assert.equal(answer.status, 200, answer.text)
  return answer.body as Page
}

const wordOf = ({ kind, connection, command, config, report, note, act }: Entry): string => {
  const word =
    act?.action ??
    command?.status ??
    note?.text ??
    report?.status ??
    config?.version ??
    connection?.reason ??
    'accepted'
  return `${kind} ${word}`
}

/** A device to which one thing of each kind happens. */
async function eventful(t: Parameters<typeof freshTenants>[0] & Parameters<typeof listen>[0]) {
  const app = await freshTenants(t)
  const owner = as.user(app.seed.owner.token)
  const device = await registerDevice(app)
  const other = await registerDevice(app)
  const change = async (method: string, below: string, body: object): Promise<void> => {
    const answer = await app.call(method, `${pathOf(device)}${below}`, { as: owner, body })
    assert.ok(answer.status < 300, answer.text)
  }
  await tryConnect(t, device, { clientId: 'stranger' })
  const { client, heard } = await listen(t, device)
  const hasWords = async (...words: string[]): Promise<boolean> => {
    const { items } = await timelineOf(app, device, owner)
    return words.every((word) => items.map(wordOf).includes(word))
  }
  await until('its activation', () => hasWords('status device.activated'))
  const sent = await sendCommand(app, device)
  await until('the command', () => heard.length === 1)
  await respondTo(client, device, { id: sent.id, ok: true })
  await change('POST', '/notes', { text: 'water in the housing' })
  await change('PUT', '/config', { config: { interval: 5 } })
  await client.publishAsync(
    `${device.topic}/config/status`,
    JSON.stringify({ version: 2, status: 'applied' }),
    { qos: 1 },
  )
  await change('PATCH', '', { name: 'Hall, north' })
  await change('POST', '/suspend', {})
  await change('POST', '/resume', {})
  await change('POST', '/credentials/reset', {})
  await change('PATCH', '', { tags: { floor: 'ground' } })
  const isWhole = async (): Promise<boolean> => {
    const { items } = await timelineOf(app, device, owner, '?kinds=connection')
    const accepted = items.find((item) => wordOf(item) === 'connection accepted')
    // The suspension has ended it.
    return (
      typeof accepted?.connection?.ended_at === 'string' &&
      (await hasWords(
        'connection client_id_invalid',
        'command acknowledged',
        'config_report applied',
      ))
    )
  }
  await until('the entry that is written later', isWhole)
  return { app, owner, device, other }
}

test('everything that happened is listed once, newest first, in pages without gaps', async (t) => {
  const { app, owner, device, other } = await eventful(t)
  const { items, left_out, next_cursor } = await timelineOf(app, device, owner)
  assert.deepEqual(left_out, [])
  assert.equal(next_cursor, null)
  assert.deepEqual(items.map(wordOf).toSorted(), [
    'change device.updated',
    'change device.updated',
    'command acknowledged',
    'config 2',
    'config_report applied',
    'connection accepted',
    'connection client_id_invalid',
    'credentials device.credentials_reset',
    'note water in the housing',
    'status device.activated',
    'status device.registered',
    'status device.resumed',
    'status device.suspended',
  ])
  const [newest, ...rest] = items.filter(({ act }) => act !== undefined)
  assert.equal(newest?.act?.action, 'device.updated')
  assert.deepEqual(newest.act.actor, { kind: 'user', id: app.seed.owner.id })
  assert.equal(rest.at(-1)?.act?.action, 'device.registered')
  const order = items.map(wordOf)
  const isBefore = (one: string, later: string): void =>
    assert.ok(order.indexOf(one) > order.indexOf(later), order.join(', '))
  isBefore('connection client_id_invalid', 'connection accepted')
  isBefore('connection accepted', 'note water in the housing')
  isBefore('note water in the housing', 'config 2')
  isBefore('config 2', 'status device.suspended')
  isBefore('status device.suspended', 'status device.resumed')

  const pages: Entry[] = []
  let query = '?limit=2'
  for (let page = 0; page < 20; page += 1) {
    // Events meanwhile move nothing.
    if (page === 2) await sendCommand(app, device)
    const part = await timelineOf(app, device, owner, query)
    pages.push(...part.items)
    if (part.next_cursor === null) break
    query = `?limit=2&cursor=${part.next_cursor}`
  }
  assert.deepEqual(pages, items)
  const others = await timelineOf(app, other, owner)
  assert.deepEqual(others.items.map(wordOf), ['status device.registered'])
})

test('kinds are chosen, and those that a caller may not read are left out by name', async (t) => {
  const { app, owner, device } = await eventful(t)
  const chosen = await timelineOf(app, device, owner, '?kinds=note,status')
  assert.deepEqual(chosen.items.map(wordOf), [
    'status device.resumed',
    'status device.suspended',
    'note water in the housing',
    'status device.activated',
    'status device.registered',
  ])
  assert.deepEqual(new Set(chosen.items.map(({ kind }) => kind)), new Set(['note', 'status']))
  const viewer = as.user((await seedUser(app, { [app.seed.uuid]: 'viewer' })).token)
  const seen = await timelineOf(app, device, viewer)
  assert.deepEqual(seen.left_out, ['config_report', 'claim', 'credentials', 'status', 'change'])
  assert.deepEqual(seen.items.map(wordOf), [
    'config 2',
    'note water in the housing',
    'command acknowledged',
    'connection accepted',
    'connection client_id_invalid',
  ])
  const nothing = await timelineOf(app, device, viewer, '?kinds=status')
  assert.deepEqual(nothing, { items: [], next_cursor: null, left_out: ['status'] })
})

test('unknown kinds, foreign cursors and unknown devices are refused', async (t) => {
  const app = await freshTenants(t)
  const owner = as.user(app.seed.owner.token)
  const device = await registerDevice(app)
  await app.call('POST', `${pathOf(device)}/suspend`, { as: owner })
  const unknown = await app.call('GET', `${pathOf(device)}/timeline?kinds=note,weather`, {
    as: owner,
  })
  assert.equal(unknown.status, 400)
  assert.equal(unknown.body.errors[0].pointer, '/query/kinds')
  const { next_cursor } = await timelineOf(app, device, owner, '?limit=1')
  assert.notEqual(next_cursor, null)
  const other = await app.call(
    'GET',
    `${pathOf(device)}/timeline?kinds=note&cursor=${next_cursor}`,
    { as: owner },
  )
  assert.equal(other.body.code, 'invalid_cursor')
  const gone = await app.call(
    'GET',
    `/workspaces/${app.seed.id}/devices/${formatId('dev', newUuid())}/timeline`,
    { as: owner },
  )
  assert.equal(gone.body.code, 'device_not_found')
})

test('a device with a long audit log is read in bounded steps, to its beginning', async (t) => {
  const app = await freshTenants(t)
  const owner = as.user(app.seed.owner.token)
  const device = await registerDevice(app)
  const uuids = Array.from({ length: 6_000 }, newUuid)
  await app.app.database.pool.query(
    `INSERT INTO audit_log (workspace_id, id, actor_kind, action, resource_kind, resource_id)
     SELECT $1, id, 'device', 'device_state.written', 'device', $2 FROM unnest($3::uuid[]) AS id`,
    [parseId('ws', app.seed.id), device.device_id, uuids],
  )
  const first = await timelineOf(app, device, owner)
  assert.deepEqual(first.items, [])
  assert.notEqual(first.next_cursor, null)
  const second = await timelineOf(app, device, owner, `?cursor=${first.next_cursor}`)
  assert.deepEqual(second.items.map(wordOf), ['status device.registered'])
  assert.equal(second.next_cursor, null)
})
