/** Tests of every broker: no form of a topic leads from one workspace to another. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { DEFAULT_DEVICE_RULES, topicFiller } from '../../../../src/adapters/broker/topics.ts'
import { connected, gets, publish, subscribe, type Version, type Watched } from '../mqtt-clients.ts'
import { connectPacket, publishPacket, RawClient, subscribePacket } from '../raw-client.ts'
import type { Credential } from '../test-authority.ts'
import { escapes } from '../topic-escapes.ts'
import { type Checks, type BrokerEnvironment, say } from './environment.ts'

const SECRET = 'only for its own'
const ATTACK = 'from outside'
/** A broker that ends the connection does so soon; else the next form is tried on it. */
const TIMEOUT_MS = 2_000

const VICTIM_TOPICS = ['one/sn2', 'two/sn1', 'two/sn2', 'three/sn1'].flatMap((prefix) =>
  ['telemetry', 'state', 'presence/', 'cmd', 'cmd/reboot', 'config/meta', 'x//y'].map(
    (suffix) => `${prefix}/${suffix}`,
  ),
)

function addAttacker(place: BrokerEnvironment): Promise<Credential> {
  const variables = { slug: 'one', device_key: 'sn1', device_id: 'dev_one' }
  const rules = DEFAULT_DEVICE_RULES.map((rule) => {
    return { ...rule, topic: topicFiller(variables)(rule.topic) }
  })
  return place.add('one', rules)
}

/** A client in each workspace that sees all of it, but for what the attacker may rightly send. */
async function startSpies(
  t: TestContext,
  place: BrokerEnvironment,
  version: Version,
): Promise<Watched[]> {
  const places = [
    ['one', 'one/sn2/#'],
    ['two', 'two/#'],
    ['three', 'three/#'],
  ] as const
  const spies: Watched[] = []
  for (const [workspace, filter] of places) {
    const credential = await place.add(workspace)
    const spy = await connected(t, place.port, credential, { protocolVersion: version })
    await subscribe(spy, filter, 1)
    spies.push(spy)
  }
  return spies
}

async function nothingReached(
  place: BrokerEnvironment,
  spies: Watched[],
  mark: string,
): Promise<void> {
  for (const topic of ['one/sn2/mark', 'two/mark', 'three/mark']) await say(place, topic, mark)
  const marks = ['one/sn2/mark', 'two/mark', 'three/mark'].map((topic) => `${topic}=${mark}`)
  for (const [index, spy] of spies.entries()) await gets(spy, marks[index] ?? '')
  const foreign = spies.flatMap(({ messages }) => messages.filter((one) => one.includes(ATTACK)))
  assert.deepEqual(foreign, [])
}

/** Sends each as its own packet, with another connection whenever one was ended for it. */
async function tryAll(
  t: TestContext,
  place: BrokerEnvironment,
  version: Version,
  packets: readonly Buffer[],
): Promise<RawClient[]> {
  const attacker = await addAttacker(place)
  const used: RawClient[] = []
  let raw: RawClient | undefined
  for (const bytes of packets) {
    if (raw === undefined || raw.closed) {
      raw = await RawClient.accepted(t, place.port, attacker, { version })
      used.push(raw)
    }
    const before = raw.received.length
    raw.send(bytes)
    const end = Date.now() + TIMEOUT_MS
    while (!raw.closed && raw.received.length === before && Date.now() < end) await wait(1)
  }
  return used
}

/** Wills cost a connection each, so only some of the forms are tried. */
const SOME = 8

export const isolationChecks: Checks = {
  'keeps workspaces apart, whatever is subscribed to': async (t, place, version) => {
    const owner = await connected(t, place.port, await place.add('three'), {
      protocolVersion: version,
    })
    await publish(owner, 'three/kept', { qos: 1, retain: true }, SECRET)
    const packets = escapes().map((filter) => subscribePacket(version, filter))
    const used = await tryAll(t, place, version, packets)
    for (const topic of VICTIM_TOPICS) await say(place, topic, SECRET)
    const spy = await connected(t, place.port, await place.add('two'), { protocolVersion: version })
    await subscribe(spy, 'two/end')
    await say(place, 'two/end', 'end')
    await gets(spy, 'two/end=end')
    for (const { received } of used) assert.equal(received.includes(SECRET), false)
  },

  'keeps workspaces apart, whatever is published to': async (t, place, version) => {
    const spies = await startSpies(t, place, version)
    // A ping shows that a publish without acknowledgement was read.
    const packets = escapes().map((topic, index) =>
      Buffer.concat([
        publishPacket({ version, topic, payload: ATTACK, qos: 1, retain: index % 2 === 0 }),
        Buffer.from([0xc0, 0]),
      ]),
    )
    await tryAll(t, place, version, packets)
    await nothingReached(place, spies, `published ${version}`)
    const late = await startSpies(t, place, version)
    await nothingReached(place, late, `late ${version}`)
  },

  'keeps workspaces apart, whatever a will is left for': async (t, place, version) => {
    const spies = await startSpies(t, place, version)
    const { clientId, username, password } = await addAttacker(place)
    for (const [index, topic] of escapes().entries()) {
      if (index % SOME !== 0) continue
      const raw = new RawClient(t, place.port)
      const will = { topic, payload: ATTACK, retain: true }
      raw.send(connectPacket({ version, clientId, username, password, will }))
      await raw.has((bytes) => bytes.length >= 4 || raw.closed, 'a response')
      raw.socket.destroy()
      await raw.isClosed()
    }
    await nothingReached(place, spies, `willed ${version}`)
  },

  'allows the attacker of these checks the topics of its own workspace': async (
    t,
    place,
    version,
  ) => {
    const [spy] = [
      await connected(t, place.port, await place.add('one'), { protocolVersion: version }),
    ]
    await subscribe(spy, 'one/sn1/state')
    const attacker = await addAttacker(place)
    const raw = await RawClient.accepted(t, place.port, attacker, { version })
    raw.send(publishPacket({ version, topic: 'one/sn1/state', payload: ATTACK }))
    await gets(spy, `one/sn1/state=${ATTACK}`)
  },

  'keeps the same client id of two workspaces apart': async (t, place, version) => {
    const [left, right] = [await place.add('ws_left'), await place.add('ws_right')]
    const options = { protocolVersion: version, clientId: 'sn1' }
    const one = await connected(t, place.port, left, options)
    const two = await connected(t, place.port, right, options)
    await subscribe(one, 'ws_left/x')
    await say(place, 'ws_left/x', 'left')
    await gets(one, 'ws_left/x=left')
    assert.deepEqual([one.closed, two.closed], [false, false])
  },
}
