/** The part of the broker contract about messages: which pass, which do not, who is notified. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Bench } from './broker-fixture.ts'
import { connected, durable, gets, publish, refusal, subscribe, VERSIONS } from './mqtt-clients.ts'
import { allow } from './test-authority.ts'
import { eventually } from './eventually.ts'

const LEVELS = [0, 1, 2] as const

export function deliveryContract(bench: Bench): void {
  describe('a message', () => {
    for (const version of VERSIONS) {
      const protocolVersion = version
      for (const qos of LEVELS) {
        it(`that is allowed arrives once and is reported (v${version}, QoS ${qos})`, async (t) => {
          const { authority, port } = bench
          const credential = authority.add('ws_delivery')
          const watched = await connected(t, port, credential, { protocolVersion })
          const topic = `ws_delivery/${credential.username}/x`
          assert.deepEqual(await subscribe(watched, topic, qos), [qos])
          assert.equal(await publish(watched, topic, { qos }, 'first'), 0)
          assert.equal(await publish(watched, topic, { qos }, 'last'), 0)
          await gets(watched, `${topic}=last`)
          assert.deepEqual(watched.messages, [`${topic}=first`, `${topic}=last`])
          const received = authority
            .eventsOf(credential)
            .filter((event) => event.kind === 'published')
          assert.deepEqual(
            received.map(({ message }) => message),
            ['first', 'last'].map((payload) => ({
              topic,
              payload: Buffer.from(payload),
              qos,
              retain: false,
            })),
          )
        })

        it(`that is refused reaches nobody, ends nothing (v${version}, QoS ${qos})`, async (t) => {
          const { authority, port } = bench
          const device = authority.add('ws_delivery', [allow('ws_delivery/mine', 'publish')])
          const spy = await connected(t, port, authority.add('ws_delivery'), { protocolVersion })
          const sender = await connected(t, port, device, { protocolVersion })
          await subscribe(spy, 'ws_delivery/#', 2)
          const code = await publish(sender, 'ws_delivery/other', { qos, retain: true })
          assert.equal(code, version === 5 && qos > 0 ? 0x87 : 0)
          assert.equal(await publish(sender, 'ws_delivery/mine', { qos }), 0)
          await gets(spy, 'ws_delivery/mine=x')
          assert.deepEqual(spy.messages, ['ws_delivery/mine=x'])
          const events = authority
            .eventsOf(device)
            .map((event) => (event.kind === 'denied' ? [event.action, event.topic] : event.kind))
          assert.deepEqual(events, ['opened', ['publish', 'ws_delivery/other'], 'published'])
          // Nor was it kept for those who come later.
          const late = await connected(t, port, authority.add('ws_delivery'), { protocolVersion })
          await subscribe(late, 'ws_delivery/other')
          await publish(late, 'ws_delivery/other', { qos: 1 }, 'live')
          await gets(late, 'ws_delivery/other=live')
          assert.deepEqual(late.messages, ['ws_delivery/other=live'])
        })
      }

      it(`is delivered with the QoS granted, also by wildcards (v${version})`, async (t) => {
        const { authority, port } = bench
        const credential = authority.add(`ws_qos${version}`)
        const watched = await connected(t, port, credential, { protocolVersion })
        const levels: number[] = []
        watched.client.on('message', (_, __, { qos }) => levels.push(qos))
        await subscribe(watched, `ws_qos${version}/#`, 1)
        await publish(watched, `ws_qos${version}/a`, { qos: 2 })
        await eventually(() => levels.length > 0, 'a message')
        assert.deepEqual(levels, [1])
      })

      it(`that is retained is delivered to later subscribers with the right (v${version})`, async (t) => {
        const { authority, port, broker } = bench
        const [rights] = [[allow('ws_retain/a', 'subscribe')]]
        const writer = await connected(t, port, authority.add('ws_retain'), { protocolVersion })
        const payload = `kept ${version}`
        await publish(writer, 'ws_retain/a', { qos: 1, retain: true }, payload)
        await publish(writer, 'ws_retain/b', { qos: 1, retain: true }, payload)
        const reader = await connected(t, port, authority.add('ws_retain', rights), {
          protocolVersion,
        })
        await subscribe(reader, ['ws_retain/a', 'ws_retain/#', 'ws_retain/b'])
        await gets(reader, `ws_retain/a=${payload}`)
        const live = { topic: 'ws_retain/a', payload: Buffer.from('live'), retain: false }
        await broker.publish({ ...live, qos: 1 })
        await gets(reader, 'ws_retain/a=live')
        assert.deepEqual(reader.messages, [`ws_retain/a=${payload}`, 'ws_retain/a=live'])
      })

      it(`of the service passes every rule (v${version})`, async (t) => {
        const { authority, port, broker } = bench
        const credential = authority.add('ws_delivery', [allow('ws_delivery/cmd', 'subscribe')])
        const watched = await connected(t, port, credential, { protocolVersion })
        await subscribe(watched, 'ws_delivery/cmd', 1)
        const payload = Buffer.from(`reboot ${version}`)
        await broker.publish({ topic: 'ws_delivery/cmd', payload, qos: 1, retain: false })
        await gets(watched, `ws_delivery/cmd=reboot ${version}`)
        assert.equal(authority.eventsOf(credential).length, 1)
      })

      it(`left as a will is published when the client vanishes (v${version})`, async (t) => {
        const { authority, port } = bench
        const topic = `ws_will/${version}`
        const spy = await connected(t, port, authority.add('ws_will'), { protocolVersion })
        await subscribe(spy, topic, 1)
        const credential = authority.add('ws_will')
        const will = { topic, payload: Buffer.from('gone'), qos: 1, retain: true } as const
        const { client } = await connected(t, port, credential, { protocolVersion, will })
        client.stream.destroy()
        await gets(spy, `${topic}=gone`)
        await authority.closed(credential)
        const events = authority.eventsOf(credential)
        assert.deepEqual(
          events.map(({ kind }) => kind),
          ['opened', 'published', 'closed'],
        )
        const late = await connected(t, port, authority.add('ws_will'), { protocolVersion })
        await subscribe(late, topic)
        await gets(late, `${topic}=gone`)
      })

      it(`left as a will to a forbidden topic costs the CONNECT (v${version})`, async (t) => {
        const { authority, port } = bench
        const credential = authority.add('ws_will', [allow('ws_will/mine')])
        const will = { topic: 'ws_will/other', payload: Buffer.from('x'), qos: 0, retain: false }
        const code = await refusal(t, port, credential, {
          protocolVersion,
          will: will as { topic: string; payload: Buffer; qos: 0; retain: boolean },
        })
        assert.equal(code, version === 5 ? 0x87 : 5)
      })
    }

    it('cannot name a response topic beyond the rights of its sender', async (t) => {
      const { authority, port } = bench
      const device = authority.add('ws_reply', [allow('ws_reply/mine/#')])
      const sender = await connected(t, port, device, { protocolVersion: 5 })
      const ask = (responseTopic: string) =>
        publish(sender, 'ws_reply/mine/ask', { qos: 1, properties: { responseTopic } })
      assert.equal(await ask('ws_reply/mine/answer'), 0)
      assert.equal(await ask('ws_reply/other'), 0x87)
      assert.equal(await ask('ws_else/mine'), 0x87)
    })
  })

  describe('a subscription', () => {
    for (const version of VERSIONS) {
      it(`that is refused leaves the others of its packet alone (v${version})`, async (t) => {
        const { authority, port } = bench
        const credential = authority.add('ws_subscribe', [allow('ws_subscribe/a/#')])
        const watched = await connected(t, port, credential, { protocolVersion: version })
        const filters = ['ws_subscribe/a/+', 'ws_subscribe/#', 'ws_else/#', 'ws_subscribe/a/b']
        const refused = version === 5 ? 0x87 : 0x80
        assert.deepEqual(await subscribe(watched, filters, 1), [1, refused, refused, 1])
        const denied = authority
          .eventsOf(credential)
          .flatMap((event) => (event.kind === 'denied' ? [event.topic] : []))
        assert.deepEqual(denied, ['ws_subscribe/#', 'ws_else/#'])
        const [opened] = authority.eventsOf(credential)
        const received = authority.subscriptions.get(opened?.session.sessionId ?? '')
        assert.deepEqual(received, ['ws_subscribe/a/+', 'ws_subscribe/a/b'])
      })

      it(`of a durable session is reported again when its client reconnects (v${version})`, async (t) => {
        const { authority, port } = bench
        const credential = authority.add('ws_subscribe')
        const first = await connected(t, port, credential, durable(version))
        await subscribe(first, 'ws_subscribe/kept', 1)
        await first.client.endAsync()
        await authority.closed(credential)
        await connected(t, port, credential, durable(version))
        const sessions = authority.eventsOf(credential).filter(({ kind }) => kind === 'opened')
        const received = () => authority.subscriptions.get(sessions[1]?.session.sessionId ?? '')
        await eventually(() => received() !== undefined, 'the filters of the second session')
        assert.deepEqual(received(), ['ws_subscribe/kept'])
      })
    }
  })
}
