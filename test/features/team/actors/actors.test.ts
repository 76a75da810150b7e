/** Names of those who act stay after they have left; others have none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, type Headers, type TestApp } from '../../../support/app.ts'
import { browser } from '../../../support/console.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

async function namesOf(app: TestApp, ids: readonly string[], who?: Headers) {
  const path = `/workspaces/${app.seed.id}/actors?ids=${ids.join()}`
  const answer = await app.call('GET', path, { as: who ?? as.user(app.seed.owner.token) })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.items as {
    id: string
    label: string
    is_active: boolean
    is_deleted: boolean
  }[]
}

test('the name of a person and of a key stay when they are gone', async (t) => {
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
    { id: grace.id, label: grace.email, is_active: true, is_deleted: false },
    { id: key.body.id, label: 'Line 4', is_active: true, is_deleted: false },
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

test('of a deleted account the id stays, and nothing of its name, where it has acted', async (t) => {
  const [app, other] = [await freshTenants(t), await freshTenants(t)]
  const grace = await seedUser(app, { [app.seed.uuid]: 'member' })
  const removed = await browser(app).call('DELETE', '/account', {
    as: as.user(grace.token),
    body: { confirm: grace.email },
  })
  assert.equal(removed.status, 204, removed.text)
  const unknown = { id: grace.id, label: 'deleted account', is_active: false, is_deleted: true }
  assert.deepEqual(await namesOf(app, [grace.id]), [unknown])
  assert.deepEqual(await namesOf(other, [grace.id]), [])
  const log = await app.call('GET', `/workspaces/${app.seed.id}/audit-log`, {
    as: as.user(app.seed.owner.token),
  })
  const own = log.body.items.find((entry: { actor: { id: string } }) => entry.actor.id === grace.id)
  assert.equal(own?.action, 'member.removed')
  assert.ok(!log.text.includes(grace.email))
})

test('who has never acted here has no name here, and a viewer sees no names of keys', async (t) => {
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

test('what is no id of an actor is refused', async (t) => {
  const app = await freshTenants(t)
  const many = Array.from({ length: 51 }, () => app.seed.owner.id)
  for (const ids of ['dev_01h455vb4pex5vsknk084sn02q', 'usr_', `${app.seed.owner.id},`]) {
    const path = `/workspaces/${app.seed.id}/actors?ids=${ids}`
    const answer = await app.call('GET', path, { as: as.user(app.seed.owner.token) })
    assert.equal(answer.status, 400)
    assert.equal(answer.body.errors[0].pointer, '/query/ids')
  }
  assert.equal((await namesOf(app, many)).length, 1)
})
