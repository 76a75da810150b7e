/** A CONNECT that is asked about again, byte for byte, is answered from memory while it is true. */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { RemoteAuthority } from '../../../../src/adapters/broker/external-port.ts'
import type { ConnectRequest, Grant } from '../../../../src/adapters/broker/port.ts'
import { as } from '../../../support/app.ts'
import { registerDevice, staff } from '../../../support/commands.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import { askAs, brokerNamed, brokersFile } from './ask-hooks.ts'
import type { EmqxResponse } from '../emqx/model.ts'
import { generous, listen } from './listen-hooks.ts'

const login = { username: 'u', password: 'p', clientid: 'u', peerhost: '203.0.113.9' }

/** An authority that records its requests and reports, and confirms what the test says. */
class Watched implements RemoteAuthority {
  asked: ConnectRequest[] = []
  received: Grant[] = []
  isValid = true
  isFirst = false
  isBroken = false

  connect: RemoteAuthority['connect'] = async (request) => {
    this.asked.push(request)
    const decision = await generous.connect(request)
    if (!decision.accepted) return decision
    return { ...decision, grant: { ...decision.grant, isFirst: this.isFirst } }
  }

  authorize: RemoteAuthority['authorize'] = (...asked) => generous.authorize(...asked)
  stillGives = () => this.isValid
  refused(): void {}
  admitted(_request: ConnectRequest, grant: Grant): void {
    if (this.isBroken) throw new Error('broken')
    this.received.push(grant)
  }
}

async function asking(t: TestContext) {
  const authority = new Watched()
  const { origin, change } = await listen(t, { authority })
  const connect = async (fields = login, name = 'emqx') => {
    const { text } = await askAs(origin, name)('emqx/authn', fields)
    return (JSON.parse(text) as EmqxResponse).result
  }
  return { authority, origin, change, connect }
}

describe('a cached response', () => {
  test('is sent again without a decision, and each use is reported', async (t) => {
    const { authority, connect } = await asking(t)
    for (let times = 0; times < 3; times += 1) assert.equal(await connect(), 'allow')
    assert.equal(authority.asked.length, 1)
    assert.equal(authority.received.length, 3)
  })

  test('is used only while the authority confirms it', async (t) => {
    const { authority, connect } = await asking(t)
    await connect()
    authority.isValid = false
    await connect()
    assert.equal(authority.asked.length, 2)
    authority.connect = () => ({ accepted: false, reason: 'banned' })
    assert.equal(await connect(), 'deny')
  })

  test('is used for the same request of the same broker only', async (t) => {
    const { authority, connect } = await asking(t)
    await connect()
    const others = [
      { ...login, password: 'q' },
      { ...login, clientid: 'u:2' },
      { ...login, peerhost: '203.0.113.8' },
    ]
    for (const fields of others) await connect(fields)
    await connect(login, 'emqx-6')
    assert.equal(authority.asked.length, 5)
  })

  test('is none of a first connection, nor of a refusal', async (t) => {
    const { authority, connect } = await asking(t)
    authority.isFirst = true
    await connect()
    await connect()
    assert.equal(authority.received.length, 2)
    const outsider = { ...login, username: 'nobody' }
    assert.deepEqual([await connect(outsider), await connect(outsider)], ['deny', 'deny'])
    assert.equal(authority.asked.length, 4)
  })

  test('is dropped when the brokers file changes, which defines the responses', async (t) => {
    const { authority, origin, change } = await asking(t)
    const ask = askAs(origin, 'emqx')
    assert.ok('acl' in JSON.parse((await ask('emqx/authn', login)).text))
    change([{ ...brokerNamed('emqx'), emqx: { rules: 'on_demand' } } as never])
    assert.equal('acl' in JSON.parse((await ask('emqx/authn', login)).text), false)
    assert.equal(authority.asked.length, 2)
  })

  test('is not kept where the brokers file has changed while it was decided', async (t) => {
    const { authority, origin, change } = await asking(t)
    const decided = Promise.withResolvers<void>()
    const isAsked = Promise.withResolvers<void>()
    const { connect } = authority
    authority.connect = async (request) => {
      isAsked.resolve()
      await decided.promise
      return connect(request)
    }
    const ask = askAs(origin, 'emqx')
    const before = ask('emqx/authn', login)
    await isAsked.promise
    change([{ ...brokerNamed('emqx'), emqx: { rules: 'on_demand' } } as never])
    decided.resolve()
    assert.ok('acl' in JSON.parse((await before).text))
    assert.equal('acl' in JSON.parse((await ask('emqx/authn', login)).text), false)
  })

  test('becomes a refusal if its report fails, and the listener continues', async (t) => {
    const { authority, connect } = await asking(t)
    assert.equal(await connect(), 'allow')
    authority.isBroken = true
    assert.equal(await connect(), 'deny')
    authority.isBroken = false
    assert.equal(await connect(), 'allow')
  })

  test('holds only while the secret does: a client that is no longer accepted is refused', async (t) => {
    const { origin, change } = await asking(t)
    assert.match((await askAs(origin, 'emqx')('emqx/authn', login)).text, /allow/)
    change([{ ...brokerNamed('emqx'), hook_secrets: ['another'.repeat(5)] }])
    assert.match((await askAs(origin, 'emqx')('emqx/authn', login)).text, /deny/)
  })
})

