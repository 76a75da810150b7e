/**
 * Credentials that a person has created give no access once the person is removed or no admin any
 * more.
 */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { as, type CallResult, type Headers, type TestApp } from '../../../support/app.ts'
import { closed, connectDevice, tryConnect } from '../../../support/mqtt.ts'
import { seedUser, type SeededUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const join = (app: TestApp, role: string): Promise<SeededUser> =>
  seedUser(app.app, { [app.seed.uuid]: role })

const inside = (app: TestApp, credential: Headers) => {
  const send = (method: string, path: string, body?: unknown): Promise<CallResult> =>
    app.call(method, `/workspaces/${app.seed.id}${path}`, {
      as: credential,
      ...(body !== undefined && { body }),
    })
  const make = async (path: string, body: object): Promise<CallResult['body']> => {
    const response = await send('POST', path, body)
    assert.equal(response.status, 201, response.text)
    return response.body
  }
  return { send, make }
}

/** A platform key, a provision key, a key made with the first, a login and a webhook. */
async function makeThings(app: TestApp, admin: SeededUser) {
  const { make } = inside(app, as.user(admin.token))
  const platform = await make('/api-keys', { key_kind: 'platform' })
  const provision = await make('/api-keys', { key_kind: 'provision' })
  const byKey = inside(app, as.platformKey(platform.key))
  const second = await byKey.make('/api-keys', { key_kind: 'platform' })
  const login = await byKey.make('/mqtt/principals', { name: `backend of ${admin.id}` })
  const webhook = await make('/webhooks', { url: 'https://hooks.example.com/in' })
  return { platform, provision, second, login, webhook }
}

const statusWith = async (app: TestApp, key: string): Promise<number> =>
  (await inside(app, as.platformKey(key)).send('GET', '/devices')).status

const factoryStatus = async (app: TestApp, key: string): Promise<number> =>
  (await app.call('GET', '/provision/device-templates', { as: as.factory(key) })).status

const loginOf = (app: TestApp, login: CallResult['body']) => ({
  device_id: login.id as string,
  mqtt_password: login.mqtt_credentials.password as string,
  mqtt_port: app.services.mqttEndpoint().port,
})

/** In one order, for comparison. */
const sorted = (ids: string[]): string[] => ids.toSorted()

async function resourcesOf(app: TestApp, action: string): Promise<string[]> {
  const { body } = await inside(app, as.user(app.seed.owner.token)).send(
    'GET',
    `/audit-log?action=${action}`,
  )
  return sorted(body.items.map((item: CallResult['body']) => item.resource.id))
}

suite('a resource that a person has created', () => {
  const fresh = useTenants()

  test("is revoked on removal: the member's keys, and keys created with them, are refused at once", async (t) => {
    const app = await fresh(t)
    const other = await app.sibling()
    const admin = await join(app, 'admin')
    const { platform, provision, second, login, webhook } = await makeThings(app, admin)
    const client = await connectDevice(t, loginOf(app, login))
    for (const on of [app, other]) assert.equal(await statusWith(on, second.key), 200)
    const ended = closed(client)
    const owner = inside(app, as.user(app.seed.owner.token))
    const { status, body } = await owner.send('DELETE', `/members/${admin.id}`)
    assert.equal(status, 200)
    const keys = sorted([platform.id, provision.id, second.id])
    assert.deepEqual(
      { ...body, api_keys_revoked: sorted(body.api_keys_revoked) },
      {
        user_id: admin.id,
        invitations_revoked: 0,
        api_keys_revoked: keys,
        api_keys_kept: [],
        mqtt_principals_suspended: [login.id],
        mqtt_principals_kept: [],
        webhooks_disabled: [webhook.id],
        webhooks_kept: [],
      },
    )
    const invited = { email: 'back@example.com', role: 'member' }
    for (const { key } of [platform, second]) {
      const back = await inside(app, as.platformKey(key)).send('POST', '/invitations', invited)
      assert.deepEqual([back.status, back.body.code], [401, 'credential_rejected'])
    }
    assert.equal(await factoryStatus(app, provision.key), 401)
    for (const { key } of [platform, second]) {
      await until('the other process refuses', async () => (await statusWith(other, key)) === 401)
    }
    await ended
    assert.notEqual((await tryConnect(t, loginOf(app, login))).code, 0)
    const off = await owner.send('GET', `/webhooks/${webhook.id}`)
    assert.deepEqual(
      [off.body.status, off.body.disabled_reason],
      ['disabled', 'creator_lost_access'],
    )
    assert.deepEqual(await resourcesOf(app, 'api_key.revoked'), keys)
    assert.deepEqual(await resourcesOf(app, 'mqtt_principal.suspended'), [login.id])
    assert.deepEqual(await resourcesOf(app, 'webhook.disabled'), [webhook.id])
  })

  test('stays if `keep` lists it, and the response names it', async (t) => {
    const app = await fresh(t)
    const admin = await join(app, 'admin')
    const { platform, provision, second, login, webhook } = await makeThings(app, admin)
    const owner = inside(app, as.user(app.seed.owner.token))
    const path = `/members/${admin.id}?keep=provision_keys,webhooks,mqtt_principals`
    const { status, body } = await owner.send('DELETE', path)
    assert.equal(status, 200)
    assert.deepEqual(sorted(body.api_keys_revoked), sorted([platform.id, second.id]))
    assert.deepEqual(body.api_keys_kept, [provision.id])
    assert.deepEqual(body.mqtt_principals_kept, [login.id])
    assert.deepEqual(body.webhooks_kept, [webhook.id])
    assert.equal(await factoryStatus(app, provision.key), 200)
    assert.equal(await statusWith(app, second.key), 401)
    await connectDevice(t, loginOf(app, login))
    const { body: log } = await owner.send('GET', '/audit-log?action=member.removed')
    assert.deepEqual(log.items[0].detail.api_keys_kept, [provision.id])
    assert.deepEqual(log.items[0].detail.webhooks_kept, [webhook.id])
  })

  test('goes with a demotion below admin too, and not with a smaller change', async (t) => {
    const app = await fresh(t)
    const person = await join(app, 'owner')
    const { platform, provision, login } = await makeThings(app, person)
    const owner = inside(app, as.user(app.seed.owner.token))
    const change = (role: string, query = '') =>
      owner.send('PATCH', `/members/${person.id}${query}`, { role })
    const smaller = await change('admin')
    assert.deepEqual([smaller.status, smaller.body.role], [200, 'admin'])
    assert.deepEqual(smaller.body.api_keys_revoked, [])
    assert.equal(await statusWith(app, platform.key), 200)
    const { status, body } = await change('member', '?keep=provision_keys')
    assert.deepEqual([status, body.role, body.api_keys_kept], [200, 'member', [provision.id]])
    assert.deepEqual(body.mqtt_principals_suspended, [login.id])
    assert.equal(await statusWith(app, platform.key), 401)
    const gone = await owner.send('DELETE', `/members/${person.id}`)
    assert.deepEqual(gone.body.api_keys_revoked, [provision.id])
    assert.equal(await factoryStatus(app, provision.key), 401)
  })

  test('is revoked down to the last key, also through one that was revoked before', async (t) => {
    const app = await fresh(t)
    const admin = await join(app, 'admin')
    let { make } = inside(app, as.user(admin.token))
    const chain: CallResult['body'][] = []
    for (let at = 0; at < 5; at += 1) {
      const key = await make('/api-keys', { key_kind: 'platform' })
      chain.push(key)
      make = inside(app, as.platformKey(key.key)).make
    }
    const owner = inside(app, as.user(app.seed.owner.token))
    const own = await owner.make('/api-keys', { key_kind: 'platform' })
    await owner.send('DELETE', `/api-keys/${chain[1].id}`)
    const { body } = await owner.send('DELETE', `/members/${admin.id}`)
    const revoked = chain.filter((_key, at) => at !== 1).map(({ id }) => id)
    assert.deepEqual(sorted(body.api_keys_revoked), sorted(revoked))
    for (const { key } of chain) assert.equal(await statusWith(app, key), 401)
    assert.equal(await statusWith(app, own.key), 200)
  })

  test('ends, including resources created concurrently', async (t) => {
    const app = await fresh(t)
    const admin = await join(app, 'admin')
    const { make } = inside(app, as.user(admin.token))
    const { key } = await make('/api-keys', { key_kind: 'platform' })
    const attempts = Array.from({ length: 40 }, (_none, at) => {
      const { send } = inside(app, at % 2 === 0 ? as.user(admin.token) : as.platformKey(key))
      if (at % 4 < 2) return send('POST', '/api-keys', { key_kind: 'platform' })
      if (at % 8 < 4) return send('POST', '/mqtt/principals', { name: `login ${at}` })
      return send('POST', '/webhooks', { url: `https://hooks.example.com/${at}` })
    })
    const owner = inside(app, as.user(app.seed.owner.token))
    const removal = owner.send('DELETE', `/members/${admin.id}`)
    const responses = await Promise.all(attempts)
    assert.equal((await removal).status, 200)
    for (const { status, text } of responses) assert.ok([201, 401, 404].includes(status), text)
    const of = async (path: string) =>
      (await owner.send('GET', path)).body.items.filter(
        (item: CallResult['body']) => item.created_by !== 'seed',
      )
    const left = [
      ...(await of('/api-keys?limit=200')),
      ...(await of('/mqtt/principals?limit=200')),
      ...(await of('/webhooks?limit=200')),
    ].filter(({ status }) => status === 'active' || status === 'enabled')
    assert.deepEqual(left, [])
  })

  test('ends when they leave; to keep it, somebody else must remove them', async (t) => {
    const app = await fresh(t)
    const admin = await join(app, 'admin')
    const { platform } = await makeThings(app, admin)
    const self = inside(app, as.user(admin.token))
    for (const response of [
      await self.send('DELETE', `/members/${admin.id}?keep=platform_keys`),
      await self.send('PATCH', `/members/${admin.id}?keep=platform_keys`, { role: 'viewer' }),
    ]) {
      assert.deepEqual([response.status, response.body.code], [403, 'permission_denied'])
    }
    assert.equal(await statusWith(app, platform.key), 200)
    assert.equal((await self.send('DELETE', `/members/${admin.id}`)).status, 200)
    assert.equal(await statusWith(app, platform.key), 401)
  })

  test('is of a kind that `keep` accepts, or the removal is refused', async (t) => {
    const app = await fresh(t)
    const admin = await join(app, 'admin')
    const owner = inside(app, as.user(app.seed.owner.token))
    for (const keep of ['everything', 'platform_keys,', 'platform_keys,,webhooks', '']) {
      const response = await owner.send('DELETE', `/members/${admin.id}?keep=${keep}`)
      assert.deepEqual([response.status, response.body.code], [400, 'invalid_request'], keep)
      assert.equal(response.body.errors[0].pointer, '/query/keep')
    }
  })
})

suite('a platform key', () => {
  const fresh = useTenants()

  const refused = async (response: Promise<CallResult>): Promise<void> => {
    const { status, body } = await response
    assert.deepEqual([status, body.code], [403, 'permission_denied'])
    assert.match(body.detail, /admins\.write.*Held by: owner, admin\./)
  }

  async function prepared(t: TestContext) {
    const app = await fresh(t)
    const key = inside(app, as.platformKey(app.seed.platformKey))
    const owner = inside(app, as.user(app.seed.owner.token))
    return { app, key, owner }
  }

  test('makes, changes and removes no admin', async (t) => {
    const { app, key } = await prepared(t)
    const admin = await join(app, 'admin')
    const member = await join(app, 'member')
    await refused(key.send('PATCH', `/members/${member.id}`, { role: 'admin' }))
    await refused(key.send('PATCH', `/members/${admin.id}`, { role: 'viewer' }))
    await refused(key.send('DELETE', `/members/${admin.id}`))
    assert.equal((await key.send('PATCH', `/members/${member.id}`, { role: 'viewer' })).status, 200)
    assert.equal((await key.send('DELETE', `/members/${member.id}`)).status, 200)
  })

  test('invites members and viewers, and nobody above', async (t) => {
    const { key } = await prepared(t)
    for (const role of ['member', 'viewer']) {
      await key.make('/invitations', { email: `${role}@example.com`, role })
    }
    await refused(key.send('POST', '/invitations', { email: 'a@example.com', role: 'admin' }))
    const asOwner = await key.send('POST', '/invitations', {
      email: 'a@example.com',
      role: 'owner',
    })
    assert.deepEqual([asOwner.status, asOwner.body.code], [403, 'permission_denied'])
  })

  test('neither revokes nor replaces the invitation of an admin', async (t) => {
    const { key, owner } = await prepared(t)
    for (const role of ['admin', 'owner']) {
      const email = `${role}@example.com`
      const { id } = await owner.make('/invitations', { email, role })
      await refused(key.send('DELETE', `/invitations/${id}`))
      await refused(key.send('POST', '/invitations', { email, role: 'viewer' }))
      const { body } = await owner.send('GET', '/invitations?status=pending')
      assert.ok(body.items.some((item: CallResult['body']) => item.id === id))
    }
    const { id } = await owner.make('/invitations', { email: 'm@example.com', role: 'member' })
    assert.equal((await key.send('DELETE', `/invitations/${id}`)).status, 204)
  })

  test('none of fifty concurrent requests makes an admin', async (t) => {
    const { app, key, owner } = await prepared(t)
    const member = await join(app, 'member')
    await Promise.all(
      Array.from({ length: 50 }, (_none, at) =>
        refused(
          at % 2 === 0
            ? key.send('PATCH', `/members/${member.id}`, { role: 'admin' })
            : key.send('POST', '/invitations', { email: `x${at}@example.com`, role: 'admin' }),
        ),
      ),
    )
    const { body } = await owner.send('GET', '/members')
    const above = body.items.filter(({ role }: { role: string }) => role === 'admin')
    assert.deepEqual(above, [])
  })
})
