/** /moid/devices: a phone sees what is bound to it now, and nothing else of anybody. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { confirmDeviceSecret } from '../../../../src/features/mqtt/device-secrets/device-secret.ts'
import { formatId, type IdPrefix, newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import {
  newDevice,
  newPhone,
  openClaim,
  orphanBindings,
  type Phone,
  type TestDevice,
} from '../../../support/phones-and-devices.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const uuidOf = (prefix: IdPrefix, id: string): string => parseId(prefix, id) as string

async function bound(
  app: TestApp,
  phone: Phone,
  workspace: Parameters<typeof newDevice>[1] & { id: string } = app.seed,
  name?: string,
): Promise<TestDevice> {
  const device = await newDevice(app, workspace)
  const claim = await openClaim(app, phone, { workspace_id: workspace.id, ...(name && { name }) })
  assert.equal((await device.bind(claim.code)).status, 200)
  return device
}

const idsOf = async (phone: Phone): Promise<string[]> => {
  const { body } = await phone.call('GET', '/moid/devices')
  return body.items.map((item: { device_id: string }) => item.device_id)
}

describe('the devices of a mobile identity', () => {
  test('are listed last claimed first, page by page', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const devices: string[] = []
    for (let at = 0; at < 5; at += 1) devices.unshift((await bound(app, phone)).id)
    assert.deepEqual(await idsOf(phone), devices)
    const first = await phone.call('GET', '/moid/devices?limit=3')
    const second = await phone.call('GET', `/moid/devices?cursor=${first.body.next_cursor}`)
    const items = [...first.body.items, ...second.body.items]
    assert.deepEqual(
      items.map((item: { device_id: string }) => item.device_id),
      devices,
    )
    assert.equal(second.body.next_cursor, null)
  })

  test('show facts of the device, and nothing that is not for a phone', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const device = await bound(app, phone)
    const { body } = await phone.call('GET', `/moid/devices/${device.id}`)
    assert.deepEqual(
      { ...body, claim_id: '', claimed_at: '' },
      {
        device_id: device.id,
        workspace_id: app.seed.id,
        claim_id: '',
        device_key: `k-${device.uuid}`,
        name: 'Device',
        status: 'registered',
        template_id: app.seed.template.id,
        model_key: 'sensor',
        connected: false,
        last_seen_at: null,
        claimed_at: '',
      },
    )
  })

  test('a locked session sees its workspace only, a global one all of its own', async (t) => {
    const app = await freshTenants(t)
    const { seed } = app
    const global = await newPhone(app)
    const [here, there] = [await bound(app, global), await bound(app, global, seed.other)]
    const outsider = await newPhone(app)
    const locked = await newPhone(app, seed.id)
    // The same identity with a session that is locked.
    await app.database.pool.query(
      'UPDATE moid_sessions SET moid_id = m.id FROM moids m WHERE moid_sessions.id = $1 AND m.id = $2',
      [uuidOf('mse', locked.sessionId), uuidOf('moid', global.moidId)],
    )
    const same = await app.call('POST', '/moid/refresh', {
      body: { refresh_token: locked.refreshToken },
    })
    const narrow: Phone = {
      ...locked,
      call: (method, path, body) =>
        app.call(method, path, {
          headers: { authorization: `Bearer ${same.body.access_token}` },
          ...(body !== undefined && { body }),
        }),
    }
    assert.deepEqual(new Set(await idsOf(global)), new Set([here.id, there.id]))
    assert.deepEqual(await idsOf(narrow), [here.id])
    assert.deepEqual(await idsOf(outsider), [])
    const { body: claims } = await narrow.call('GET', '/moid/claims')
    assert.equal(claims.items.length, 1)
    assert.equal(claims.items[0].device_id, here.id)
    const unknown = formatId('dev', newUuid())
    const ask = async (phone: Phone, method: string, id: string, body?: object) => {
      const response = await phone.call(method, `/moid/devices/${id}`, body)
      return { status: response.status, body: { ...response.body, instance: '', trace_id: '' } }
    }
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
      const missing = await ask(outsider, method, unknown, body)
      assert.equal(missing.status, 404)
      assert.deepEqual(await ask(outsider, method, here.id, body), missing)
      assert.deepEqual(await ask(narrow, method, there.id, body), missing)
      assert.deepEqual(await ask(narrow, method, 'dev_x', body), missing)
    }
    assert.equal((await ask(narrow, 'GET', here.id)).status, 200)
    assert.equal(await orphanBindings(app), 0)
  })

  test('are not seen while their workspace is suspended', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const device = await bound(app, phone)
    await app.database.pool.query(`UPDATE workspaces SET status = 'suspended' WHERE id = $1`, [
      app.seed.uuid,
    ])
    assert.deepEqual(await idsOf(phone), [])
    assert.equal((await phone.call('GET', `/moid/devices/${device.id}`)).status, 404)
  })

  test("are called by the phone's own name, which goes with the claim", async (t) => {
    const app = await freshTenants(t)
    const [phone, next] = await Promise.all([newPhone(app), newPhone(app)])
    const device = await bound(app, phone, app.seed, 'Lamp')
    const path = `/moid/devices/${device.id}`
    const read = await phone.call('GET', path)
    assert.equal(read.body.name, 'Lamp')
    const headers = { authorization: `Bearer ${phone.token}` }
    const patch = (body: object, match?: string) =>
      app.call('PATCH', path, {
        headers: { ...headers, ...(match && { 'if-match': match }) },
        body,
      })
    const renamed = await patch({ name: 'Kitchen' }, read.headers.etag)
    assert.equal(renamed.status, 200)
    assert.equal(renamed.body.name, 'Kitchen')
    assert.notEqual(renamed.headers.etag, read.headers.etag)
    assert.equal((await patch({ name: 'Hall' }, read.headers.etag)).status, 412)
    assert.equal((await patch({})).body.name, 'Kitchen')
    assert.equal((await patch({ name: null })).body.name, 'Device')
    assert.equal((await patch({ name: 'Hall' })).body.name, 'Hall')
    for (const bad of [{ name: '' }, { name: 1 }, { status: 'active' }, { device_key: 'x' }]) {
      assert.equal((await patch(bad)).status, 400)
    }
    const audit = await app.database.pool.query(
      `SELECT DISTINCT detail FROM audit_log WHERE action = 'claim.updated'`,
    )
    assert.deepEqual(audit.rows, [{ detail: { device_id: device.id, changed: ['name'] } }])
    const own = await device.call('GET', '/devices/auth/me')
    assert.equal(own.body.name, 'Device')
    await phone.call('DELETE', path)
    const claim = await openClaim(app, next)
    await device.bind(claim.code)
    assert.equal((await next.call('GET', path)).body.name, 'Device')
  })

  test('a released device is gone for the old phone, works on, and is asked to rotate', async (t) => {
    const app = await startApp(t)
    const [phone, next] = await Promise.all([newPhone(app), newPhone(app)])
    const device = await bound(app, phone)
    const path = `/moid/devices/${device.id}`
    const me = async () => (await device.call('GET', '/devices/auth/me')).body
    assert.equal((await me()).rotation_due, false)
    assert.equal((await phone.call('DELETE', path)).status, 204)
    assert.equal((await phone.call('GET', path)).status, 404)
    assert.equal((await phone.call('DELETE', path)).status, 404)
    assert.deepEqual(await idsOf(phone), [])
    const { claimed, rotation_due } = await me()
    assert.deepEqual({ claimed, rotation_due }, { claimed: false, rotation_due: true })
    const { rows } = await app.database.pool.query(
      `SELECT status, ended_at IS NOT NULL AS ended FROM claims`,
    )
    assert.deepEqual(rows, [{ status: 'released', ended: true }])
    assert.equal((await device.bind((await openClaim(app, next)).code)).status, 200)
    assert.deepEqual(await idsOf(next), [device.id])
    assert.deepEqual(await idsOf(phone), [])
  })

  test('rotating both credentials satisfies what a released device was asked to do', async (t) => {
    const app = await freshTenants(t)
    const device = await bound(app, await newPhone(app))
    assert.equal((await device.call('DELETE', '/devices/auth/claim')).status, 204)
    const due = async (token: string) => {
      const response = await app.call('GET', '/devices/auth/me', {
        headers: { authorization: `Bearer ${token}` },
      })
      return [response.status, response.body.rotation_due]
    }
    const rotated = await device.call('POST', '/devices/auth/credentials/rotate', {})
    assert.equal(rotated.status, 200)
    // Nothing has used the new credentials yet.
    assert.deepEqual(await due(device.token), [200, true])
    const fresh = rotated.body.device_http_token
    // The HTTP token is confirmed by this call; the MQTT password waits for its first CONNECT.
    assert.deepEqual(await due(fresh), [200, true])
    assert.equal((await due(device.token))[0], 401)
    const mqtt = await app.services.points.query<{ generation: number }>(
      {
        name: undefined,
        text: `SELECT max(generation) AS generation FROM device_secrets WHERE device_id = $1`,
      },
      [device.uuid],
    )
    await confirmDeviceSecret(
      app.services,
      app.database,
      app.seed.uuid,
      device.uuid,
      'mqtt',
      mqtt[0]?.generation as number,
    )
    assert.deepEqual(await due(fresh), [200, false])
  })

  test('a deleted device disappears with its claim', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const device = await bound(app, phone)
    await app.database.pool.query('DELETE FROM devices WHERE id = $1', [device.uuid])
    assert.deepEqual(await idsOf(phone), [])
    assert.equal((await phone.call('GET', '/moid/claims')).body.items.length, 0)
  })
})
