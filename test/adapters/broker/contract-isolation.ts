/** The part of the broker contract about isolation: hundreds of ways out, and a spy at each end. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import { DEFAULT_DEVICE_RULES, topicFiller } from '../../../src/adapters/broker/topics.ts'
import type { Bench } from './broker-fixture.ts'
import { eventually } from './eventually.ts'
import { connected, gets, publish, subscribe, VERSIONS, type Watched } from './mqtt-clients.ts'
import { connectPacket, publishPacket, RawClient, subscribePacket } from './raw-client.ts'
import { allow, type Credential } from './test-authority.ts'
import { escapes } from './topic-escapes.ts'

const SECRET = 'only for its own'
const ATTACK = 'from outside'

/** Topics on which the other devices of the first workspace and the other workspaces speak. */
const VICTIM_TOPICS = ['one/sn2', 'two/sn1', 'two/sn2', 'three/sn1'].flatMap((prefix) =>
  ['telemetry', 'state', 'presence/', 'cmd', 'cmd/reboot', 'config/meta', 'x//y'].map(
    (suffix) => `${prefix}/${suffix}`,
  ),
)

function addAttacker({ authority }: Bench): Credential {
  const variables = { slug: 'one', device_key: 'sn1', device_id: 'dev_one' }
  return authority.add(
    'one',
    DEFAULT_DEVICE_RULES.map((rule) => ({ ...rule, topic: topicFiller(variables)(rule.topic) })),
  )
}

/** A client in each workspace that sees all of it, but for what the attacker may rightly send. */
async function startSpies(t: TestContext, { authority, port }: Bench): Promise<Watched[]> {
  const places = [
    ['one', 'one/sn2/#'],
    ['two', 'two/#'],
    ['three', 'three/#'],
  ] as const
  return await Promise.all(
    places.map(async ([workspace, filter]) => {
      const spy = await connected(t, port, authority.add(workspace), { protocolVersion: 5 })
      // Its rights reach further: whatever strange topic comes, the spy would see it.
      assert.deepEqual(await subscribe(spy, filter, 2), [2])
      return spy
    }),
  )
}

/** An observer that may see everything, as none does outside of a test. */
async function startObserver(t: TestContext, { authority, port }: Bench): Promise<Watched> {
  const credential = authority.add('all', [allow('#', 'subscribe')])
  const observer = await connected(t, port, credential, { protocolVersion: 4 })
  assert.deepEqual(await subscribe(observer, '#', 2), [2])
  return observer
}

/** Publishes as the service to every spy and the observer, and waits until it has arrived. */
async function flush({ broker }: Bench, watching: Watched[], mark: string): Promise<void> {
  const payload = Buffer.from(mark)
  for (const topic of ['one/sn2/mark', 'two/mark', 'three/mark']) {
    await broker.publish({ topic, payload, qos: 1, retain: false })
  }
  for (const { messages } of watching) {
    await eventually(() => messages.some((message) => message.endsWith(mark)), mark)
  }
}

const foreign = (watching: Watched[]): string[] =>
  watching.flatMap(({ messages }) => messages.filter((message) => message.includes(ATTACK)))

export function isolationContract(bench: Bench): void {
  describe('isolation', () => {
    for (const version of VERSIONS) {
      it(`holds against every form of a subscription (v${version})`, async (t) => {
        const { authority, port, broker } = bench
        const owner = await connected(t, port, authority.add('three'), { protocolVersion: 5 })
        await publish(owner, 'three/kept', { qos: 1, retain: true }, SECRET)
        const attacker = addAttacker(bench)
        let raw = await RawClient.accepted(t, port, attacker, { version })
        const used = [raw]
        for (const filter of escapes()) {
          const before = raw.received.length
          raw.send(subscribePacket(version, filter))
          await eventually(() => raw.closed || raw.received.length > before, String(filter))
          if (!raw.closed) continue
          raw = await RawClient.accepted(t, port, attacker, { version })
          used.push(raw)
        }
        const before = raw.received.length
        raw.send(subscribePacket(version, 'one/sn1/cmd/#'))
        await raw.has((bytes) => bytes.length > before, 'the last SUBACK')
        const say = (topic: string, text: string) =>
          broker.publish({ topic, payload: Buffer.from(text), qos: 1, retain: false })
        for (const topic of VICTIM_TOPICS) await say(topic, SECRET)
        await say('one/sn1/cmd/last', 'for the attacker')
        await raw.has((bytes) => bytes.includes('for the attacker'), 'its own message')
        for (const { received } of used) assert.equal(received.includes(SECRET), false)
      })

      it(`holds against every form of a publish (v${version})`, async (t) => {
        const watching = [await startObserver(t, bench), ...(await startSpies(t, bench))]
        const attacker = addAttacker(bench)
        let raw = await RawClient.accepted(t, bench.port, attacker, { version })
        for (const topic of escapes()) {
          for (const qos of [1, 0] as const) {
            const before = raw.received.length
            raw.send(publishPacket({ version, topic, payload: ATTACK, qos, retain: qos === 1 }))
            if (qos === 0) raw.send(Buffer.from([0xc0, 0]))
            await eventually(() => raw.closed || raw.received.length > before, String(topic))
            if (raw.closed) raw = await RawClient.accepted(t, bench.port, attacker, { version })
          }
        }
        await flush(bench, watching, `after publishing ${version}`)
        assert.deepEqual(foreign(watching), [])
        const late = await startObserver(t, bench)
        await flush(bench, [late], `late ${version}`)
        assert.deepEqual(foreign([late]), [])
      })

      it(`holds against every form of a will (v${version})`, async (t) => {
        const { port } = bench
        const watching = [await startObserver(t, bench), ...(await startSpies(t, bench))]
        const { clientId, username, password } = addAttacker(bench)
        for (const topic of escapes()) {
          const raw = new RawClient(t, port)
          const will = { topic, payload: ATTACK, retain: true }
          raw.send(connectPacket({ version, clientId, username, password, will }))
          await raw.isClosed()
          assert.notEqual(raw.received[3], 0, `a will on ${String(topic)} is refused`)
        }
        await flush(bench, watching, `after wills ${version}`)
        assert.deepEqual(foreign(watching), [])
      })
    }

    it('allows the attacker of these tests the topics of its own workspace', async (t) => {
      const observer = await startObserver(t, bench)
      const { port } = bench
      const raw = await RawClient.accepted(t, port, addAttacker(bench), { version: 4 })
      raw.send(publishPacket({ version: 4, topic: 'one/sn1/state', payload: ATTACK }))
      await gets(observer, `one/sn1/state=${ATTACK}`)
    })
  })
}
