/** Commands as staff see them: sent, listed, waited for, cancelled, timed out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import {
  expireCommands,
  deleteOldCommands,
} from '../../../../src/features/devices/commands/command-end.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { awaitEnd, registerDevice, sendCommand, staff } from '../../../support/commands.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const codeOf = async (app: TestApp, path: string, body: unknown): Promise<unknown> => {
  const response = await app.call('POST', path, { as: staff(app), body })
  return response.status === 201 ? 201 : response.body.code
}

test('a sent command is shown with its sender, and is in the audit log without its payload', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const response = await app.call('POST', device.path, {
    as: as.user(app.seed.owner.token),
    body: { name: 'set-wifi', payload: { password: 'hunter2' }, timeout_s: 3_600 },
  })
  assert.equal(response.status, 201, response.text)
  const { body } = response
  assert.equal(body.status, 'pending')
  assert.equal(body.created_by, app.seed.owner.id)
  assert.equal(Date.parse(body.expires_at) - Date.parse(body.created_at), 3_600_000)
  const read = await app.call('GET', `${device.path}/${body.id}`, { as: staff(app) })
  assert.deepEqual(read.body, body)
  const audit = await app.call(
    'GET',
    `/workspaces/${app.seed.id}/audit-log?action=command.created`,
    { as: staff(app) },
  )
  const [entry] = audit.body.items
  assert.equal(entry.actor.id, app.seed.owner.id)
  assert.equal(entry.detail.command_id, body.id)
  assert.equal(entry.resource.id, device.device_id)
  assert.ok(!audit.text.includes('hunter2'))
})

test('the list is newest first, paged, and filtered by status', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) ids.unshift((await sendCommand(app, device, { name })).id)
  await app.call('DELETE', `${device.path}/${ids[1]}`, { as: staff(app) })
  const list = async (query: string) =>
    (await app.call('GET', `${device.path}?${query}`, { as: staff(app) })).body
  const idsIn = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id)
  assert.deepEqual(idsIn(await list('')), ids)
  assert.deepEqual(idsIn(await list('status=pending')), [ids[0], ids[2]])
  const first = await list('limit=2')
  assert.deepEqual(idsIn(first), ids.slice(0, 2))
  assert.deepEqual(idsIn(await list(`limit=2&cursor=${first.next_cursor}`)), ids.slice(2))
})

test('a command that nobody answers times out, with its event, once', async (t) => {
  const app = await freshTenants(t)
  const { database, services } = app
  const device = await registerDevice(app)
  const { id } = await sendCommand(app, device, { name: 'x', timeout_s: 3_600 })
  const waiting = awaitEnd(app, device, id)
  await database.query(
    unnamed(`UPDATE device_commands SET expires_at = now() - interval '1 minute' WHERE id = $1`),
    [parseId('cmd', id)],
  )
  await Promise.all(
    Array.from({ length: 8 }, () => expireCommands({ db: database, feed: services.feed })),
  )
  const ended = await waiting
  assert.equal(ended.status, 'timed_out')
  assert.equal(ended.ended_at, ended.expires_at)
  const events = await database.query(
    unnamed(`SELECT data FROM events WHERE subject_id = $1 AND type = 'command.timed_out'`),
    [parseId('dev', device.device_id)],
  )
  assert.deepEqual(events, [
    { data: { command_id: id, device_id: device.device_id, name: 'x', status: 'timed_out' } },
  ])
  const late = await app.call('POST', `/devices/auth/commands/${id}/ack`, {
    as: as.device(device.device_http_token),
    body: { ok: true },
  })
  assert.equal(late.body.code, 'invalid_transition')
  await database.query(
    unnamed(`UPDATE device_commands SET ended_at = now() - interval '31 days' WHERE id = $1`),
    [parseId('cmd', id)],
  )
  await deleteOldCommands(database)
  const gone = await app.call('GET', `${device.path}/${id}`, { as: staff(app) })
  assert.equal(gone.body.code, 'command_not_found')
})

test('only a pending command is cancelled; doing it again is the same success', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const cancel = (id: string) => app.call('DELETE', `${device.path}/${id}`, { as: staff(app) })
  const { id } = await sendCommand(app, device)
  const responses = await Promise.all(Array.from({ length: 10 }, () => cancel(id)))
  assert.deepEqual(
    responses.map(({ status }) => status),
    Array.from({ length: 10 }, () => 204),
  )
  assert.equal((await awaitEnd(app, device, id)).status, 'cancelled')
  const sent = await sendCommand(app, device)
  const fetched = await app.call('GET', '/devices/auth/commands', {
    as: as.device(device.device_http_token),
  })
  assert.equal(fetched.body.items.length, 1)
  const refused = await cancel(sent.id)
  assert.equal(refused.status, 409)
  assert.equal(refused.body.detail, 'The command is sent; only a pending one can become cancelled.')
})

test('a hundred commands may wait for a response, however many are sent at once', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  await app.database.query(
    unnamed(`INSERT INTO device_commands (workspace_id, id, device_id, name, payload, expires_at)
             SELECT $1, gen_random_uuid(), $2, 'x', '{}', now() + interval '1 hour'
             FROM generate_series(1, 95)`),
    [app.seed.uuid, parseId('dev', device.device_id)],
  )
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => codeOf(app, device.path, { name: 'x' })),
  )
  assert.equal(responses.filter((code) => code === 201).length, 5)
  assert.equal(responses.filter((code) => code === 'limit_reached').length, 15)
})

test('a decommissioned device takes no command, and an invalid command is refused', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const big = { text: 'x'.repeat(17_000) }
  for (const body of [
    {},
    { name: 'a/b' },
    { name: '#' },
    { name: '' },
    { name: 'x', payload: [] },
    { name: 'x', payload: big },
    { name: 'x', timeout_s: 0 },
    { name: 'x', timeout_s: 86_401 },
  ]) {
    assert.equal(await codeOf(app, device.path, body), 'invalid_request', JSON.stringify(body))
  }
  const parent = device.path.replace('/commands', '')
  await app.call('POST', `${parent}/decommission`, { as: staff(app), body: {} })
  assert.equal(await codeOf(app, device.path, { name: 'x' }), 'invalid_transition')
})
