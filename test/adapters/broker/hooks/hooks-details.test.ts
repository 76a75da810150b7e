/** The parts special to one broker's hooks. */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { RemoteAuthority } from '../../../../src/adapters/broker/external-port.ts'
import type { TopicRule } from '../../../../src/adapters/broker/port.ts'
import { askAs } from './ask-hooks.ts'
import type { Ask } from './contract.ts'
import type { EmqxResponse } from '../emqx/model.ts'
import { letting, listen } from './listen-hooks.ts'

const rules: readonly TopicRule[] = [
  { action: 'publish', topic: 'w/u/out', permission: 'allow' },
  { action: 'subscribe', topic: 'w/u/in/#', permission: 'allow' },
  { action: 'pubsub', topic: 'w/u/both', permission: 'allow' },
]

async function asking(t: TestContext, name: string, authority: RemoteAuthority = letting(rules)) {
  const { origin } = await listen(t, { authority })
  return askAs(origin, name)
}

const parsed = (text: string): EmqxResponse => JSON.parse(text) as EmqxResponse

describe('the hooks of EMQX', () => {
  const login = { username: 'u', password: 'p', clientid: 'u', peerhost: '203.0.113.9' }

  test('answer a CONNECT with all members that EMQX reads', async (t) => {
    const expiresAt = Date.now() + 90_500
    const ask = await asking(t, 'emqx', letting(rules, expiresAt))
    const { status, type, text } = await ask('emqx/authn', { ...login, is_superuser: true })
    assert.equal(status, 200)
    assert.match(type, /^application\/json/)
    assert.deepEqual(parsed(text), {
      result: 'allow',
      is_superuser: false,
      client_attrs: { principal: 'u', workspace: 'ws' },
      expire_at: Math.floor(expiresAt / 1_000),
      acl: [
        { permission: 'allow', action: 'publish', topic: 'eq w/u/out' },
        { permission: 'allow', action: 'publish', topic: 'eq w/u/both' },
        { permission: 'allow', action: 'subscribe', topic: 'w/u/in/#' },
        { permission: 'allow', action: 'subscribe', topic: 'eq w/u/both' },
        { permission: 'deny', action: 'all', topic: '#' },
      ],
    })
    const never = parsed((await (await asking(t, 'emqx'))('emqx/authn', login)).text)
    assert.equal('expire_at' in never, false)
  })

  test('refuse to retain a message of a client without that right', async (t) => {
    const response = async (mayRetain: boolean | undefined) => {
      const ask = await asking(t, 'emqx', letting(rules, null, mayRetain))
      return parsed((await ask('emqx/authn', login)).text).acl ?? []
    }
    const [first, ...rest] = await response(false)
    assert.deepEqual(first, { permission: 'deny', action: 'publish', topic: '#', retain: true })
    assert.deepEqual(rest, await response(undefined))
  })

  test('give a session a client id that is unique on the broker, where EMQX can', async (t) => {
    const ask = await asking(t, 'emqx-6')
    const named = async (clientid: string) =>
      parsed((await ask('emqx/authn', { ...login, clientid })).text).clientid_override
    assert.equal(await named('pump "1"'), 'u:pump "1"')
    assert.equal(await named('u:2'), undefined)
    assert.equal(await named('u'), undefined)
    assert.equal(await named('u2'), 'u:u2')
    const older = await asking(t, 'emqx')
    const { text } = await older('emqx/authn', { ...login, clientid: 'pump' })
    assert.equal(parsed(text).result, 'deny')
  })

  test('keep the rules to themselves where EMQX asks for each topic', async (t) => {
    const ask = await asking(t, 'emqx-asks')
    assert.equal('acl' in parsed((await ask('emqx/authn', login)).text), false)
    const may = async (action: string, topic: string) =>
      (await ask('emqx/authz', { username: 'u', clientid: 'u', action, topic })).text
    assert.equal(await may('publish', 'w/u/out'), '{"result":"allow"}')
    assert.equal(await may('subscribe', 'w/u/in/+'), '{"result":"allow"}')
    assert.equal(await may('subscribe', 'w/u/out'), '{"result":"deny"}')
    assert.equal(await may('all', 'w/u/both'), '{"result":"deny"}')
  })
})

