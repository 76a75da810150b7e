/** Principals at the broker: their CONNECTs and sessions, and that no rules mean no rights. */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { formatId, parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { closed, connectDevice, type DeviceLogin, tryConnect } from '../../../support/mqtt.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

interface Credentials {
  username: string
  password: string
  port: number
}

const loginOf = ({ username, password, port }: Credentials): DeviceLogin => ({
  device_id: username,
  mqtt_password: password,
  mqtt_port: port,
})

const caller = ({ call, seed }: TestApp) => {
  const send = (method: string, path = '', body?: unknown): Promise<CallResult> =>
    call(method, `/workspaces/${seed.id}/mqtt/principals${path}`, {
      as: as.platformKey(seed.platformKey),
      ...(body !== undefined && { body }),
    })
  const make = async (name: string, more: object = {}): Promise<DeviceLogin> => {
    const response = await send('POST', '', { name, ...more })
    assert.equal(response.status, 201, response.text)
    return loginOf(response.body.mqtt_credentials)
  }
  const renew = async (id: string, action: 'reset' | 'rotate'): Promise<DeviceLogin> => {
    const response = await send('POST', `/${id}/credentials/${action}`)
    assert.equal(response.status, 200, response.text)
    return loginOf(response.body.mqtt_credentials)
  }
  return { send, make, renew }
}

/** Ends a principal's time in a moment, as a change of `expires_at` does. */
async function endSoon({ database, services }: TestApp, login: DeviceLogin): Promise<void> {
  const uuid = parseId('mqp', login.device_id) as string
  const text = `UPDATE mqtt_principals SET expires_at = now() + interval '0.3 seconds' WHERE id = $1`
  await database.transaction(async (trx) => {
    await trx.query({ name: undefined, text }, [uuid])
    await services.feed.announce(trx, 'mqtt-principal', uuid)
  })
}

/** The CONNACK of 3.1.1 for a login, with options of the client. */
const codeOf = async (t: TestContext, login: DeviceLogin, options = {}): Promise<number> =>
  (await tryConnect(t, login, options)).code

const BAD_CLIENT_ID = 2
const BAD_CREDENTIALS = 4
const NOT_AUTHORIZED = 5

describe('an MQTT principal', () => {
  const get = useApp()

  test('gets in with its password, under its own name and nobody elses', async (t) => {
    const app = get()
    const { make } = caller(app)
    const one = await make('names one')
    const other = await make('names other')
    await connectDevice(t, one)
    await connectDevice(t, one, { clientId: `${one.device_id}:second` })
    assert.equal(await codeOf(t, one, { clientId: other.device_id }), BAD_CLIENT_ID)
    assert.equal(await codeOf(t, one, { clientId: 'dashboard' }), BAD_CLIENT_ID)
    assert.equal(await codeOf(t, { ...one, mqtt_password: other.mqtt_password }), BAD_CREDENTIALS)
    assert.equal(app.services.broker.connections(one.device_id).length, 2)
    const path = `/workspaces/${app.seed.id}/mqtt/principals/${one.device_id}`
    await until('it is shown', async () => {
      const { body } = await app.call('GET', path, { as: as.platformKey(app.seed.platformKey) })
      return body.last_connected_at !== null
    })
  })

  test('is no device with its id, nor is a device with its id a principal', async (t) => {
    const app = get()
    const principal = await caller(app).make('kinds')
    const uuid = parseId('mqp', principal.device_id) as string
    await connectDevice(t, principal)
    const asDevice = { ...principal, device_id: formatId('dev', uuid) }
    assert.equal(await codeOf(t, asDevice), BAD_CREDENTIALS)
    const { body: device } = await app.call('POST', '/provision/device', {
      as: as.factory(app.seed.provisionKey),
      body: { template_id: app.seed.template.id },
    })
    await connectDevice(t, device)
    const deviceUuid = parseId('dev', device.device_id) as string
    const asPrincipal = { ...device, device_id: formatId('mqp', deviceUuid) }
    assert.equal(await codeOf(t, asPrincipal), BAD_CREDENTIALS)
  })

  test('may neither publish nor subscribe while it has no rules', async (t) => {
    const app = get()
    const client = await connectDevice(t, await caller(app).make('no rules'), {
      protocolVersion: 5,
    })
    const { slug } = app.seed
    for (const filter of ['#', `${slug}/#`, `${slug}/${client.options.clientId}/state`]) {
      await assert.rejects(client.subscribeAsync(filter, { qos: 1 }))
    }
    await assert.rejects(client.publishAsync(`${slug}/x/telemetry`, 'x', { qos: 1 }))
  })

  test('is disconnected at once when it is suspended, reset, disconnected or deleted', async (t) => {
    const app = get()
    const { send, make, renew } = caller(app)
    const ends: readonly [string, (id: string) => Promise<unknown>, number][] = [
      ['suspended', (id) => send('POST', `/${id}/suspend`), NOT_AUTHORIZED],
      ['reset', (id) => renew(id, 'reset'), BAD_CREDENTIALS],
      ['disconnected', (id) => send('POST', `/${id}/disconnect`), 0],
      ['deleted', (id) => send('DELETE', `/${id}`), BAD_CREDENTIALS],
    ]
    for (const [name, end, code] of ends) {
      const login = await make(name)
      const client = await connectDevice(t, login)
      await end(login.device_id)
      await closed(client)
      assert.equal(await codeOf(t, login), code, name)
    }
  })

  test('comes back after it was suspended, with the same password', async (t) => {
    const app = get()
    const { send, make } = caller(app)
    const login = await make('comes back')
    const client = await connectDevice(t, login)
    await send('POST', `/${login.device_id}/suspend`)
    await send('POST', `/${login.device_id}/resume`)
    await closed(client)
    await connectDevice(t, login)
  })

  test('has two valid passwords after a rotation, until the new one is used', async (t) => {
    const { make, renew } = caller(get())
    const old = await make('rotated')
    const before = await connectDevice(t, old)
    const fresh = await renew(old.device_id, 'rotate')
    const again = await connectDevice(t, old, { clientId: `${old.device_id}:2` })
    assert.ok(before.connected)
    const clientId = `${old.device_id}:new`
    const after = await connectDevice(t, fresh, { clientId })
    await Promise.all([closed(before), closed(again)])
    assert.equal(await codeOf(t, old), BAD_CREDENTIALS)
    assert.ok(after.connected)
  })

  test('has the last password that it was given, of many rotations at once', async (t) => {
    const { make, renew } = caller(get())
    const login = await make('rotated often')
    const id = login.device_id
    const many = await Promise.all(Array.from({ length: 10 }, () => renew(id, 'rotate')))
    const codes = await Promise.all(
      many.map((each, n) => codeOf(t, each, { clientId: `${id}:${n}` })),
    )
    assert.ok(codes.includes(0))
    const last = await renew(id, 'rotate')
    await connectDevice(t, last)
    for (const each of [login, ...many]) assert.equal(await codeOf(t, each), BAD_CREDENTIALS)
  })

  test('has one valid password after concurrent resets', async (t) => {
    const { make, renew } = caller(get())
    const { device_id: id } = await make('reset often')
    const many = await Promise.all(Array.from({ length: 10 }, () => renew(id, 'reset')))
    const codes = await Promise.all(
      many.map((each, n) => codeOf(t, each, { clientId: `${id}:${n}` })),
    )
    assert.deepEqual(
      codes.toSorted((one, other) => one - other),
      [0, ...Array.from({ length: 9 }, () => BAD_CREDENTIALS)],
    )
  })

  test('is disconnected when it expires, and accepted again when that is postponed', async (t) => {
    const app = get()
    const { send, make } = caller(app)
    const login = await make('expires')
    const { device_id: id } = login
    const client = await connectDevice(t, login)
    const expires_at = new Date(Date.now() + 6_000).toISOString()
    const changed = await send('PATCH', `/${id}`, { expires_at })
    assert.equal(changed.status, 200, changed.text)
    await closed(client)
    assert.ok(Date.now() >= Date.parse(expires_at))
    assert.equal(await codeOf(t, login), NOT_AUTHORIZED)
    assert.equal((await send('GET', `/${id}`)).body.status, 'expired')
    await until('the log contains the reason', async () => {
      const { body } = await send('GET', `/${id}/connection-log`)
      return body.items.some(({ reason }: { reason: string }) => reason === 'expired')
    })
    await send('PATCH', `/${id}`, { expires_at: new Date(Date.now() + 60_000).toISOString() })
    const again = await connectDevice(t, login)
    await endSoon(app, login)
    await closed(again)
  })

  test('is disconnected on another process too, and refused there', async (t) => {
    const app = get()
    const { send, make } = caller(app)
    const other = await app.sibling()
    const port = other.app.ports.mqtt
    for (const [name, method, path] of [
      ['suspended there', 'POST', '/suspend'],
      ['deleted there', 'DELETE', ''],
    ] as const) {
      const login = { ...(await make(name)), mqtt_port: port }
      const client = await connectDevice(t, login)
      await send(method, `/${login.device_id}${path}`)
      await closed(client)
      assert.notEqual(await codeOf(t, login), 0)
    }
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    const login = { ...(await make('expires there', { expires_at })), mqtt_port: port }
    const client = await connectDevice(t, login)
    await endSoon(app, login)
    await closed(client)
    assert.equal(await codeOf(t, login), NOT_AUTHORIZED)
  })
})
