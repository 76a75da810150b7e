/** A device template goes only when no device uses it, anyone who registers at the same moment. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '../../../../src/platform/database/connect.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const insertDevices = `INSERT INTO devices (workspace_id, id, device_key, name, template_id)
  SELECT $1, id, id, 'x', $2
  FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $3::int)) AS fresh`

/** So many more devices of the seeded template; `on` is the pool or a transaction. */
const addDevices = ({ seed }: TestApp, on: Db, count: number) =>
  on.query({ name: undefined, text: insertDevices }, [seed.uuid, seed.template.uuid, count])

test('an unused template is deleted, once', async (t) => {
  const { call, seed } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates/${seed.template.id}`
  assert.equal((await call('DELETE', path, { as: caller })).status, 204)
  for (const method of ['DELETE', 'GET']) {
    const again = await call(method, path, { as: caller })
    assert.equal(again.status, 404)
    assert.equal(again.body.code, 'template_not_found')
  }
})

test('the refusal says how many devices use the template', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates/${seed.template.id}`
  for (const [more, words] of [
    [1, '1 device uses'],
    [2, '3 devices use'],
    [997, '1000 or more devices use'],
    [5, '1000 or more devices use'],
  ] as const) {
    await addDevices(app, app.database, more)
    const refused = await call('DELETE', path, { as: caller })
    assert.equal(refused.status, 409)
    assert.equal(refused.body.code, 'template_in_use')
    assert.match(refused.body.detail, new RegExp(`^${words}`))
  }
  assert.equal((await call('GET', path, { as: caller })).status, 200)
})

test('a device that is registering keeps its template', async (t) => {
  const app = await freshTenants(t)
  const { call, database, seed } = app
  const path = `/workspaces/${seed.id}/device-templates/${seed.template.id}`
  let deletion: Promise<{ status: number }> | undefined
  await database.transaction(async (trx) => {
    await addDevices(app, trx, 1)
    deletion = call('DELETE', path, { as: as.platformKey(seed.platformKey) })
    const waiting = `SELECT count(*) AS n FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()`
    // Until the deletion waits for this registration to end.
    for (let n = 0; n === 0; ) {
      n = (await database.query<{ n: number }>({ name: undefined, text: waiting }))[0]?.n ?? 0
    }
  })
  assert.equal((await deletion)?.status, 409)
})

test('registrations and a deletion at once leave no device without its template', async (t) => {
  const { call, database, seed } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates`
  for (let round = 0; round < 10; round += 1) {
    const body = { model_key: `r${round}`, name: 'x', serial_format: `R${round}-%#f` }
    const { body: template } = await call('POST', path, { as: caller, body })
    const register = () =>
      call('POST', '/provision/device', {
        as: as.factory(seed.provisionKey),
        body: { template_id: template.id },
      })
    const [one, two, deletion] = await Promise.all([
      register(),
      register(),
      call('DELETE', `${path}/${template.id}`, { as: caller }),
    ])
    const registered = [one, two].filter(({ status }) => status === 201).length
    for (const { status } of [one, two]) assert.ok([201, 404].includes(status))
    assert.equal(deletion.status, registered === 0 ? 204 : 409)
  }
  const orphans = `SELECT count(*) AS n FROM devices d
    WHERE template_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM device_templates t WHERE t.workspace_id = d.workspace_id AND t.id = d.template_id)`
  assert.deepEqual(await database.query({ name: undefined, text: orphans }), [{ n: 0 }])
})

test('deleting removes the sequence numbers and notifies every process', async (t) => {
  const app = await freshTenants(t)
  const { call, seed, services, database } = app
  const before = services.feed.lastChange(seed.template.uuid)
  await services.serials.take(seed.uuid, seed.template.uuid)
  const path = `/workspaces/${seed.id}/device-templates/${seed.template.id}`
  await call('DELETE', path, { as: as.platformKey(seed.platformKey) })
  assert.ok(services.feed.lastChange(seed.template.uuid) > before)
  const text = 'SELECT count(*) AS n FROM template_serials WHERE workspace_id = $1'
  assert.deepEqual(await database.query({ name: undefined, text }, [seed.uuid]), [{ n: 0 }])
})

test('only a change that others keep in memory is announced', async (t) => {
  const { call, seed, services } = await freshTenants(t)
  const path = `/workspaces/${seed.id}/device-templates/${seed.template.id}`
  const announced = async (body: unknown): Promise<boolean> => {
    const before = services.feed.sequence
    const { status } = await call('PATCH', path, { as: as.platformKey(seed.platformKey), body })
    assert.equal(status, 200)
    return services.feed.lastChange(seed.template.uuid) > before
  }
  const rule = { action: 'publish', topic: '{slug}/{device_key}/x', permission: 'allow' }
  assert.equal(await announced({ name: 'Renamed', rotation_overlap_s: 60 }), false)
  assert.equal(await announced({ mqtt_acl: [rule] }), true)
  assert.equal(await announced({ serial_format: 'T-%6r' }), true)
  const firmware = { url: 'https://a.example/b', sha256: 'a'.repeat(64), size_bytes: 1 }
  assert.equal(await announced({ firmware }), true)
})

