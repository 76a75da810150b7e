/** Devices that wait for approval: their rights before, and the effect of a decision. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatId, newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import { operations } from '../../../../src/operations.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { postJob, runJob } from '../../../support/fleet.ts'
import { tryConnect } from '../../../support/mqtt.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

/** Reason codes of a CONNACK (MQTT 3.1.1 section 3.2.2.3). */
const REFUSED = 5

const staff = ({ seed }: TestApp) => as.platformKey(seed.platformKey)

async function careful({ call, seed }: TestApp): Promise<string> {
  const { body, text } = await call('POST', `/workspaces/${seed.id}/api-keys`, {
    as: as.platformKey(seed.platformKey),
    body: { key_kind: 'provision', approval: 'required' },
  })
  assert.equal(body.approval, 'required', text)
  return body.key as string
}

async function register({ call, seed }: TestApp, key: string, more: object = {}) {
  const { status, body, text } = await call('POST', '/provision/device', {
    as: as.factory(key),
    body: { template_id: seed.template.id, ...more },
  })
  assert.equal(status, 201, text)
  return body
}

/** The operations of a device once it is approved; ids in paths are those of nothing. */
const forApproved = operations
  .filter(({ access, unapproved }) => access.includes('device') && unapproved === 'refuse')
  .map(({ id, method, path, params, example }) => ({
    id,
    method,
    path: path.replaceAll(/:(\w+)/g, (_, name: string) =>
      formatId(params[name]?.prefix ?? 'dev', newUuid()),
    ),
    example,
  }))

const pathOf = ({ seed }: TestApp, { device_id }: { device_id: string }): string =>
  `/workspaces/${seed.id}/devices/${device_id}`

const act = (app: TestApp, device: { device_id: string }, verb: string): Promise<CallResult> =>
  app.call('POST', `${pathOf(app, device)}/${verb}`, { as: staff(app), body: {} })

const list = async (app: TestApp, query: string): Promise<string[]> => {
  const path = `/workspaces/${app.seed.id}/devices?${query}`
  const { body, text } = await app.call('GET', path, { as: staff(app) })
  assert.ok(Array.isArray(body.items), text)
  return body.items.map(({ id }: { id: string }) => id)
}

const received = async ({ database, seed }: TestApp, device: { device_id: string }) => {
  const { rows } = await database.pool.query(
    `SELECT type FROM events WHERE workspace_id = $1 AND subject_id = $2
       AND type LIKE 'device.%ed' ORDER BY occurred_at, id`,
    [seed.uuid, parseId('dev', device.device_id)],
  )
  return rows.map(({ type }) => type as string)
}

