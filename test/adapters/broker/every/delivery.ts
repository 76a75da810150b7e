/** Tests of every broker: the clients that messages reach. */
import assert from 'node:assert/strict'
import type { TopicRule } from '../../../../src/adapters/broker/port.ts'
import { eventually } from '../eventually.ts'
import { connected, gets, publish, subscribe, type Version } from '../mqtt-clients.ts'
import { allow } from '../test-authority.ts'
import { type Checks, type RunCheck, say } from './environment.ts'

const LEVELS = [0, 1, 2] as const

const deny = (topic: string, action: TopicRule['action'] = 'pubsub'): TopicRule => ({
  action,
  topic,
  permission: 'deny',
})

const SUBACK_REFUSED: Readonly<Record<Version, number>> = { 4: 0x80, 5: 0x87 }

const arrives =
  (qos: 0 | 1 | 2): RunCheck =>
  async (t, place, protocolVersion) => {
    const workspace = `ws_arrive${qos}${protocolVersion}`
    const sender = await connected(t, place.port, await place.add(workspace), { protocolVersion })
    const receiver = await connected(t, place.port, await place.add(workspace), {
      protocolVersion,
    })
    await subscribe(receiver, `${workspace}/x`, qos)
    assert.equal(await publish(sender, `${workspace}/x`, { qos }, 'first'), 0)
    assert.equal(await publish(sender, `${workspace}/x`, { qos }, 'last'), 0)
    await gets(receiver, `${workspace}/x=last`)
    assert.deepEqual(receiver.messages, [`${workspace}/x=first`, `${workspace}/x=last`])
  }

const reachesNobody =
  (qos: 0 | 1 | 2): RunCheck =>
  async (t, place, protocolVersion) => {
    const workspace = `ws_refuse${qos}${protocolVersion}`
    const rules = [allow(`${workspace}/mine`, 'publish')]
    const sender = await connected(t, place.port, await place.add(workspace, rules), {
      protocolVersion,
    })
    const spy = await connected(t, place.port, await place.add(workspace), { protocolVersion })
    await subscribe(spy, `${workspace}/#`, 2)
    // A broker may end the sender's connection, so nothing is waited for.
    void publish(sender, `${workspace}/other`, { qos, retain: true }).catch(() => {})
    await eventually(() => spy.client.connected, 'the spy')
    await sender.client.endAsync(qos > 0)
    await say(place, `${workspace}/end`, 'end')
    await gets(spy, `${workspace}/end=end`)
    assert.deepEqual(spy.messages, [`${workspace}/end=end`])
    // Nor was it kept for those who come later.
    const late = await connected(t, place.port, await place.add(workspace), { protocolVersion })
    await subscribe(late, [`${workspace}/other`, `${workspace}/after`])
    await say(place, `${workspace}/after`, 'end')
    await gets(late, `${workspace}/after=end`)
    assert.deepEqual(late.messages, [`${workspace}/after=end`])
  }

const byLevel = (words: (qos: number) => string, check: (qos: 0 | 1 | 2) => RunCheck): Checks =>
  Object.fromEntries(LEVELS.map((qos) => [words(qos), check(qos)]))