test('creation, change and deletion are recorded', async (t) => {
  const { call, seed, database } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates`
  const body = { model_key: 'm', name: 'Before', serial_format: '%#f' }
  const { body: template } = await call('POST', path, { as: caller, body })
  await call('PATCH', `${path}/${template.id}`, { as: caller, body: { name: 'After' } })
  await call('DELETE', `${path}/${template.id}`, { as: caller })
  const events = await database.query<{ type: string; data: unknown }>(
    { name: undefined, text: 'SELECT type, data FROM events WHERE workspace_id = $1 ORDER BY id' },
    [seed.uuid],
  )
  const id = { template_id: template.id }
  assert.deepEqual(events, [
    { type: 'template.created', data: { ...id, model_key: 'm', name: 'Before' } },
    { type: 'template.updated', data: { ...id, changed: ['name'] } },
    { type: 'template.deleted', data: { ...id, model_key: 'm' } },
  ])
  const audit = await database.query<{ action: string; resource_id: string; detail: object }>(
    {
      name: undefined,
      text: 'SELECT action, resource_id, detail FROM audit_log WHERE workspace_id = $1 ORDER BY id',
    },
    [seed.uuid],
  )
  assert.deepEqual(
    audit.map(({ action, resource_id }) => `${action} ${resource_id}`),
    ['created', 'updated', 'deleted'].map((what) => `template.${what} ${template.id}`),
  )
  assert.deepEqual(audit[1]?.detail, {
    ...id,
    changed: ['name'],
    before: { name: 'Before' },
    after: { name: 'After' },
  })
})

test('a deleted template leaves its model key free', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates`
  await call('DELETE', `${path}/${seed.template.id}`, { as: caller })
  const body = { model_key: 'sensor', name: 'x', serial_format: '%#f' }
  const created = await call('POST', path, { as: caller, body })
  assert.equal(created.status, 201)
  assert.notEqual(created.body.id, seed.template.id)
})

test('a deletion can move the devices to another template, each as a change of its own', async (t) => {
  const app = await freshTenants(t)
  const { call, seed, services, database } = app
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates`
  const body = { model_key: 'm', name: 'Heir', serial_format: '%#f' }
  const { body: heir } = await call('POST', path, { as: caller, body })
  await addDevices(app, database, 3)
  const one = `${path}/${seed.template.id}`
  const before = services.feed.lastChange(seed.template.uuid)
  const moved = await call('DELETE', `${one}?move_to=${heir.id}`, { as: caller })
  assert.equal(moved.status, 204, moved.text)
  assert.ok(services.feed.lastChange(seed.template.uuid) > before)
  assert.equal((await call('GET', one, { as: caller })).status, 404)
  const devices = `/workspaces/${seed.id}/devices?template_id=${heir.id}`
  const { body: listed } = await call('GET', devices, { as: caller })
  const ids = listed.items.map(({ id }: { id: string }) => id).sort()
  assert.equal(ids.length, 3)
  const text = `SELECT resource_id, detail, request_id FROM audit_log
    WHERE workspace_id = $1 AND action = 'device.updated' ORDER BY resource_id`
  const audit = await database.query<Record<string, unknown>>({ name: undefined, text }, [
    seed.uuid,
  ])
  assert.deepEqual(
    audit.map(({ resource_id }) => resource_id),
    ids,
  )
  for (const { detail, resource_id, request_id } of audit) {
    assert.ok(request_id)
    assert.deepEqual(detail, {
      device_id: resource_id,
      changed: ['template_id'],
      before: { template_id: seed.template.id },
      after: { template_id: heir.id },
    })
  }
  const received = `SELECT count(DISTINCT subject_id) AS n FROM events
    WHERE workspace_id = $1 AND type = 'device.updated'`
  assert.deepEqual(await database.query({ name: undefined, text: received }, [seed.uuid]), [
    { n: 3 },
  ])
})

test('devices are moved to no template of another workspace, nor to the one that goes', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates/${seed.template.id}`
  await addDevices(app, app.database, 1)
  for (const target of [seed.other.template.id, seed.template.id, 'tpl_x']) {
    const refused = await call('DELETE', `${path}?move_to=${target}`, { as: caller })
    assert.equal(refused.status, 400, refused.text)
    assert.equal(refused.body.errors[0].pointer, '/query/move_to')
  }
  assert.equal((await call('GET', path, { as: caller })).status, 200)
})

test('one of two templates that are deleted in favour of each other stays, with all devices', async (t) => {
  const app = await freshTenants(t)
  const { call, seed, database } = app
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates`
  const body = { model_key: 'm', name: 'Other', serial_format: '%#f' }
  const { body: other } = await call('POST', path, { as: caller, body })
  await addDevices(app, database, 5)
  const responses = await Promise.all([
    call('DELETE', `${path}/${seed.template.id}?move_to=${other.id}`, { as: caller }),
    call('DELETE', `${path}/${other.id}?move_to=${seed.template.id}`, { as: caller }),
  ])
  const statuses = responses.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 204).length, 1, String(statuses))
  assert.ok(statuses.some((status) => status === 400 || status === 404))
  const { body: left } = await call('GET', path, { as: caller })
  assert.equal(left.items.length, 1)
  const text =
    'SELECT count(*) AS n FROM devices WHERE workspace_id = $1 AND template_id IS NOT NULL'
  assert.deepEqual(await database.query({ name: undefined, text }, [seed.uuid]), [{ n: 5 }])
})
