/** The deletion of a workspace: its permission, and that nothing can be reached from then on. */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { restoreWorkspace } from '../../../../src/features/workspaces/lifecycle/workspace-deletion.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { closed, connectDevice, tryConnect } from '../../../support/mqtt.ts'
import { newDevices, newPhone } from '../../../support/phones-and-devices.ts'
import { seedUser, type SeededWorkspace } from '../../../support/seed.ts'
import { mailedToken } from '../../../support/outbox.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const remove = (
  app: TestApp,
  token: string,
  confirm: unknown = app.seed.slug,
  { id }: SeededWorkspace = app.seed,
): Promise<CallResult> =>
  app.call('DELETE', `/workspaces/${id}`, { as: as.user(token), body: { confirm } })

async function provisioned(app: TestApp) {
  const { status, body, text } = await app.call('POST', '/provision/device', {
    as: as.factory(app.seed.provisionKey),
    body: { template_id: app.seed.template.id },
  })
  assert.equal(status, 201, text)
  return body as {
    device_id: string
    mqtt_password: string
    mqtt_port: number
    device_http_token: string
  }
}

/** One of everything that has a credential, each of which works. */
async function populate(app: TestApp, t: TestContext) {
  const device = await provisioned(app)
  const live = await connectDevice(t, device)
  const locked = await newPhone(app, app.seed.id)
  const phone = await newPhone(app)
  const [owned] = await newDevices(app, 1)
  const claim = await phone.call('POST', '/moid/claims', { workspace_id: app.seed.id })
  assert.equal((await owned?.bind(claim.body.claim_code))?.status, 200)
  const open = await phone.call('POST', '/moid/claims', { workspace_id: app.seed.id })
  return { device, live, locked, phone, owned, open }
}

/** The use of each credential, and the status of its refusal. */
function callsOf(
  { seed }: TestApp,
  { device, locked, phone, open }: Awaited<ReturnType<typeof populate>>,
): [string, number, (on: TestApp) => Promise<CallResult>][] {
  const path = `/workspaces/${seed.id}`
  const provision = { template_id: seed.template.id }
  return [
    ['member', 404, (on) => on.call('GET', path, { as: as.user(seed.owner.token) })],
    ['key', 401, (on) => on.call('GET', path, { as: as.platformKey(seed.platformKey) })],
    [
      'factory',
      401,
      (on) =>
        on.call('POST', '/provision/device', {
          as: as.factory(seed.provisionKey),
          body: provision,
        }),
    ],
    [
      'device',
      401,
      (on) => on.call('GET', '/devices/auth/me', { as: as.device(device.device_http_token) }),
    ],
    ['phone', 401, (on) => on.call('GET', '/moid/me', { as: as.phone(locked.token) })],
    [
      'claim',
      404,
      (on) => on.call('GET', `/moid/claims/${open.body.claim_id}`, { as: as.phone(phone.token) }),
    ],
  ]
}

