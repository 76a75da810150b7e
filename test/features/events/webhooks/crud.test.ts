/** Webhooks: made with a secret that is shown once, changed, given another secret, deleted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants({
  environment: { MOORING_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' },
})

const caller = ({ call, seed }: TestApp) => {
  const send = (method: string, path = '', body?: unknown, headers = {}): Promise<CallResult> =>
    call(method, `/workspaces/${seed.id}/webhooks${path}`, {
      as: as.platformKey(seed.platformKey),
      headers,
      ...(body !== undefined && { body }),
    })
  const make = async (body: object = {}): Promise<CallResult['body']> => {
    const answer = await send('POST', '', { url: 'https://hooks.example.com/in', ...body })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  return { send, make }
}

test('the secret is returned once, and stored encrypted', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = caller(app)
  const { secret, ...created } = await make({ types: ['device.*'], description: 'ERP' })
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(created.status, 'enabled')
  const { body, text } = await send('GET', `/${created.id}`)
  assert.deepEqual(body, created)
  assert.ok(!text.includes(secret.slice(6)))
  assert.deepEqual((await send('GET')).body, { items: [created], next_cursor: null })
  const { rows } = await app.database.pool.query('SELECT secret FROM webhooks WHERE id = $1', [
    parseId('whk', created.id),
  ])
  assert.ok(!rows[0].secret.includes(Buffer.from(secret.slice(6), 'base64')))
})

test('a URL that leads inside is refused, but for hosts that are allowed', async (t) => {
  const { send, make } = caller(await freshTenants(t))
  for (const url of [
    'https://127.0.0.2/',
    'https://169.254.169.254/',
    'http://example.com/',
    'x',
  ]) {
    const { status, body } = await send('POST', '', { url })
    assert.deepEqual([status, body.errors[0].pointer], [400, '/url'], url)
    if (url === 'x') continue
    const remedy = `can add ${new URL(url).hostname} to MOORING_WEBHOOK_ALLOWED_HOSTS`
    assert.ok(body.errors[0].message.endsWith(remedy), body.errors[0].message)
  }
  const { id } = await make({ url: 'http://127.0.0.1:9/x' })
  const changed = await send('PATCH', `/${id}`, { url: 'https://[::1]/' })
  assert.deepEqual([changed.status, changed.body.errors[0].pointer], [400, '/url'])
})

test('types that do not exist are refused by their place', async (t) => {
  const { send } = caller(await freshTenants(t))
  const body = { url: 'https://hooks.example.com/', types: ['device.*', 'nothing.*'] }
  const refused = await send('POST', '', body)
  assert.equal(refused.body.errors[0].pointer, '/types/1')
})

test('members in the body change, and a stale revision changes nothing', async (t) => {
  const { send, make } = caller(await freshTenants(t))
  const { id } = await make({ description: 'ERP' })
  const off = await send('PATCH', `/${id}`, { status: 'disabled' }, { 'if-match': '"1"' })
  assert.equal(off.status, 200, off.text)
  const { description, status, disabled_reason } = off.body
  assert.deepEqual([description, status, disabled_reason], ['ERP', 'disabled', 'asked'])
  const stale = await send('PATCH', `/${id}`, { description: null }, { 'if-match': '"1"' })
  assert.equal(stale.body.code, 'precondition_failed')
  const on = await send('PATCH', `/${id}`, { status: 'enabled', description: null })
  assert.deepEqual(
    [on.body.status, on.body.disabled_at, on.body.description],
    ['enabled', null, null],
  )
})

test('a rotated secret is new, and the response contains the end of the previous one', async (t) => {
  const { send, make } = caller(await freshTenants(t))
  const { id, secret } = await make()
  const renewed = await send('POST', `/${id}/rotate-secret`, { overlap_s: 3_600 })
  assert.equal(renewed.status, 200, renewed.text)
  assert.notEqual(renewed.body.secret, secret)
  assert.ok(Date.parse(renewed.body.previous_secret_until) > Date.now())
  const rotated = await send('POST', `/${id}/rotate-secret`, { overlap_s: 0 })
  assert.equal(rotated.body.previous_secret_until, null)
})

test('a secret that has ended is deleted, and one that still signs is not', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = caller(app)
  const { pool } = app.database
  const [ended, signing] = [await make(), await make()]
  for (const { id } of [ended, signing]) await send('POST', `/${id}/rotate-secret`, {})
  await pool.query('UPDATE webhooks SET previous_until = now() WHERE id = $1', [
    parseId('whk', ended.id),
  ])
  const before = await send('GET', `/${ended.id}`)
  const task = 'webhooks.forget_ended_secrets'
  await pool.query(`SELECT graphile_worker.add_job($1, '{}')`, [task])
  const isKept = async (id: string): Promise<boolean> => {
    const { rows } = await pool.query(
      'SELECT previous_secret IS NOT NULL AS is_kept FROM webhooks WHERE id = $1',
      [parseId('whk', id)],
    )
    return rows[0].is_kept
  }
  await until('the delivery is deleted', async () => !(await isKept(ended.id)))
  assert.ok(await isKept(signing.id))
  const after = await send('GET', `/${ended.id}`)
  assert.deepEqual([after.body, after.headers.etag], [before.body, before.headers.etag])
})

test('a deleted webhook is a 404, and each change has an event', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = caller(app)
  const { id } = await make()
  await send('POST', `/${id}/rotate-secret`, {})
  await send('PATCH', `/${id}`, { description: 'x' })
  assert.equal((await send('DELETE', `/${id}`)).status, 204)
  assert.equal((await send('GET', `/${id}`)).body.code, 'webhook_not_found')
  const { rows } = await app.database.pool.query<{ type: string }>(
    `SELECT type FROM events WHERE workspace_id = $1 AND type LIKE 'webhook.%' ORDER BY seq`,
    [app.seed.uuid],
  )
  assert.deepEqual(
    rows.map(({ type }) => type),
    ['webhook.created', 'webhook.secret_rotated', 'webhook.updated', 'webhook.deleted'],
  )
})

test('concurrent creations do not exceed the limit', async (t) => {
  const app = await freshTenants(t)
  const { send } = caller(app)
  const { uuid } = app.seed
  await app.database.pool.query(
    `INSERT INTO webhooks (workspace_id, id, url, secret, created_by)
     SELECT $1, gen_random_uuid(), 'https://hooks.example.com/', '', 'seed'
     FROM generate_series(1, 46)`,
    [uuid],
  )
  const body = { url: 'https://hooks.example.com/in' }
  const responses = await Promise.all(Array.from({ length: 12 }, () => send('POST', '', body)))
  const made = responses.filter(({ status }) => status === 201).length
  const refused = responses.filter(({ body: { code } }) => code === 'limit_reached').length
  assert.deepEqual([made, refused], [4, 8])
})
