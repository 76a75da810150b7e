/** The history of a device template: versions, who made them, and the way back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CreateDeviceTemplate } from '../../../../src/features/devices/templates/schema.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { revisionOf } from '../../../support/revision.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const body = { model_key: 'm', name: 'One', serial_format: '%#f', default_config: { a: 1 } }

async function withTemplate(app: TestApp) {
  const { call, seed } = app
  const path = `/workspaces/${seed.id}/device-templates`
  const user = as.user(seed.owner.token)
  const { body: template } = await call('POST', path, { as: user, body })
  return { template, user, path: `${path}/${template.id}`, key: as.platformKey(seed.platformKey) }
}

test('each change is a version with its author, time and changed members', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const { path, key, template } = await withTemplate(app)
  const change = { name: 'Two', default_config: { a: null, b: 2 } }
  const { body: changed } = await call('PATCH', path, { as: key, body: change })
  const { body: listed } = await call('GET', `${path}/versions`, { as: key })
  assert.deepEqual(
    listed.items.map(({ version, changed }: Record<string, unknown>) => [version, changed]),
    [
      [2, ['name', 'default_config']],
      [1, []],
    ],
  )
  const [second, first] = listed.items
  assert.deepEqual(first.actor, { kind: 'user', id: seed.owner.id })
  assert.equal(first.at, template.created_at)
  assert.equal(second.actor.kind, 'platform-key')
  assert.match(second.actor.id, /^key_/)
  assert.equal(second.at, changed.updated_at)
  const read = await call('GET', `${path}/versions/1`, { as: key })
  assert.equal(read.status, 200, read.text)
  const { id: _id, workspace_id, model_key, created_at, updated_at, ...fields } = template
  assert.ok(workspace_id && model_key && created_at && updated_at)
  assert.deepEqual(read.body, { ...first, fields })
})

test('pages of versions go from the newest to the oldest', async (t) => {
  const app = await freshTenants(t)
  const { call } = app
  const { path, key } = await withTemplate(app)
  for (let n = 0; n < 4; n += 1) await call('PATCH', path, { as: key, body: { name: `Name ${n}` } })
  const seen: number[] = []
  let cursor = ''
  for (let pages = 0; pages < 5; pages += 1) {
    const { body: page } = await call('GET', `${path}/versions?limit=2${cursor}`, { as: key })
    seen.push(...page.items.map(({ version }: { version: number }) => version))
    if (page.next_cursor === null) break
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
  assert.deepEqual(seen, [5, 4, 3, 2, 1])
})

test('a missing version is not found, and versions go with their template', async (t) => {
  const app = await freshTenants(t)
  const { call, database } = app
  const { path, key } = await withTemplate(app)
  const missing = await call('GET', `${path}/versions/2`, { as: key })
  assert.equal(missing.status, 404)
  assert.equal(missing.body.code, 'template_version_not_found')
  await call('DELETE', path, { as: key })
  const gone = await call('GET', `${path}/versions/1`, { as: key })
  assert.equal(gone.body.code, 'template_not_found')
  const text = `SELECT count(*) AS n FROM device_template_versions v
    WHERE NOT EXISTS (SELECT FROM device_templates t WHERE t.id = v.template_id)`
  assert.deepEqual(await database.query({ name: undefined, text }), [{ n: 0 }])
})

test('a rollback makes the template what it was, as a further version', async (t) => {
  const app = await freshTenants(t)
  const { call } = app
  const { path, key, template } = await withTemplate(app)
  const change = { name: 'Two', default_config: { b: 2 }, capabilities: ['x'] }
  await call('PATCH', path, { as: key, body: change })
  const asked = { as: key, body: { version: 1 } }
  const tried = await call('POST', `${path}/rollback?dry_run=true`, asked)
  assert.equal(tried.status, 200, tried.text)
  assert.equal(tried.body.name, 'One')
  assert.equal((await call('GET', path, { as: key })).body.name, 'Two')
  const late = await call('POST', `${path}/rollback`, { ...asked, headers: { 'if-match': '"1"' } })
  assert.equal(late.status, 412)
  const back = await call('POST', `${path}/rollback`, asked)
  assert.equal(back.status, 200, back.text)
  assert.equal(revisionOf(back.headers), 3)
  const { effect: _effect, updated_at: _at, ...view } = back.body
  const { updated_at: _then, ...before } = template
  assert.deepEqual(view, before)
  const { body: version } = await call('GET', `${path}/versions/3`, { as: key })
  assert.deepEqual(version.changed, ['name', 'capabilities', 'default_config'])
  const unknown = await call('POST', `${path}/rollback`, { as: key, body: { version: 9 } })
  assert.equal(unknown.status, 400)
  assert.equal(unknown.body.errors[0].pointer, '/version')
})

test('changes at the same moment are versions of their own, without a gap', async (t) => {
  const app = await freshTenants(t)
  const { call } = app
  const { path, key } = await withTemplate(app)
  await Promise.all(
    Array.from({ length: 8 }, (_none, n) =>
      call('PATCH', path, { as: key, body: { name: `Name ${n}` } }),
    ),
  )
  const { body: listed } = await call('GET', `${path}/versions`, { as: key })
  const versions = listed.items.map(({ version }: { version: number }) => version)
  assert.deepEqual(versions, [9, 8, 7, 6, 5, 4, 3, 2, 1])
})

test('members that an older build omitted are set by the next change', async (t) => {
  const app = await freshTenants(t)
  const { call, database } = app
  const { path, key, template } = await withTemplate(app)
  const text = 'DELETE FROM device_template_versions WHERE workspace_id = $1'
  await database.query({ name: undefined, text }, [app.seed.uuid])
  await call('PATCH', path, { as: key, body: { name: 'Two' } })
  const { body: first } = await call('GET', `${path}/versions/1`, { as: key })
  assert.equal(first.actor, null)
  assert.equal(first.at, template.created_at)
  assert.equal(first.fields.name, 'One')
})

test('a version that an older release stored lacks later members, and they read as their defaults', async (t) => {
  const app = await freshTenants(t)
  const { call, database } = app
  const { path, key, template } = await withTemplate(app)
  await call('PATCH', path, { as: key, body: { name: 'Two', capabilities: ['x'] } })
  const defaulted = Object.keys(CreateDeviceTemplate.properties).filter(
    (name) => !CreateDeviceTemplate.required.some((required) => required === name),
  )
  const text = `UPDATE device_template_versions SET fields = fields - $2::text[]
    WHERE workspace_id = $1 AND version = 1`
  await database.query({ name: undefined, text }, [app.seed.uuid, defaulted])
  const read = await call('GET', `${path}/versions/1`, { as: key })
  assert.equal(read.status, 200, read.text)
  for (const query of ['?dry_run=true', '']) {
    const back = await call('POST', `${path}/rollback${query}`, { as: key, body: { version: 1 } })
    assert.equal(back.status, 200, back.text)
    const { effect: _effect, updated_at: _at, ...view } = back.body
    const { updated_at: _then, ...before } = template
    assert.deepEqual(view, { ...before, default_config: {} })
    for (const name of defaulted) assert.deepEqual(read.body.fields[name], back.body[name], name)
  }
})