describe('the hooks of RabbitMQ', () => {
  const asker =
    (ask: Ask, path: string, base: Record<string, string>) =>
    async (change: Record<string, string> = {}, without: string[] = []) => {
      const fields = new URLSearchParams({ ...base, ...change })
      for (const name of without) fields.delete(name)
      return (await ask(`rabbitmq/${path}`, fields.toString())).text
    }

  test('know one virtual host, and no login without a client id', async (t) => {
    const ask = await asking(t, 'rabbitmq')
    const login = { username: 'u', password: 'p', vhost: '/', client_id: 'u' }
    const user = asker(ask, 'user', login)
    assert.equal(await user(), 'allow')
    assert.equal(await user({}, ['vhost']), 'allow')
    assert.equal(await user({ vhost: 'other' }), 'deny')
    assert.equal(await user({}, ['client_id']), 'deny')
    const base = { username: 'u', vhost: '/', ip: '203.0.113.9', tags: 'administrator' }
    const vhost = asker(ask, 'vhost', base)
    assert.equal(await vhost(), 'allow')
    assert.equal(await vhost({ vhost: 'other' }), 'deny')
    assert.equal(await vhost({ client_id: 'v' }), 'deny')
  })

  test('grant the queues of the session and the use of one exchange', async (t) => {
    const ask = await asking(t, 'rabbitmq')
    const base = { username: 'u', vhost: '/', tags: '', client_id: 'u' }
    const queue = asker(ask, 'resource', { ...base, resource: 'queue', permission: 'configure' })
    assert.equal(await queue({ name: 'mqtt-subscription-uqos0' }), 'allow')
    assert.equal(await queue({ name: 'mqtt-subscription-u:2qos1' }), 'allow')
    assert.equal(await queue({ name: 'mqtt-will-u' }), 'allow')
    const foreign = ['mqtt-subscription-vqos1', 'mqtt-subscription-uxqos1', 'orders', '', 'u']
    for (const name of [...foreign, 'mqtt-subscription-qos1', 'xmqtt-subscription-uqos1']) {
      assert.equal(await queue({ name }), 'deny', name)
    }
    assert.equal(await queue({ name: 'mqtt-will-u', permission: 'delete' }), 'deny')
    const exchange = asker(ask, 'resource', { ...base, resource: 'exchange', permission: 'write' })
    assert.equal(await exchange({ name: 'amq.topic' }), 'allow')
    assert.equal(await exchange({ name: 'amq.topic', permission: 'configure' }), 'deny')
    for (const name of ['', 'amq.default', 'amq.direct', 'amq.topic2']) {
      assert.equal(await exchange({ name }), 'deny', name)
    }
    assert.equal(await exchange({ name: 'amq.topic', resource: 'other' }), 'deny')
  })

  test('check a routing key as the topic that it stands for', async (t) => {
    const ask = await asking(t, 'rabbitmq')
    const base = { username: 'u', vhost: '/', name: 'amq.topic', resource: 'topic', tags: '' }
    const topic = asker(ask, 'topic', base)
    const read = (routing_key: string) => topic({ permission: 'read', routing_key })
    assert.equal(await read('w.u.in.*'), 'allow')
    assert.equal(await read('w.u.in.#'), 'allow')
    assert.equal(await read('w.u.#'), 'deny')
    assert.equal(await read('#.in'), 'deny')
    assert.equal(await topic({ permission: 'write', routing_key: 'w.u.out' }), 'allow')
    assert.equal(await topic({ permission: 'write', routing_key: 'w.u.*' }), 'deny')
    assert.equal(await topic({ permission: 'configure', routing_key: 'w.u.out' }), 'deny')
    const foreign = { 'variable_map.client_id': 'v', permission: 'write', routing_key: 'w.u.out' }
    assert.equal(await topic(foreign), 'deny')
    assert.equal(await topic({ permission: 'write' }), 'deny')
  })
})

