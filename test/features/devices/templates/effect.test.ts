/** A change of a template says beforehand and afterwards which topics its devices gain and lose. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedDevice } from '../../../support/credentials.ts'
import { as } from '../../../support/app.ts'
import { revisionOf } from '../../../support/revision.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const rule = (action: string, topic: string) => ({
  action,
  topic: `{slug}/{device_key}/${topic}`,
  permission: 'allow',
})
const topic = (action: string, name: string) => ({ action, topic: `{slug}/{device_key}/${name}` })

test('a dry run answers like the change, and changes nothing', async (t) => {
  const app = await freshTenants(t)
  const { call, seed, database } = app
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates/${seed.template.id}`
  const acl = [rule('publish', 'telemetry'), rule('subscribe', 'cmd')]
  await call('PATCH', path, { as: caller, body: { mqtt_acl: acl } })
  const device = await seedDevice(app, seed)
  await seedDevice(app, seed)
  const presence = `INSERT INTO device_presence (workspace_id, device_id, connected, incarnation, node_id,
      last_seen_at)
    VALUES ($1, $2, true, 1, $3, now())`
  await database.query({ name: undefined, text: presence }, [
    seed.uuid,
    device.uuid,
    app.services.nodeId,
  ])
  const before = await call('GET', path, { as: caller })
  const announced = 'SELECT count(*) AS n FROM changes WHERE ref = $1'
  const fed = await database.query({ name: undefined, text: announced }, [seed.template.uuid])
  const body = { mqtt_acl: [acl[0], rule('subscribe', 'cmd/#'), rule('publish', 'events')] }
  const headers = { 'if-match': '"2"' }
  const tried = await call('PATCH', `${path}?dry_run=true`, { as: caller, body, headers })
  assert.equal(tried.status, 200, tried.text)
  assert.deepEqual(tried.body.effect, {
    devices: { value: 2, is_lower_bound: false },
    connected: { value: 1, is_lower_bound: false },
    topics: {
      gained: [topic('publish', 'events'), topic('subscribe', 'cmd/#')],
      lost: [],
      is_complete: true,
    },
    findings: [],
  })
  assert.deepEqual(tried.body.mqtt_acl, body.mqtt_acl)
  assert.equal(revisionOf(tried.headers), 2)
  const after = await call('GET', path, { as: caller })
  assert.deepEqual(after.body, before.body)
  assert.equal(after.headers.etag, before.headers.etag)
  assert.deepEqual(
    await database.query({ name: undefined, text: announced }, [seed.template.uuid]),
    fed,
  )
  const { body: versions } = await call('GET', `${path}/versions`, { as: caller })
  assert.equal(versions.items.length, 2)
  const done = await call('PATCH', path, { as: caller, body, headers })
  assert.deepEqual(done.body.effect, tried.body.effect)
  assert.equal(revisionOf(done.headers), 3)
})

test('a dry run is refused where the change would be', async (t) => {
  const { call, seed } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates/${seed.template.id}?dry_run=true`
  const bad = await call('PATCH', path, { as: caller, body: { serial_format: 'fixed' } })
  assert.equal(bad.status, 400)
  const late = await call('PATCH', path, {
    as: caller,
    body: { name: 'x' },
    headers: { 'if-match': '"9"' },
  })
  assert.equal(late.status, 412)
})

test('more devices than are counted appear as a lower bound', async (t) => {
  const { call, seed, database } = await freshTenants(t)
  const path = `/workspaces/${seed.id}/device-templates/${seed.template.id}?dry_run=true`
  const text = `INSERT INTO devices (workspace_id, id, device_key, name, template_id)
    SELECT $1, gen_random_uuid(), 'k' || n, 'x', $2 FROM generate_series(1, 10001) n`
  await database.query({ name: undefined, text }, [seed.uuid, seed.template.uuid])
  const { body } = await call('PATCH', path, {
    as: as.platformKey(seed.platformKey),
    body: { name: 'x' },
  })
  assert.deepEqual(body.effect.devices, { value: 10_000, is_lower_bound: true })
  const move = await call('DELETE', `${path.split('?')[0]}?move_to=${seed.other.template.id}`, {
    as: as.platformKey(seed.platformKey),
  })
  assert.equal(move.status, 409)
  assert.equal(move.body.code, 'template_in_use')
  assert.match(move.body.detail, /More than 10000 devices.*bulk job/)
})
