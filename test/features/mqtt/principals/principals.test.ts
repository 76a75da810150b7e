/** MQTT principals: made, listed, changed, given other passwords, and deleted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatId, newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const caller = ({ call, seed }: TestApp) => {
  const send = (method: string, path = '', body?: unknown, headers = {}): Promise<CallResult> =>
    call(method, `/workspaces/${seed.id}/mqtt/principals${path}`, {
      as: as.platformKey(seed.platformKey),
      headers,
      ...(body !== undefined && { body }),
    })
  const make = async (body: object): Promise<CallResult['body']> => {
    const response = await send('POST', '', body)
    assert.equal(response.status, 201, response.text)
    return response.body
  }
  const names = async (filter: string): Promise<string[]> => {
    const { status, body, text } = await send('GET', `?filter=${encodeURIComponent(filter)}`)
    assert.equal(status, 200, text)
    return body.items.map(({ name }: { name: string }) => name).toSorted()
  }
  return { send, make, names }
}

const countOf = async (values: Promise<CallResult>[]): Promise<Record<number, number>> => {
  const counts: Record<number, number> = {}
  for (const { status } of await Promise.all(values)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

test('a principal is made with a password that is never shown again', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = caller(app)
  const { mqtt_credentials, ...created } = await make({ name: 'Billing', description: 'Meters' })
  assert.equal(mqtt_credentials.username, created.id)
  assert.equal(mqtt_credentials.client_id, created.id)
  assert.equal(mqtt_credentials.topic_prefix, app.seed.slug)
  assert.match(mqtt_credentials.password, /^mqp_[0-9A-Za-z]{49}$/)
  assert.equal(created.status, 'active')
  assert.equal(created.expires_at, null)
  assert.equal(created.rotation_overlap_s, 604_800)
  const { body, text } = await send('GET', `/${created.id}`)
  assert.deepEqual(body, created)
  assert.ok(!text.includes(mqtt_credentials.password))
  const { rows } = await app.database.pool.query(
    'SELECT hash FROM mqtt_principal_secrets WHERE principal_id = $1',
    [parseId('mqp', created.id)],
  )
  assert.equal(rows.length, 1)
  assert.ok(!rows[0].hash.toString('latin1').includes(mqtt_credentials.password))
})

test('the same key gets the same principal and password, however often it is sent', async (t) => {
  const { send } = caller(await freshTenants(t))
  const headers = { 'idempotency-key': '"one"' }
  const first = await send('POST', '', { name: 'Billing' }, headers)
  const again = await send('POST', '', { name: 'Billing' }, headers)
  assert.equal(again.status, 201)
  assert.deepEqual(again.body, first.body)
  const rotated = await send('POST', `/${first.body.id}/credentials/rotate`, {}, headers)
  const repeated = await send('POST', `/${first.body.id}/credentials/rotate`, {}, headers)
  assert.equal(rotated.status, 200, rotated.text)
  assert.deepEqual(repeated.body, rotated.body)
})

test('exactly one of many principals that want one name at once gets it', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = caller(app)
  const tries = Array.from({ length: 12 }, () => send('POST', '', { name: 'Billing' }))
  assert.deepEqual(await countOf(tries), { 201: 1, 409: 11 })
  const { id } = await make({ name: 'Other' })
  const renamed = await send('PATCH', `/${id}`, { name: 'Billing' })
  assert.equal(renamed.body.code, 'mqtt_principal_name_taken')
  const elsewhere = await app.call('POST', `/workspaces/${app.seed.other.id}/mqtt/principals`, {
    as: as.platformKey(app.seed.other.platformKey),
    body: { name: 'Billing' },
  })
  assert.equal(elsewhere.status, 201)
})

test('a workspace has a thousand at most, also when many are made at once', async (t) => {
  const app = await freshTenants(t)
  const { send } = caller(app)
  await app.database.pool.query(
    `INSERT INTO mqtt_principals (workspace_id, id, name, created_by)
     SELECT $1, gen_random_uuid(), n, 'seed' FROM generate_series(1, 998) n`,
    [app.seed.uuid],
  )
  const tries = Array.from({ length: 8 }, (_, n) => send('POST', '', { name: `New ${n}` }))
  assert.deepEqual(await countOf(tries), { 201: 2, 409: 6 })
  const refused = await send('POST', '', { name: 'One more' })
  assert.equal(refused.body.code, 'limit_reached')
  assert.deepEqual(refused.body.limit, { name: 'mqtt_principals', value: 1000 })
})

test('only members in the body change', async (t) => {
  const { send, make } = caller(await freshTenants(t))
  const expires_at = '2100-01-01T00:00:00.000Z'
  const { id } = await make({ name: 'Billing', description: 'Meters', expires_at })
  const renamed = await send('PATCH', `/${id}`, { name: 'Invoices', rotation_overlap_s: 60 })
  const { name, description, rotation_overlap_s } = renamed.body
  assert.deepEqual([name, description, rotation_overlap_s], ['Invoices', 'Meters', 60])
  assert.equal(renamed.body.expires_at, expires_at)
  const unlimited = await send('PATCH', `/${id}`, { expires_at: null })
  assert.equal(unlimited.body.expires_at, null)
  const past = await send('PATCH', `/${id}`, { expires_at: '2020-01-01T00:00:00Z' })
  assert.equal(past.body.errors[0].pointer, '/expires_at')
  const made = await send('POST', '', { name: 'Past', expires_at: '2020-01-01T00:00:00Z' })
  assert.equal(made.body.errors[0].pointer, '/expires_at')
  const stale = await send('PATCH', `/${id}`, { name: 'Late' }, { 'if-match': '"1"' })
  assert.equal(stale.body.code, 'precondition_failed')
})

test('a list is filtered by name, status and times', async (t) => {
  const app = await freshTenants(t)
  const { send, make, names } = caller(app)
  const bodies = [{ name: 'Bridge east' }, { name: 'Bridge west' }, { name: 'Dashboard' }]
  const [east, , dashboard] = await Promise.all(bodies.map((body) => make(body)))
  await send('POST', `/${east.id}/suspend`)
  await app.database.pool.query(
    `UPDATE mqtt_principals SET expires_at = now() - interval '1 day',
       last_connected_at = '2001-02-03' WHERE id = $1`,
    [parseId('mqp', dashboard.id)],
  )
  assert.deepEqual(await names('name = Bridge*'), ['Bridge east', 'Bridge west'])
  assert.deepEqual(await names('status = suspended'), ['Bridge east'])
  assert.deepEqual(await names('status = expired'), ['Dashboard'])
  assert.deepEqual(await names('status = active'), ['Bridge west'])
  assert.deepEqual(await names('last_connected_at < 2010-01-01'), ['Dashboard'])
  assert.equal((await send('GET', `/${dashboard.id}`)).body.status, 'expired')
  assert.equal((await send('GET', '?filter=colour%20%3D%20red')).status, 400)
  assert.equal((await send('GET', '?cursor=x')).body.code, 'invalid_cursor')
})

test('one of many suspensions at once is the change, and resuming reverts it', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = caller(app)
  const { id } = await make({ name: 'Billing' })
  const tries = Array.from({ length: 8 }, () => send('POST', `/${id}/suspend`))
  assert.deepEqual(await countOf(tries), { 200: 1, 409: 7 })
  const again = await send('POST', `/${id}/suspend`)
  assert.equal(again.body.code, 'invalid_transition')
  assert.equal((await send('POST', `/${id}/resume`)).body.status, 'active')
  assert.equal((await send('POST', `/${id}/resume`)).body.code, 'invalid_transition')
  const { rows } = await app.database.pool.query(
    `SELECT type FROM events WHERE workspace_id = $1 AND type LIKE 'mqtt_principal.%' ORDER BY id`,
    [app.seed.uuid],
  )
  assert.deepEqual(
    rows.map(({ type }) => type.slice('mqtt_principal.'.length)),
    ['created', 'suspended', 'resumed'],
  )
})

test('a deleted or unknown principal is not found by any operation', async (t) => {
  const { send, make } = caller(await freshTenants(t))
  const { id } = await make({ name: 'Billing' })
  assert.equal((await send('DELETE', `/${id}`)).status, 204)
  await make({ name: 'Billing' })
  for (const gone of [id, formatId('mqp', newUuid())]) {
    for (const [method, path, body] of [
      ['GET', ''],
      ['GET', '/connection-log'],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', ''],
      ['POST', '/credentials/reset'],
      ['POST', '/credentials/rotate'],
      ['POST', '/suspend'],
      ['POST', '/resume'],
      ['POST', '/disconnect'],
    ] as const) {
      const response = await send(method, `/${gone}${path}`, body)
      assert.equal(response.status, 404, `${method} ${path}`)
      assert.equal(response.body.code, 'mqtt_principal_not_found')
    }
  }
})

test('members may disconnect a principal, and only admins reset its password', async (t) => {
  const app = await freshTenants(t)
  const { make } = caller(app)
  const { id } = await make({ name: 'Billing' })
  const user = await seedUser(app, { [app.seed.uuid]: 'member' })
  const send = async (method: string, path: string, body?: object): Promise<number> => {
    const below = `/workspaces/${app.seed.id}/mqtt/principals${path}`
    return (await app.call(method, below, { as: as.user(user.token), ...(body && { body }) }))
      .status
  }
  assert.equal(await send('GET', `/${id}`), 200)
  assert.equal(await send('POST', `/${id}/suspend`), 200)
  assert.equal(await send('POST', `/${id}/resume`), 200)
  assert.equal(await send('POST', `/${id}/disconnect`), 204)
  assert.equal(await send('POST', '', { name: 'x' }), 403)
  assert.equal(await send('POST', `/${id}/credentials/reset`), 403)
  assert.equal(await send('POST', `/${id}/credentials/rotate`), 403)
  assert.equal(await send('DELETE', `/${id}`), 403)
})