describe('a decision that a service caches', () => {
  let aheadMs = 0
  const shared = useApp({
    environment: { MOORING_BROKERS_FILE: brokersFile() },
    clock: { now: () => Date.now() + aheadMs },
  })

  async function prepare() {
    const app = shared()
    const device = await registerDevice(app)
    const ask = askAs(`http://127.0.0.1:${app.app.ports.operator}`, 'emqx')
    const connect = async (password = device.mqtt_password): Promise<EmqxResponse> => {
      const { device_id } = device
      const fields = { username: device_id, password, clientid: device_id, peerhost: '127.0.0.1' }
      return JSON.parse((await ask('emqx/authn', fields)).text) as EmqxResponse
    }
    for (let times = 0; times < 3; times += 1) assert.equal((await connect()).result, 'allow')
    const path = device.path.replace('/commands', '')
    return { app, device, connect, path }
  }

  test('ends no later than the response to a suspension', async () => {
    const { app, connect, path } = await prepare()
    const { status } = await app.call('POST', `${path}/suspend`, { as: staff(app), body: {} })
    assert.equal(status, 200)
    assert.equal((await connect()).result, 'deny')
  })

  test('ends when the principal expires, which no event announces', async () => {
    const app = shared()
    const { body } = await app.call('POST', `/workspaces/${app.seed.id}/mqtt/principals`, {
      as: staff(app),
      body: { name: 'for an hour', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
    })
    const { username, password } = body.mqtt_credentials
    const ask = askAs(`http://127.0.0.1:${app.app.ports.operator}`, 'emqx')
    const connect = async (): Promise<EmqxResponse> =>
      JSON.parse((await ask('emqx/authn', { username, password, clientid: username })).text)
    for (let times = 0; times < 3; times += 1) assert.equal((await connect()).result, 'allow')
    aheadMs = 3_700_000
    const { result } = await connect()
    aheadMs = 0
    assert.equal(result, 'deny')
  })

  test('ends for a secret as soon as a newer one is used', async () => {
    const { app, device, connect } = await prepare()
    const { body } = await app.call('POST', '/devices/auth/credentials/rotate', {
      as: as.device(device.device_http_token),
    })
    assert.equal((await connect()).result, 'allow', 'the new secret is unused')
    assert.equal((await connect(body.mqtt_password)).result, 'allow')
    assert.equal((await connect()).result, 'deny')
    assert.equal((await connect(body.mqtt_password)).result, 'allow')
  })

  test('has the present rules', async () => {
    const { app, connect } = await prepare()
    const path = `/workspaces/${app.seed.id}/device-templates/${app.seed.template.id}`
    const rule = { permission: 'allow', action: 'publish', topic: '{slug}/{device_key}/more' }
    const { status, text } = await app.call('PATCH', path, {
      as: staff(app),
      body: { mqtt_acl: [rule] },
    })
    assert.equal(status, 200, text)
    await until('the rule is there', async () =>
      (await connect()).acl?.some(({ topic }) => topic.endsWith('/more')),
    )
  })
})