export const deliveryChecks: Checks = {
  ...byLevel((qos) => `delivers what is allowed, once and in order, QoS ${qos}`, arrives),
  ...byLevel((qos) => `lets a refused publish reach nobody, QoS ${qos}`, reachesNobody),

  'ends no connection for a refused publish': async (t, place, protocolVersion) => {
    const credential = await place.add('ws_stay', [allow('ws_stay/mine')])
    const watched = await connected(t, place.port, credential, { protocolVersion })
    await subscribe(watched, 'ws_stay/mine')
    await publish(watched, 'ws_stay/other')
    await publish(watched, 'ws_stay/mine', { qos: 1 }, 'here')
    await gets(watched, 'ws_stay/mine=here')
    assert.equal(watched.closed, false)
  },

  'notifies the publisher of a refusal, where MQTT has a code for it': async (
    t,
    place,
    version,
  ) => {
    const credential = await place.add('ws_words', [allow('ws_words/mine')])
    const watched = await connected(t, place.port, credential, { protocolVersion: version })
    const code = await publish(watched, 'ws_words/other', { qos: 1 })
    assert.equal(code, version === 5 ? 0x87 : 0)
  },

  'delivers with the lesser QoS of the two': async (t, place, protocolVersion) => {
    const workspace = `ws_least${protocolVersion}`
    const watched = await connected(t, place.port, await place.add(workspace), {
      protocolVersion,
    })
    const levels: number[] = []
    watched.client.on('message', (_, __, { qos }) => levels.push(qos))
    await subscribe(watched, `${workspace}/a`, 1)
    await publish(watched, `${workspace}/a`, { qos: 2 })
    await publish(watched, `${workspace}/a`, { qos: 0 })
    await eventually(() => levels.length === 2, 'two messages')
    assert.deepEqual(levels, [1, 0])
  },

  'matches filters with wildcards': async (t, place, protocolVersion) => {
    const workspace = `ws_wild${protocolVersion}`
    const watched = await connected(t, place.port, await place.add(workspace), {
      protocolVersion,
    })
    await subscribe(watched, [`${workspace}/+/x`, `${workspace}/deep/#`, `${workspace}/end`], 1)
    for (const rest of ['a/x', 'a/y', 'a/b/x', 'deep/a/b', 'deep', 'end']) {
      await say(place, `${workspace}/${rest}`, 'm')
    }
    await gets(watched, `${workspace}/end=m`)
    const got = watched.messages.map((message) => message.slice(workspace.length + 1, -2))
    assert.deepEqual(got, ['a/x', 'deep/a/b', 'deep', 'end'])
  },

  'delivers retained messages to later subscribers with the right': async (t, place, version) => {
    const protocolVersion = version
    const workspace = `ws_retain${version}`
    const port = place.port
    const writer = await connected(t, port, await place.add(workspace), { protocolVersion })
    await publish(writer, `${workspace}/a`, { qos: 1, retain: true }, 'kept')
    await publish(writer, `${workspace}/b`, { qos: 1, retain: true }, 'kept')
    const rules = [allow(`${workspace}/a`, 'subscribe')]
    const reader = await connected(t, port, await place.add(workspace, rules), { protocolVersion })
    await subscribe(reader, `${workspace}/a`, 1)
    await gets(reader, `${workspace}/a=kept`)
    await say(place, `${workspace}/a`, 'live')
    await gets(reader, `${workspace}/a=live`)
    assert.equal(reader.messages.includes(`${workspace}/b=kept`), false)
  },

  'publishes a will when its client vanishes': async (t, place, protocolVersion) => {
    const topic = `ws_will/${protocolVersion}`
    const spy = await connected(t, place.port, await place.add('ws_will'), { protocolVersion })
    await subscribe(spy, topic, 1)
    const will = { topic, payload: Buffer.from('gone'), qos: 1, retain: false } as const
    const { client } = await connected(t, place.port, await place.add('ws_will'), {
      protocolVersion,
      will,
    })
    client.stream.destroy()
    await gets(spy, `${topic}=gone`)
  },

  'publishes no will to a topic that its client may not publish to': async (t, place, version) => {
    const workspace = `ws_nowill${version}`
    const protocolVersion = version
    const spy = await connected(t, place.port, await place.add(workspace), { protocolVersion })
    await subscribe(spy, `${workspace}/#`, 1)
    const credential = await place.add(workspace, [allow(`${workspace}/mine`)])
    const topic = `${workspace}/other`
    const will = { topic, payload: Buffer.from('x'), qos: 1 as const, retain: false }
    // A broker may refuse the CONNECT for it.
    const options = { protocolVersion, will }
    const open = await connected(t, place.port, credential, options).catch(() => undefined)
    open?.client.stream.destroy()
    await connected(t, place.port, credential, { protocolVersion })
    await say(place, `${workspace}/end`, 'end')
    await gets(spy, `${workspace}/end=end`)
    assert.deepEqual(spy.messages, [`${workspace}/end=end`])
  },

  'refuses a subscription without touching the others of its packet': async (t, place, version) => {
    const credential = await place.add('ws_some', [allow('ws_some/a/#')])
    const watched = await connected(t, place.port, credential, { protocolVersion: version })
    const refused = SUBACK_REFUSED[version]
    const filters = ['ws_some/a/+', 'ws_some/#', 'ws_else/#', 'ws_some/a/b']
    assert.deepEqual(await subscribe(watched, filters, 1), [1, refused, refused, 1])
  },

  'lets the first rule that matches decide': async (t, place, protocolVersion) => {
    const workspace = `ws_order${protocolVersion}`
    const rules = [allow(`${workspace}/a/open`), deny(`${workspace}/a/#`), allow(`${workspace}/#`)]
    const credential = await place.add(workspace, rules)
    const watched = await connected(t, place.port, credential, { protocolVersion })
    await subscribe(watched, [`${workspace}/a/open`, `${workspace}/b`, `${workspace}/c`], 1)
    for (const rest of ['a/open', 'a/shut', 'b', 'c']) await say(place, `${workspace}/${rest}`, 'm')
    await gets(watched, `${workspace}/c=m`)
    const got = watched.messages.map((message) => message.slice(workspace.length + 1, -2))
    assert.deepEqual(got, ['a/open', 'b', 'c'])
  },

  'delivers nothing that a deny rule covers, whatever the filter': async (t, place, version) => {
    const workspace = `ws_deny${version}`
    const protocolVersion = version
    const rules = [deny(`${workspace}/secret`), allow(`${workspace}/#`)]
    const credential = await place.add(workspace, rules)
    const watched = await connected(t, place.port, credential, { protocolVersion })
    // Whether a wider one is granted at all differs; a broker may end the connection for it.
    await subscribe(watched, `${workspace}/#`, 1).catch(() => {})
    await eventually(() => watched.closed || watched.client.connected, 'a response')
    const again = await connected(t, place.port, credential, { protocolVersion })
    await subscribe(again, `${workspace}/end`, 1)
    await say(place, `${workspace}/secret`, 'hidden')
    await say(place, `${workspace}/end`, 'end')
    await gets(again, `${workspace}/end=end`)
    const got = [...watched.messages, ...again.messages]
    assert.equal(got.includes(`${workspace}/secret=hidden`), false)
  },

  'refuses a response topic beyond the rights of its sender': async (t, place, version) => {
    if (version === 4) return
    const credential = await place.add('ws_reply', [allow('ws_reply/mine/#')])
    const sender = await connected(t, place.port, credential, { protocolVersion: version })
    const properties = { responseTopic: 'ws_else/mine' }
    assert.equal(await publish(sender, 'ws_reply/mine/ask', { qos: 1, properties }), 0x87)
  },
}
