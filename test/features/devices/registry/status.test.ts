/** The states of a device: the steps from one to another, alone and in races. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

type Status = 'registered' | 'active' | 'suspended' | 'decommissioned'
type Verb = 'suspend' | 'resume' | 'decommission'

interface Device {
  uuid: string
  path: string
  token: string
}

const staff = ({ seed }: TestApp) => as.platformKey(seed.platformKey)

async function makeDevice(app: TestApp, body: object = {}): Promise<Device> {
  const devices = `/workspaces/${app.seed.id}/devices`
  const created = await app.call('POST', devices, {
    as: staff(app),
    body: { device_key: `k${Math.random().toString(36).slice(2)}`, ...body },
  })
  assert.equal(created.status, 201, created.text)
  return {
    uuid: parseId('dev', created.body.id) ?? '',
    path: `${devices}/${created.body.id}`,
    token: created.body.device_http_token,
  }
}

const act = (app: TestApp, device: Device, verb: string): Promise<CallResult> =>
  app.call('POST', `${device.path}/${verb}`, { as: staff(app), body: {} })

/** The state machine as it is documented, and nothing else. */
class Model {
  status: Status = 'registered'
  #before: Status = 'registered'

  /** Whether it may happen; then it has happened. */
  apply(verb: Verb): boolean {
    const { status } = this
    if (verb === 'suspend' && (status === 'registered' || status === 'active')) {
      this.#before = status
      this.status = 'suspended'
      return true
    }
    if (verb === 'resume' && status === 'suspended') {
      this.status = this.#before
      return true
    }
    if (verb === 'decommission' && status !== 'decommissioned') {
      this.status = 'decommissioned'
      return true
    }
    return false
  }
}

test('a refusal names both states', async (t) => {
  const app = await freshTenants(t)
  const device = await makeDevice(app)
  const detail = async (verb: string) => (await act(app, device, verb)).body.detail
  assert.equal(
    await detail('resume'),
    'The device is registered; from this state it cannot become active or registered.',
  )
  await act(app, device, 'suspend')
  assert.equal(
    await detail('suspend'),
    'The device is suspended; from this state it cannot become suspended.',
  )
  await act(app, device, 'decommission')
  for (const verb of ['suspend', 'resume', 'decommission']) {
    assert.match(
      await detail(verb),
      /^The device is decommissioned(?:; from this state it cannot become | and cannot get credentials)/,
    )
  }
})

test('one of many equal transitions at once happens', async (t) => {
  const app = await freshTenants(t)
  const device = await makeDevice(app)
  for (const verb of ['suspend', 'resume', 'suspend', 'decommission']) {
    const responses = await Promise.all(Array.from({ length: 20 }, () => act(app, device, verb)))
    assert.equal(responses.filter(({ status }) => status === 200).length, 1, verb)
    assert.equal(responses.filter(({ status }) => status === 409).length, 19, verb)
  }
  const { uuid } = device
  const types = await app.database.query<{ type: string }>(
    unnamed('SELECT type FROM events WHERE subject_id = $1 ORDER BY id'),
    [uuid],
  )
  assert.deepEqual(
    types.map(({ type }) => type),
    ['registered', 'suspended', 'resumed', 'suspended', 'decommissioned'].map((x) => `device.${x}`),
  )
})

test('different transitions at once happen one after the other, in some order', async (t) => {
  const app = await freshTenants(t)
  for (let round = 0; round < 12; round += 1) {
    const device = await makeDevice(app)
    const verbs: Verb[] = ['suspend', 'resume', 'suspend', 'resume']
    if (round % 3 === 0) verbs.push('decommission')
    const responses = await Promise.all(verbs.map((verb) => act(app, device, verb)))
    const happened = verbs.filter((_, index) => responses[index]?.status === 200)
    const { body } = await app.call('GET', device.path, { as: staff(app) })
    assert.ok(
      orders(happened).some((order) => {
        const model = new Model()
        return order.every((verb) => model.apply(verb)) && model.status === body.status
      }),
      `the status is ${body.status} after ${happened.join(' ')}`,
    )
  }
})

/** Every order of a few things. */
function orders<T>(things: readonly T[]): T[][] {
  if (things.length === 0) return [[]]
  return things.flatMap((first, at) =>
    orders(things.toSpliced(at, 1)).map((rest) => [first, ...rest]),
  )
}

test('a suspended device is refused over HTTP and admitted again with the same token', async (t) => {
  const app = await freshTenants(t)
  const device = await makeDevice(app)
  const me = async (): Promise<number> =>
    (await app.call('GET', '/devices/auth/me', { as: as.device(device.token) })).status
  assert.equal(await me(), 200)
  await act(app, device, 'suspend')
  assert.equal(await me(), 401)
  await act(app, device, 'resume')
  assert.equal(await me(), 200)
})

test('a decommissioned device keeps its key and loses its secrets, permanently', async (t) => {
  const app = await freshTenants(t)
  const { call, database, seed } = app
  const registered = await call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: { device_key: 'history', hardware_id: 'h' },
  })
  const id = registered.body.device_id
  const device = {
    uuid: parseId('dev', id) ?? '',
    path: `/workspaces/${seed.id}/devices/${id}`,
    token: registered.body.device_http_token,
  }
  const done = await act(app, device, 'decommission')
  assert.equal(done.body.status, 'decommissioned')
  assert.equal(done.body.device_key, 'history')
  const me = await call('GET', '/devices/auth/me', { as: as.device(device.token) })
  assert.equal(me.status, 401)
  for (const table of ['device_secrets', 'registration_answers']) {
    const left = unnamed(`SELECT count(*) AS n FROM ${table} WHERE device_id = $1`)
    assert.deepEqual(await database.query(left, [device.uuid]), [{ n: 0 }], table)
  }
  const reset = await act(app, device, 'credentials/reset')
  assert.equal(reset.status, 409)
  assert.equal(reset.body.code, 'invalid_transition')
  const again = await call('POST', `/workspaces/${seed.id}/devices`, {
    as: staff(app),
    body: { device_key: 'history' },
  })
  assert.equal(again.status, 409)
  const rotated = await call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: { device_id: id },
  })
  assert.equal(rotated.status, 404)
})

test('decommissioning and deleting end a claim', async (t) => {
  const app = await freshTenants(t)
  const { call, database, seed } = app
  for (const end of ['decommission', 'delete']) {
    const device = await makeDevice(app)
    const session = await call('POST', '/moid/session', { body: { workspace_id: seed.id } })
    const phone = as.phone(session.body.access_token)
    const claim = await call('POST', '/moid/claims', { as: phone, body: {} })
    const bound = await call('POST', '/devices/auth/bind-claim', {
      as: as.device(device.token),
      body: { claim_code: claim.body.claim_code },
    })
    assert.equal(bound.status, 200, bound.text)
    const claimed = await call('GET', device.path, { as: staff(app) })
    assert.notEqual(claimed.body.claimed_at, null)
    if (end === 'delete') await call('DELETE', device.path, { as: staff(app) })
    else assert.equal((await act(app, device, end)).body.claimed_at, null)
    const devices = await call('GET', '/moid/devices', { as: phone })
    assert.deepEqual(devices.body.items, [])
    const released = await database.query(
      unnamed(`SELECT 1 FROM events WHERE subject_id = $1 AND type = 'device.released'`),
      [device.uuid],
    )
    assert.equal(released.length, 1)
  }
})
