/** PATCH of an API key: the limits of a provision key can change, at once and everywhere. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

const staff = ({ seed }: TestApp) => as.platformKey(seed.platformKey)

async function makeKey(
  app: TestApp,
  settings: object = {},
): Promise<{ path: string; key: string }> {
  const keys = `/workspaces/${app.seed.id}/api-keys`
  const body = { key_kind: 'provision', ...settings }
  const made = await app.call('POST', keys, { as: staff(app), body })
  assert.equal(made.status, 201, made.text)
  return { path: `${keys}/${made.body.id}`, key: made.body.key }
}

const patch = (app: TestApp, path: string, body: object, headers = {}): Promise<CallResult> =>
  app.call('PATCH', path, { as: staff(app), body, headers })

const register = ({ call, seed }: TestApp, key: string, more: object = {}): Promise<CallResult> =>
  call('POST', '/provision/device', {
    as: as.factory(key),
    body: { template_id: seed.template.id, ...more },
  })

const everything = {
  name: 'Line 2',
  actions: ['register'],
  expires_at: '2999-01-01T00:00:00.000Z',
  device_quota: 7,
  allowed_cidrs: ['127.0.0.0/8', '::1'],
  rate_per_min: 600,
  on_known_device: 'refuse',
  approval: 'required',
}

describe('PATCH /workspaces/{id}/api-keys/{key_id}', () => {
  test('changes and returns the named members, and records old and new values', async (t) => {
    const app = await freshTenants(t)
    const { path } = await makeKey(app)
    const { body: before } = await app.call('GET', path, { as: staff(app) })
    assert.deepEqual([before.on_known_device, before.approval], ['rotate', 'none'])
    const wanted = { ...everything, template_ids: [app.seed.template.id] }
    const changed = await patch(app, path, wanted)
    assert.equal(changed.status, 200, changed.text)
    assert.partialDeepStrictEqual(changed.body, { ...wanted, devices_registered: 0 })
    const again = await app.call('GET', path, { as: staff(app) })
    assert.deepEqual(again.body, changed.body)
    assert.equal(again.headers.etag, changed.headers.etag)
    const { rows } = await app.database.pool.query(
      `SELECT detail FROM audit_log WHERE workspace_id = $1 AND action = 'api_key.updated'`,
      [app.seed.uuid],
    )
    assert.deepEqual(rows[0].detail.after, wanted)
    assert.deepEqual(
      rows[0].detail.before,
      Object.fromEntries(Object.keys(wanted).map((name) => [name, before[name]])),
    )
  })

  test('removes limits with null, and keeps omitted members', async (t) => {
    const app = await freshTenants(t)
    const { path } = await makeKey(app, { ...everything, template_ids: [app.seed.template.id] })
    const limits = ['template_ids', 'expires_at', 'device_quota', 'allowed_cidrs', 'rate_per_min']
    const freed = await patch(app, path, Object.fromEntries(limits.map((name) => [name, null])))
    assert.equal(freed.status, 200, freed.text)
    for (const name of limits) assert.equal(freed.body[name], null, name)
    const { name, actions, on_known_device, approval } = freed.body
    assert.deepEqual(
      { name, actions, on_known_device, approval },
      { name: 'Line 2', actions: ['register'], on_known_device: 'refuse', approval: 'required' },
    )
  })

  test('refuses the same values as creation, and then changes nothing', async (t) => {
    const app = await freshTenants(t)
    const { path } = await makeKey(app)
    const etag = (await app.call('GET', path, { as: staff(app) })).headers.etag as string
    for (const [body, pointer] of [
      [{ expires_at: '2001-01-01T00:00:00Z' }, '/expires_at'],
      [{ allowed_cidrs: ['127.0.0.1', '10.0.0.0/33'] }, '/allowed_cidrs/1'],
      [{ template_ids: [app.seed.other.template.id] }, '/template_ids/0'],
      [{ template_ids: [formatId('tpl', newUuid())] }, '/template_ids/0'],
      [{ on_known_device: 'ignore' }, '/on_known_device'],
      [{ approval: null }, '/approval'],
      [{ device_quota: 0 }, '/device_quota'],
    ] as const) {
      const refused = await patch(app, path, { name: 'not kept', ...body })
      assert.equal(refused.status, 400, refused.text)
      assert.equal(refused.body.errors[0].pointer, pointer)
    }
    assert.equal((await app.call('GET', path, { as: staff(app) })).headers.etag, etag)
    const stale = await patch(app, path, { approval: 'required' }, { 'if-match': '"7"' })
    assert.equal(stale.body.code, 'precondition_failed')
  })

  test('a platform key has a name and none of the settings', async (t) => {
    const app = await freshTenants(t)
    const { path } = await makeKey(app, { key_kind: 'platform' })
    for (const [name, value] of Object.entries(everything)) {
      const response = await patch(app, path, { [name]: value })
      assert.equal(response.status, name === 'name' ? 200 : 400, `${name} ${response.text}`)
      if (name === 'name') continue
      const created = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
        as: staff(app),
        body: { key_kind: 'platform', [name]: value },
      })
      assert.equal(created.body.errors?.[0].pointer, `/${name}`, created.text)
    }
    const { body } = await app.call('GET', path, { as: staff(app) })
    assert.deepEqual([body.name, body.on_known_device, body.approval], ['Line 2', null, null])
  })

  test('a new restriction applies to the next call, and soon in another process', async (t) => {
    const app = await freshTenants(t)
    const other = await app.sibling()
    const { path, key } = await makeKey(app)
    assert.equal((await register(app, key)).status, 201)
    assert.equal((await register(other, key)).status, 201)
    await patch(app, path, { allowed_cidrs: ['10.0.0.0/8'] })
    const refused = await register(app, key)
    assert.deepEqual([refused.body.code, refused.body.rule], ['key_scope_denied', 'allowed_cidrs'])
    await until('the other process refuses', async () => {
      const response = await register(other, key)
      return response.body.rule === 'allowed_cidrs'
    })
    await patch(app, path, { allowed_cidrs: null, actions: ['rotate'] })
    assert.equal((await register(app, key)).body.rule, 'actions')
  })

  test('a workspace has at most a thousand keys, however many are made at once', async (t) => {
    const app = await freshTenants(t)
    const { pool } = app.database
    // With the two of the seed there is room for two.
    await pool.query(
      `INSERT INTO api_keys (workspace_id, id, kind, name, hash, hint, created_by)
       SELECT $1, id, 'platform', 'fill', uuid_send(id), '', 'seed'
       FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 996)) ids`,
      [app.seed.uuid],
    )
    const responses = await Promise.all(
      Array.from({ length: 10 }, () =>
        app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
          as: staff(app),
          body: { key_kind: 'provision' },
        }),
      ),
    )
    const made = responses.filter(({ status }) => status === 201).length
    const refused = responses.filter(({ body: { code } }) => code === 'limit_reached').length
    assert.deepEqual([made, refused], [2, 8])
  })

  test('a quota that is given to a used key counts from then on', async (t) => {
    const app = await freshTenants(t)
    const { path, key } = await makeKey(app)
    for (let made = 0; made < 3; made += 1) assert.equal((await register(app, key)).status, 201)
    await patch(app, path, { device_quota: 1 })
    assert.equal((await register(app, key)).status, 201)
    const refused = await register(app, key)
    assert.deepEqual([refused.body.code, refused.body.rule], ['quota_reached', 'device_quota'])
    const { body: raised } = await patch(app, path, { device_quota: 2 })
    assert.equal(raised.devices_registered, 1)
    assert.equal((await register(app, key)).status, 201)
    assert.equal((await register(app, key)).status, 409)
    await patch(app, path, { device_quota: null })
    assert.equal((await register(app, key)).status, 201)
  })
})