suite('DELETE /workspaces/{id}', () => {
  const fresh = useTenants()

  test('wants the slug, from an owner', async (t) => {
    const app = await fresh(t)
    const admin = await seedUser(app.app, { [app.seed.uuid]: 'admin' })
    for (const wrong of [app.seed.other.slug, '', app.seed.slug.toUpperCase(), null]) {
      const { status, body } = await remove(app, app.seed.owner.token, wrong)
      assert.deepEqual([status, body.errors?.[0].pointer], [400, '/confirm'])
    }
    const none = await app.call('DELETE', `/workspaces/${app.seed.id}`, {
      as: as.user(app.seed.owner.token),
    })
    assert.equal(none.status, 400)
    assert.equal((await remove(app, admin.token)).body.code, 'permission_denied')
    const byKey = await app.call('DELETE', `/workspaces/${app.seed.id}`, {
      as: as.platformKey(app.seed.platformKey),
      body: { confirm: app.seed.slug },
    })
    assert.deepEqual([byKey.status, byKey.body.code], [403, 'wrong_credential_kind'])
    const { status, body } = await remove(app, app.seed.owner.token)
    assert.equal(status, 202)
    assert.deepEqual([body.id, body.slug, body.status], [app.seed.id, app.seed.slug, 'deleting'])
    const days = Date.parse(body.deletion.erase_at) - Date.parse(body.deletion.requested_at)
    assert.equal(days, 30 * 86_400_000)
  })

  test('revokes every credential at once, here and in another process', async (t) => {
    const app = await fresh(t)
    const other = await app.sibling()
    const things = await populate(app, t)
    const { device, live, locked, phone, owned, open } = things
    const there = { ...device, mqtt_port: other.app.ports.mqtt }
    const invited = await seedUser(app.app)
    await app.call('POST', `/workspaces/${app.seed.id}/invitations`, {
      as: as.user(app.seed.owner.token),
      body: { email: invited.email, role: 'viewer' },
    })
    const token = await mailedToken(app, invited.email)
    const calls = callsOf(app, things)
    for (const [name, , call] of calls) {
      for (const on of [app, other]) {
        const { status, text } = await call(on)
        assert.ok(status < 300, `${name}: ${status} ${text}`)
      }
    }
    assert.equal((await remove(app, app.seed.owner.token)).status, 202)
    for (const [name, status, call] of calls) {
      assert.equal((await call(app)).status, status, name)
      const refused = async () => (await call(other)).status === status
      await until(`the other process refuses: ${name}`, refused)
    }
    await closed(live)
    assert.notEqual((await tryConnect(t, device)).code, 0)
    assert.notEqual((await tryConnect(t, there)).code, 0)
    const refreshed = await app.call('POST', '/moid/refresh', {
      body: { refresh_token: locked.refreshToken },
    })
    assert.equal(refreshed.status, 401)
    assert.equal((await owned?.bind(open.body.claim_code))?.status, 401)
    assert.deepEqual((await phone.call('GET', '/moid/devices')).body.items, [])
    const session = await app.call('POST', '/moid/session', {
      body: { workspace_id: app.seed.id },
    })
    assert.equal(session.status, 404)
    const accepted = await app.call('POST', '/invitations/accept', {
      as: as.user(invited.token),
      body: { token },
    })
    assert.equal(accepted.status, 404)
  })

  test('ends the wait of a phone for a claim', async (t) => {
    const app = await fresh(t)
    const phone = await newPhone(app)
    const claim = await phone.call('POST', '/moid/claims', { workspace_id: app.seed.id })
    let response: CallResult | undefined
    const waiting = phone.call('GET', `/moid/claims/${claim.body.claim_id}?wait=30`)
    void waiting.then((result) => {
      response = result
    })
    assert.equal((await remove(app, app.seed.owner.token)).status, 202)
    const { status } = await until('the request has its response', () => response, 20_000)
    assert.equal(status, 404)
  })

  test('hides the workspace, except that the slug stays reserved', async (t) => {
    const app = await fresh(t)
    const owner = { as: as.user(app.seed.owner.token) }
    assert.equal((await remove(app, app.seed.owner.token)).status, 202)
    assert.deepEqual((await app.call('GET', '/workspaces', owner)).body.items, [])
    assert.equal(
      (await remove(app, app.seed.owner.token)).status,
      404,
      'the workspace is not found',
    )
    const body = { name: 'Squatter', slug: app.seed.slug }
    const taken = await app.call('POST', '/workspaces', { ...owner, body })
    assert.equal(taken.body.code, 'slug_taken')
  })

  test('the operator brings it back with all that it had', async (t) => {
    const app = await fresh(t)
    const { device } = await populate(app, t)
    await assert.rejects(restoreWorkspace(app.services, app.seed.slug), /no such workspace/)
    assert.equal((await remove(app, app.seed.owner.token)).status, 202)
    assert.notEqual((await tryConnect(t, device)).code, 0)
    assert.deepEqual(await restoreWorkspace(app.services, app.seed.slug), { hasOwner: true })
    const back = await app.call('GET', `/workspaces/${app.seed.id}`, {
      as: as.user(app.seed.owner.token),
    })
    assert.deepEqual([back.status, back.body.status], [200, 'active'])
    assert.equal((await tryConnect(t, device)).code, 0)
    const factory = await app.call('POST', '/provision/device', {
      as: as.factory(app.seed.provisionKey),
      body: { template_id: app.seed.template.id },
    })
    assert.equal(factory.status, 201)
    const log = await app.call('GET', `/workspaces/${app.seed.id}/audit-log?limit=20`, {
      as: as.user(app.seed.owner.token),
    })
    const actions = log.body.items.map(({ action }: { action: string }) => action)
    assert.ok(actions.includes('workspace.deleted') && actions.includes('workspace.restored'))
  })

  test('a workspace is not restored after its erasure has begun', async (t) => {
    const app = await fresh(t)
    assert.equal((await remove(app, app.seed.owner.token)).status, 202)
    await sql(app.database, `UPDATE workspaces SET erasure = '{"rows": {}}' WHERE id = $1`, [
      app.seed.uuid,
    ])
    await assert.rejects(restoreWorkspace(app.services, app.seed.slug), /no such workspace/)
  })

  test('an owner who is removed concurrently cannot delete the workspace', async (t) => {
    const app = await fresh(t)
    const second = await seedUser(app.app, { [app.seed.uuid]: 'owner' })
    const [removed, deleted] = await Promise.all([
      app.call('DELETE', `/workspaces/${app.seed.id}/members/${second.id}`, {
        as: as.user(app.seed.owner.token),
      }),
      remove(app, second.token),
    ])
    const both = [removed.status, deleted.status].join()
    assert.ok(both === '200,404' || both === '404,202', `${removed.text} ${deleted.text}`)
  })
})