describe('a device of a key that asks for approval', () => {
  test('gets its credentials, and no MQTT until it is approved; then at once', async (t) => {
    const app = await freshTenants(t)
    const device = await register(app, await careful(app))
    const { body: shown } = await app.call('GET', pathOf(app, device), { as: staff(app) })
    assert.deepEqual([shown.status, shown.approval], ['registered', 'pending'])
    for (let tries = 0; tries < 3; tries += 1) {
      assert.equal((await tryConnect(t, device)).code, REFUSED)
    }
    const approved = await act(app, device, 'approve')
    assert.equal(approved.status, 200, approved.text)
    assert.deepEqual([approved.body.status, approved.body.approval], ['registered', 'approved'])
    assert.notEqual(approved.headers.etag, undefined)
    assert.equal((await tryConnect(t, device)).code, 0)
    assert.deepEqual((await received(app, device)).slice(0, 2), [
      'device.registered',
      'device.approved',
    ])
  })

  test('is let in by another process that has refused it before', async (t) => {
    const app = await freshTenants(t)
    const other = await app.sibling()
    const device = await register(app, await careful(app))
    const there = { ...device, mqtt_port: other.app.ports.mqtt }
    assert.equal((await tryConnect(t, there)).code, REFUSED)
    await act(app, device, 'approve')
    await until(
      'the other process has received the change',
      async () => (await tryConnect(t, there)).code === 0,
    )
  })

  test('finds out that it waits and rotates its credentials, and nothing else', async (t) => {
    const app = await freshTenants(t)
    const device = await register(app, await careful(app))
    const own = (method: string, path: string, body?: unknown, token = device.device_http_token) =>
      app.call(method, path, { as: as.device(token), ...(body !== undefined && { body }) })
    assert.ok(forApproved.length > 3)
    assert.equal((await own('GET', '/devices/auth/me')).body.approval, 'pending')
    const refused = async (token?: string) => {
      for (const { id, method, path, example } of forApproved) {
        const response = await own(method, path, method === 'GET' ? undefined : example, token)
        assert.equal(response.status, 403, `${id} ${response.text}`)
        assert.deepEqual(
          [response.body.code, response.body.rule],
          ['device_not_approved', 'approval'],
        )
      }
    }
    await refused()
    const rotated = await own('POST', '/devices/auth/credentials/rotate', {})
    assert.equal(rotated.status, 200, rotated.text)
    const token = rotated.body.device_http_token as string
    await refused(token)
    assert.equal((await act(app, device, 'reject')).body.approval, 'rejected')
    await refused(token)
    assert.equal((await own('GET', '/devices/auth/me', undefined, token)).body.approval, 'rejected')
    await act(app, device, 'approve')
    assert.equal((await own('GET', '/devices/auth/config', undefined, token)).status, 200)
    assert.equal((await own('POST', '/devices/auth/claim-codes', {}, token)).status, 201)
  })

  test('waits still after a rotation, and the newest secret is let in when it is approved', async (t) => {
    const app = await freshTenants(t)
    const key = await careful(app)
    const { device_id } = await register(app, key, { hardware_id: 'hw' })
    const { body: rotated } = await app.call('POST', '/provision/device', {
      as: as.factory(key),
      body: { device_id },
    })
    assert.equal((await tryConnect(t, rotated)).code, REFUSED)
    await act(app, rotated, 'approve')
    assert.equal((await tryConnect(t, rotated)).code, 0)
  })

  test('is one of a stream whose devices all wait', async (t) => {
    const app = await freshTenants(t)
    const row = JSON.stringify({ template_id: app.seed.template.id })
    const { text } = await app.call('POST', '/provision/devices', {
      as: as.factory(await careful(app)),
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${row}\n${row}\n`,
    })
    const devices = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { device_id: string })
    const free = await register(app, app.seed.provisionKey)
    const ids = devices.map(({ device_id }) => device_id)
    assert.deepEqual((await list(app, 'approval=pending')).sort(), ids.toSorted())
    assert.deepEqual(await list(app, 'approval=approved'), [free.device_id])
    await act(app, devices[0] as { device_id: string }, 'reject')
    assert.deepEqual(await list(app, 'approval=pending'), [ids[1]])
    assert.deepEqual(await list(app, 'approval=rejected'), [ids[0]])
  })
})

describe('a decision', () => {
  test('leads only to the documented states', async (t) => {
    const app = await freshTenants(t)
    const key = await careful(app)
    const other = await register(app, app.seed.provisionKey)
    assert.match((await act(app, other, 'approve')).body.detail, /is approved;/)
    assert.match((await act(app, other, 'reject')).body.detail, /is approved;/)
    const device = await register(app, key)
    assert.equal((await act(app, device, 'reject')).status, 200)
    assert.match((await act(app, device, 'reject')).body.detail, /is rejected;/)
    assert.equal((await tryConnect(t, device)).code, REFUSED)
    assert.equal((await act(app, device, 'suspend')).status, 200)
    for (const verb of ['approve', 'reject']) {
      assert.match((await act(app, device, verb)).body.detail, /is suspended;/)
    }
    assert.equal((await act(app, device, 'resume')).body.approval, 'rejected')
    assert.equal((await act(app, device, 'approve')).status, 200)
    assert.deepEqual(await received(app, device), [
      'device.registered',
      'device.rejected',
      'device.suspended',
      'device.resumed',
      'device.approved',
    ])
    const last = await register(app, key)
    assert.equal((await act(app, last, 'decommission')).status, 200)
    const late = await act(app, last, 'approve')
    assert.deepEqual([late.status, late.body.code], [409, 'invalid_transition'])
    const { rows } = await app.database.pool.query(
      `SELECT detail FROM audit_log WHERE workspace_id = $1 AND action = 'device.approved'`,
      [app.seed.uuid],
    )
    assert.deepEqual(
      rows.map(({ detail }) => [detail.before, detail.after]),
      [[{ approval: 'rejected' }, { approval: 'approved' }]],
    )
  })

  test('one of twenty approvals at once counts, and one alongside a deletion ends in one of two ways', async (t) => {
    const app = await freshTenants(t)
    const key = await careful(app)
    const device = await register(app, key)
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => act(app, device, 'approve')),
    )
    assert.equal(responses.filter(({ status }) => status === 200).length, 1)
    assert.ok(responses.every(({ status }) => status === 200 || status === 409))
    assert.deepEqual(await received(app, device), ['device.registered', 'device.approved'])
    for (let round = 0; round < 10; round += 1) {
      const next = await register(app, key)
      const [approved, deleted] = await Promise.all([
        act(app, next, 'approve'),
        app.call('DELETE', pathOf(app, next), { as: staff(app) }),
      ])
      assert.equal(deleted.status, 204, deleted.text)
      assert.ok([200, 404].includes(approved.status), approved.text)
      const events = (await received(app, next)).filter((type) => type === 'device.approved')
      assert.equal(events.length, approved.status === 200 ? 1 : 0)
      assert.equal((await tryConnect(t, next)).code, 4, 'the device is deleted')
    }
  })

  test('two jobs at once approve each device once, and none of another workspace', async (t) => {
    const app = await freshTenants(t)
    const key = await careful(app)
    const devices = await Promise.all(Array.from({ length: 5 }, () => register(app, key)))
    const device_ids = devices.map(({ device_id }) => device_id)
    const { seed } = app
    const foreign = { call: app.call, seed: { ...seed, id: seed.other.id } }
    const body = { action: 'approve', device_ids }
    const refused = await postJob(foreign, body, as.user(seed.other.owner.token))
    assert.equal(refused.status, 400, refused.text)
    const [one, two] = await Promise.all([runJob(app, body), runJob(app, body)])
    assert.equal(one.counts.succeeded + two.counts.succeeded, 5)
    assert.equal(one.counts.skipped + two.counts.skipped, 5)
    for (const device of devices) {
      assert.equal((await tryConnect(t, device)).code, 0)
      assert.deepEqual((await received(app, device)).slice(0, 2), [
        'device.registered',
        'device.approved',
      ])
    }
  })
})
