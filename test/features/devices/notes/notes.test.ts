/** Notes on devices, and whose they are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type Headers } from '../../../support/app.ts'
import { registerDevice } from '../../../support/commands.ts'
import { revisionOf } from '../../../support/revision.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

async function start(t: Parameters<typeof freshTenants>[0]) {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const path = device.path.replace('commands', 'notes')
  const call = (who: Headers, method: string, below = '', text?: string, headers: Headers = {}) =>
    app.call(method, `${path}${below}`, { as: who, headers, ...(text && { body: { text } }) })
  const person = async (role: string) =>
    as.user((await seedUser(app, { [app.seed.uuid]: role })).token)
  return { app, device, call, person, owner: as.user(app.seed.owner.token) }
}

test('notes are listed newest first, with their authors', async (t) => {
  const { app, device, call, owner } = await start(t)
  const first = await call(owner, 'POST', '', 'water in\nthe housing')
  assert.equal(first.status, 201, first.text)
  assert.deepEqual(first.body, {
    id: first.body.id,
    workspace_id: app.seed.id,
    device_id: device.device_id,
    text: 'water in\nthe housing',
    author: { kind: 'user', id: app.seed.owner.id },
    created_at: first.body.created_at,
    updated_at: first.body.created_at,
  })
  const key = as.platformKey(app.seed.platformKey)
  const second = await call(key, 'POST', '', 'from a script')
  assert.equal(second.body.author.kind, 'platform-key')
  const { body } = await call(owner, 'GET', '?limit=1')
  assert.deepEqual(body.items, [second.body])
  const rest = await call(owner, 'GET', `?limit=1&cursor=${body.next_cursor}`)
  assert.deepEqual(rest.body, { items: [first.body], next_cursor: null })
  for (const text of [' \n ', 'x'.repeat(10_001), 'a\u0000b']) {
    assert.equal((await call(owner, 'POST', '', text)).status, 400)
  }
})

test('only its author, an admin or a platform key changes a note', async (t) => {
  const { app, call, person } = await start(t)
  const [author, member, viewer, admin] = (await Promise.all(
    ['member', 'member', 'viewer', 'admin'].map(person),
  )) as [Headers, Headers, Headers, Headers]
  const { body } = await call(author, 'POST', '', 'mine')
  const below = `/${body.id}`
  for (const method of ['PATCH', 'DELETE']) {
    const refused = await call(member, method, below, method === 'PATCH' ? 'x' : undefined)
    assert.equal(refused.status, 403)
    assert.equal(refused.body.code, 'note_of_another')
  }
  assert.equal((await call(viewer, 'POST', '', 'x')).body.code, 'permission_denied')
  assert.equal((await call(author, 'PATCH', below, 'still mine')).body.text, 'still mine')
  const changed = await call(admin, 'PATCH', below, 'corrected')
  assert.equal(revisionOf(changed.headers), 3)
  assert.deepEqual(changed.body.author, body.author)
  const stale = await call(author, 'DELETE', below, undefined, { 'if-match': '"1"' })
  assert.equal(stale.status, 412)
  assert.equal((await call(author, 'DELETE', below)).status, 204)
  const key = as.platformKey(app.seed.platformKey)
  assert.equal((await call(key, 'DELETE', below)).body.code, 'note_not_found')
})

test('the audit log has the author and the note of a change, not its text', async (t) => {
  const { app, device, call, owner } = await start(t)
  const { body } = await call(owner, 'POST', '', 'the door code is 4711')
  await call(owner, 'PATCH', `/${body.id}`, 'no codes in notes')
  await call(owner, 'DELETE', `/${body.id}`)
  const log = await app.call(
    'GET',
    `/workspaces/${app.seed.id}/audit-log?resource=${device.device_id}`,
    { as: owner },
  )
  const actions = log.body.items.map(({ action }: { action: string }) => action)
  assert.deepEqual(
    actions.filter((action: string) => action.startsWith('device_note')),
    ['device_note.deleted', 'device_note.updated', 'device_note.created'],
  )
  assert.ok(!log.text.includes('4711'))
})

test('a device has at most a thousand notes', async (t) => {
  const { app, device, call, owner } = await start(t)
  await app.database.query(
    unnamed(`INSERT INTO device_notes (workspace_id, id, device_id, text, author_kind, author_id)
             SELECT $1, gen_random_uuid(), $2, 'x', 'user', 'usr_x' FROM generate_series(1, 998)`),
    [app.seed.uuid, parseId('dev', device.device_id)],
  )
  const responses = await Promise.all([1, 2, 3, 4].map(() => call(owner, 'POST', '', 'x')))
  assert.deepEqual(
    responses.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 201, 409, 409],
  )
  assert.equal(responses.find(({ status }) => status === 409)?.body.code, 'limit_reached')
})
