/** The overview lists what needs attention, to those who may read it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, type Headers, type TestApp } from '../../../support/app.ts'
import { registerDevice } from '../../../support/commands.ts'
import { connectDevice } from '../../../support/mqtt.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { seedTroubles } from '../../../support/troubles.ts'
import { until } from '../../../support/until.ts'

const tenant = useTenants()

interface Trouble {
  kind: string
  count: number
  examples: { id: string; name: string }[]
}

async function attentionIn({ call, seed }: TestApp, who?: Headers): Promise<Trouble[]> {
  const path = `/workspaces/${seed.id}/overview`
  const { status, body, text } = await call('GET', path, { as: who ?? as.user(seed.owner.token) })
  assert.equal(status, 200, text)
  return body.attention as Trouble[]
}

test('each kind of problem is listed with its resource, in its workspace only', async (t) => {
  const [app, other] = [await tenant(t), await tenant(t)]
  assert.deepEqual(await attentionIn(app), [])
  const made = await seedTroubles(app, app.seed.uuid)
  const listed = await attentionIn(app)
  assert.deepEqual(
    listed.map(({ kind, count, examples }) => [kind, count, examples.map(({ id }) => id)]),
    Object.entries(made).map(([kind, id]) => [kind, 1, [id]]),
  )
  assert.deepEqual(await attentionIn(other), [])
})

test('callers without the right to read webhooks see none', async (t) => {
  const app = await tenant(t)
  await seedTroubles(app, app.seed.uuid)
  const viewer = as.user((await seedUser(app, { [app.seed.uuid]: 'viewer' })).token)
  const kinds = (await attentionIn(app, viewer)).map(({ kind }) => kind)
  assert.ok(kinds.includes('domain_lapsed'))
  assert.ok(!kinds.some((kind) => kind.startsWith('webhook')), kinds.join())
  const key = as.platformKey(app.seed.platformKey)
  assert.ok((await attentionIn(app, key)).some(({ kind }) => kind === 'webhook_failing'))
})

test('the first three of many problems of a kind are named, and all are counted', async (t) => {
  const app = await tenant(t)
  for (let round = 0; round < 4; round += 1) await seedTroubles(app, app.seed.uuid)
  const lapsed = (await attentionIn(app)).find(({ kind }) => kind === 'domain_lapsed')
  assert.equal(lapsed?.count, 4)
  assert.equal(lapsed?.examples.length, 3)
})

test('a certificate that came after a failed order ends the trouble', async (t) => {
  const app = await tenant(t)
  await seedTroubles(app, app.seed.uuid)
  await app.database.pool.query(
    `UPDATE domain_certificates SET created_at = now() + interval '1 hour' WHERE workspace_id = $1`,
    [app.seed.uuid],
  )
  const kinds = (await attentionIn(app)).map(({ kind }) => kind)
  assert.ok(!kinds.includes('renewal_failed'), kinds.join())
})

test('two programs with one client id are named while they replace each other', async (t) => {
  const app = await tenant(t)
  const device = await registerDevice(app)
  for (let session = 0; session < 6; session += 1) await connectDevice(t, device)
  await until('the conflict is listed', async () => (await attentionIn(app)).length > 0)
  const [trouble] = await attentionIn(app)
  assert.equal(trouble?.kind, 'device_client_id_conflict')
  assert.deepEqual(
    trouble?.examples.map(({ id }) => id),
    [device.device_id],
  )
})
