/** POST /moid/session, GET /moid/me, DELETE /moid/session: an identity that nobody registers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, startApp } from '../../../support/app.ts'
import { newDevice, newPhone } from '../../../support/phones-and-devices.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

describe('POST /moid/session', () => {
  test('a session without a workspace is global, one with it is locked', async (t) => {
    const app = await freshTenants(t)
    const global = await app.call('POST', '/moid/session', { body: {} })
    assert.equal(global.status, 201, global.text)
    assert.deepEqual(Object.keys(global.body).sort(), [
      'access_token',
      'expires_in',
      'moid_id',
      'refresh_token',
      'scope',
      'session_id',
      'token_type',
      'workspace_id',
    ])
    assert.match(global.body.moid_id, /^moid_/)
    assert.match(global.body.session_id, /^mse_/)
    assert.equal(global.body.scope, 'global')
    assert.equal(global.body.workspace_id, null)
    assert.equal(global.body.token_type, 'Bearer')
    const bare = await app.call('POST', '/moid/session')
    assert.equal(bare.status, 201)
    assert.notEqual(bare.body.moid_id, global.body.moid_id)
    const body = { workspace_id: app.seed.id }
    const locked = await app.call('POST', '/moid/session', { body })
    assert.equal(locked.body.scope, 'workspace')
    assert.equal(locked.body.workspace_id, app.seed.id)
    const me = await app.call('GET', '/moid/me', { as: as.phone(locked.body.access_token) })
    assert.equal(me.body.moid_id, locked.body.moid_id)
    assert.equal(me.body.session_id, locked.body.session_id)
    assert.equal(me.body.scope, 'workspace')
    const left = Date.parse(me.body.session_expires_at) - Date.now()
    assert.ok(Math.abs(left - 180 * 86_400_000) < 60_000)
  })

  test('an unknown workspace and one that is not active are the same 404', async (t) => {
    const app = await startApp(t)
    const suspended = app.seed.other
    await app.database.pool.query(`UPDATE workspaces SET status = 'suspended' WHERE id = $1`, [
      suspended.uuid,
    ])
    const responses = await Promise.all(
      [formatId('ws', newUuid()), suspended.id].map((workspace_id) =>
        app.call('POST', '/moid/session', { body: { workspace_id } }),
      ),
    )
    const [unknown, inactive] = responses.map(({ status, body }) => ({
      status,
      body: { ...body, trace_id: '' },
    }))
    assert.equal(unknown?.status, 404)
    assert.equal(unknown?.body.code, 'workspace_not_found')
    assert.deepEqual(unknown, inactive)
    const { rows } = await app.database.pool.query('SELECT 1 FROM moids')
    assert.equal(rows.length, 0)
  })

  test('refuses what is no workspace id, and members that it does not know', async (t) => {
    const app = await freshTenants(t)
    for (const body of [
      { workspace_id: 'ws_1' },
      { workspace_id: app.seed.template.id },
      { workspace_id: null },
      { moid_id: 'moid_01k0a2b3c4d5e6f7g8h9j0kmnp' },
    ]) {
      assert.equal((await app.call('POST', '/moid/session', { body })).status, 400)
    }
  })
})

describe('a session of a mobile identity', () => {
  test('ends at once when its phone ends it, on every process', async (t) => {
    const app = await freshTenants(t)
    const sibling = await app.sibling()
    const phone = await newPhone(app)
    const there = () => sibling.call('GET', '/moid/me', { as: as.phone(phone.token) })
    assert.equal((await there()).status, 200)
    assert.equal((await phone.call('DELETE', '/moid/session')).status, 204)
    assert.equal((await phone.call('GET', '/moid/me')).status, 401)
    await until('the other process refuses it', async () => (await there()).status === 401)
  })

  test('is refused while the workspace that it is locked to is suspended', async (t) => {
    const app = await freshTenants(t)
    const locked = await newPhone(app, app.seed.id)
    const global = await newPhone(app)
    assert.equal((await locked.call('GET', '/moid/me')).status, 200)
    const set = async (status: string) => {
      await app.database.transaction(async (trx) => {
        const text = `UPDATE workspaces SET status = '${status}' WHERE id = $1`
        await trx.query({ name: undefined, text }, [app.seed.uuid])
        await app.services.feed.announce(trx, 'workspace', app.seed.uuid)
      })
    }
    const refresh = () =>
      app.call('POST', '/moid/refresh', { body: { refresh_token: locked.refreshToken } })
    await set('suspended')
    assert.equal((await locked.call('GET', '/moid/me')).status, 401)
    assert.equal((await refresh()).status, 401)
    assert.equal((await global.call('GET', '/moid/me')).status, 200)
    await set('active')
    assert.equal((await locked.call('GET', '/moid/me')).status, 200)
    assert.equal((await refresh()).status, 200)
  })

  test('opens nothing but /moid, and nothing else opens that', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const device = await newDevice(app)
    const status = async (path: string, headers: Record<string, string>) =>
      (await app.call('GET', path, { as: headers })).status
    assert.equal(await status('/workspaces', as.phone(phone.token)), 403)
    assert.equal(await status('/devices/auth/me', as.phone(phone.token)), 403)
    assert.equal(await status('/moid/me', as.device(device.token)), 403)
    assert.equal(await status('/moid/me', as.user(app.seed.owner.token)), 403)
    assert.equal(await status('/moid/me', as.platformKey(app.seed.platformKey)), 403)
    assert.equal(await status('/moid/me', {}), 401)
    assert.equal(await status('/moid/me', { 'x-api-key': phone.token }), 401)
  })
})
