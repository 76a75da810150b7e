/** Names of those who act stay after they have left; others, and what was deleted, have none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, type Headers, type TestApp } from '../../../support/app.ts'
import { browser } from '../../../support/console.ts'
import { seedUser } from '../../../support/seed.ts'
import { newDevice } from '../../../support/phones-and-devices.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { idOf, seedTenant, type Tenant } from '../../../support/tenants.ts'
import { until } from '../../../support/until.ts'
import { formatId, type IdPrefix, leastUuidAt } from '../../../../src/platform/lib/ids.ts'

const freshTenants = useTenants()

async function namesOf(app: TestApp, ids: readonly string[], who?: Headers) {
  const path = `/workspaces/${app.seed.id}/actors?ids=${ids.join()}`
  const answer = await app.call('GET', path, { as: who ?? as.user(app.seed.owner.token) })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.items as {
    id: string
    label: string
    detail: string | null
    is_active: boolean
    is_deleted: boolean
  }[]
}

test('names of former members and of revoked keys are kept', async (t) => {
  const app = await freshTenants(t)
  const owner = as.user(app.seed.owner.token)
  const grace = await seedUser(app, { [app.seed.uuid]: 'admin' })
  const key = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
    as: as.user(grace.token),
    body: { key_kind: 'provision', name: 'Line 4' },
  })
  assert.equal(key.status, 201, key.text)
  const ids = [grace.id, key.body.id as string]
  const present = [
    { id: grace.id, label: grace.email, detail: null, is_active: true, is_deleted: false },
    { id: key.body.id, label: 'Line 4', detail: null, is_active: true, is_deleted: false },
  ]
  assert.deepEqual(await namesOf(app, ids), present)
  for (const below of [`api-keys/${key.body.id}`, `members/${grace.id}`]) {
    const gone = await app.call('DELETE', `/workspaces/${app.seed.id}/${below}`, { as: owner })
    assert.ok(gone.status < 300, gone.text)
  }
  assert.deepEqual(
    await namesOf(app, ids),
    present.map((each) => ({ ...each, is_active: false })),
  )
})

test('the id of a deleted account stays, and nothing of its name, where it has acted', async (t) => {
  const [app, other] = [await freshTenants(t), await freshTenants(t)]
  const grace = await seedUser(app, { [app.seed.uuid]: 'member' })
  const removed = await browser(app).call('DELETE', '/account', {
    as: as.user(grace.token),
    body: { confirm: grace.email },
  })
  assert.equal(removed.status, 204, removed.text)
  const left = { label: 'deleted account', detail: null, is_active: false, is_deleted: true }
  const unknown = { id: grace.id, ...left }
  assert.deepEqual(await namesOf(app, [grace.id]), [unknown])
  assert.deepEqual(await namesOf(other, [grace.id]), [])
  const log = await app.call('GET', `/workspaces/${app.seed.id}/audit-log`, {
    as: as.user(app.seed.owner.token),
  })
  const own = log.body.items.find((entry: { actor: { id: string } }) => entry.actor.id === grace.id)
  assert.equal(own?.action, 'member.removed')
  assert.ok(!log.text.includes(grace.email))
})

test('users who have never acted here have no name here, and a viewer sees no names of keys', async (t) => {
  const [app, other] = [await freshTenants(t), await freshTenants(t)]
  const outsider = await seedUser(other, { [other.seed.uuid]: 'admin' })
  const key = await other.call('POST', `/workspaces/${other.seed.id}/api-keys`, {
    as: as.user(outsider.token),
    body: { key_kind: 'provision', name: 'Elsewhere' },
  })
  assert.deepEqual(await namesOf(app, [outsider.id, key.body.id]), [])
  const own = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
    as: as.user(app.seed.owner.token),
    body: { key_kind: 'provision', name: 'Line 5' },
  })
  const viewer = as.user((await seedUser(app, { [app.seed.uuid]: 'viewer' })).token)
  const seen = await namesOf(app, [app.seed.owner.id, own.body.id], viewer)
  assert.deepEqual(
    seen.map(({ id }) => id),
    [app.seed.owner.id],
  )
})

test('each kind of what acts and is acted on has a name in its workspace only', async (t) => {
  const [app, other] = [await freshTenants(t), await freshTenants(t)]
  const [own, foreign] = [await seedTenant(app, app.seed), await seedTenant(other, other.seed)]
  const prefixes = ['usr', 'key', 'dev', 'moid', 'mqp', 'tpl', 'job', 'grp', 'fld', 'dom'].concat(
    'whk',
    'inv',
  )
  const idsOf = (tenant: Tenant) => prefixes.map((prefix) => idOf(tenant, prefix as IdPrefix))
  const named = await namesOf(app, idsOf(own))
  assert.deepEqual(
    named.map(({ id, is_deleted }) => [id, is_deleted]),
    idsOf(own).map((id) => [id, false]),
  )
  assert.ok(named.every(({ label }) => label.length > 0))
  const labelOf = (prefix: string) => named.find(({ id }) => id.startsWith(`${prefix}_`))?.label
  assert.match(labelOf('moid') ?? '', /^phone of ./)
  assert.match(labelOf('job') ?? '', /^job: [a-z ]+$/)
  assert.deepEqual(await namesOf(app, idsOf(foreign)), [])
  const viewer = as.user((await seedUser(app, { [app.seed.uuid]: 'viewer' })).token)
  const seen = await namesOf(app, idsOf(own), viewer)
  const hidden = prefixes.filter((prefix) => !seen.some(({ id }) => id.startsWith(`${prefix}_`)))
  assert.deepEqual(hidden, ['key', 'whk', 'inv'])
})

test('a device that was refused has its name and key until it is deleted', async (t) => {
  const [app, other] = [await freshTenants(t), await freshTenants(t)]
  const [device, foreign] = [await newDevice(app), await newDevice(other)]
  const name = { label: 'Pump 3', detail: `k-${device.uuid}` }
  const at = `/workspaces/${app.seed.id}/devices`
  const owner = as.user(app.seed.owner.token)
  const renamed = 'UPDATE devices SET name = $2 WHERE id = $1'
  await app.database.pool.query(renamed, [device.uuid, name.label])
  const present = { id: device.id, ...name, is_active: true, is_deleted: false }
  const never = 'dev_01h455vb4pex5vsknk084sn02q'
  assert.deepEqual(await namesOf(app, [never, device.id, foreign.id]), [present])
  assert.equal((await device.call('GET', at)).status, 403)
  await until('the refusal is written', async () => {
    const log = await app.call('GET', `/workspaces/${app.seed.id}/audit-log`, { as: owner })
    return log.body.items.some(({ actor }: { actor: { id: string } }) => actor.id === device.id)
  })
  assert.deepEqual(await namesOf(app, [device.id]), [present])
  const removed = await app.call('DELETE', `${at}/${device.id}`, { as: owner })
  assert.equal(removed.status, 204, removed.text)
  const gone = { label: 'deleted device', detail: null, is_active: false, is_deleted: true }
  assert.deepEqual(await namesOf(app, [never, device.id, foreign.id]), [{ id: device.id, ...gone }])
})

test('a resource that only a refused request has named has no name', async (t) => {
  const app = await freshTenants(t)
  const foreign = formatId('dev', leastUuidAt(1))
  await app.database.pool.query(
    `INSERT INTO audit_log (workspace_id, id, actor_kind, action, resource_kind, resource_id)
     VALUES ($1, gen_random_uuid(), 'user', $2, 'device', $3)`,
    [app.seed.uuid, 'access.refused', foreign],
  )
  assert.deepEqual(await namesOf(app, [foreign]), [])
})

test('invalid ids are refused, and ids without a name are omitted', async (t) => {
  const app = await freshTenants(t)
  const many = Array.from({ length: 51 }, (_, at) => formatId('dev', leastUuidAt(at)))
  for (const ids of ['usr_', `${app.seed.owner.id},`, 'service', many.join()]) {
    const path = `/workspaces/${app.seed.id}/actors?ids=${ids}`
    const answer = await app.call('GET', path, { as: as.user(app.seed.owner.token) })
    assert.equal(answer.status, 400)
    assert.equal(answer.body.errors[0].pointer, '/query/ids')
  }
  const twice = Array.from({ length: 51 }, () => app.seed.owner.id)
  const nameless = formatId('evt', leastUuidAt(1))
  assert.equal((await namesOf(app, [...twice, nameless])).length, 1)
})