describe('the hooks of mosquitto-go-auth', () => {
  test('distinguish reading, writing, both and subscribing, and have no superuser', async (t) => {
    const ask = await asking(t, 'mosquitto-go-auth')
    const may = async (topic: string) => {
      const accesses = [0, 1, 2, 3, 4, 5, 8, '2', '22', true]
      const said = accesses.map(async (acc) => {
        const fields = { username: 'u', clientid: 'u', topic, acc }
        return (await ask('mosquitto/acl', fields)).status === 200
      })
      const all = await Promise.all(said)
      return accesses.filter((_, index) => all[index])
    }
    assert.deepEqual(await may('w/u/out'), [2, '2'])
    assert.deepEqual(await may('w/u/in/x'), [1, 4])
    assert.deepEqual(await may('w/u/both'), [1, 2, 3, 4, '2'])
    assert.deepEqual(await may('w/u/in/#'), [4])
    assert.deepEqual(await may('w/v/in'), [])
    assert.equal((await ask('mosquitto/superuser', { username: 'u' })).status, 403)
  })

  test('return an error if nothing could be decided, since a refusal would be cached', async (t) => {
    const busy = async () => ({ accepted: false, reason: 'busy' }) as const
    const ask = await asking(t, 'mosquitto-go-auth', { ...letting(rules), connect: busy })
    const { status } = await ask('mosquitto/user', { username: 'u', password: 'p', clientid: 'u' })
    assert.equal(status, 503)
  })
})

describe('the hooks of NanoMQ', () => {
  test('take no form, since its values are not escaped', async (t) => {
    const ask = await asking(t, 'nanomq')
    assert.equal((await ask('nanomq/auth', 'username=u&password=p&clientid=u')).status, 400)
    assert.equal((await ask('nanomq/superuser', { username: 'u' })).status, 403)
  })

  test('grant a SUBSCRIBE when each of its filters is granted', async (t) => {
    const ask = await asking(t, 'nanomq')
    const may = async (access: string, topic: string) =>
      (await ask('nanomq/acl', { username: 'u', clientid: 'u', access, topic })).status
    assert.equal(await may('1', 'w/u/in/a,w/u/both'), 200)
    assert.equal(await may('1', 'w/u/in/a,b'), 403)
    assert.equal(await may('1', 'w/u/in/a,w/v/in'), 403)
    assert.equal(await may('1', 'w/u/both,'), 403)
    assert.equal(await may('2', 'w/u/out,w/u/both'), 403)
    assert.equal(await may('3', 'w/u/both'), 403)
  })
})

describe('the hooks of VerneMQ', () => {
  const base = { username: 'u', client_id: 'u', mountpoint: '' }
  const topics = [
    { topic: 'w/u/in/#', qos: 1 },
    { topic: 'w/v/#', qos: 2 },
  ]

  test('refuse some of the filters of a SUBSCRIBE, in the words of each protocol', async (t) => {
    const ask = await asking(t, 'vernemq')
    const subscribe = async (hook: string, fields: object) => {
      const response = await ask('vernemq', { ...base, ...fields }, { 'vernemq-hook': hook })
      return JSON.parse(response.text) as unknown
    }
    assert.deepEqual(await subscribe('auth_on_subscribe', { topics }), {
      result: 'ok',
      topics: [topics[0], { topic: 'w/v/#', qos: 128 }],
    })
    assert.deepEqual(await subscribe('auth_on_subscribe_m5', { topics, properties: {} }), {
      result: 'ok',
      modifiers: { topics: [topics[0], { topic: 'w/v/#', qos: 135 }] },
    })
    const refused = { result: { error: 'not_allowed' } }
    const odd = [[], [{ topic: 'w/u/in', qos: 3 }], [{ qos: 1 }], ['w/u/in'], 'w/u/in', null]
    for (const each of odd) {
      assert.deepEqual(await subscribe('auth_on_subscribe', { topics: each }), refused)
    }
  })

  test('respond to deciding hooks only', async (t) => {
    const { origin } = await listen(t, { authority: letting(rules) })
    const ask = askAs(origin, 'vernemq')
    for (const hook of ['on_publish', 'auth_on_unsubscribe', '', 'auth_on_publish_m6']) {
      const fields = { ...base, topic: 'w/u/out' }
      const { text } = await ask('vernemq', fields, { 'vernemq-hook': hook })
      assert.doesNotMatch(text, /"result":"ok"/)
    }
  })
})
