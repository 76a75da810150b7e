/** UNSUBSCRIBE. MQTT 5.0 and 3.1.1, sections 3.10 and 3.11. */
import assert from 'node:assert/strict'
import { ALL, bytes, conformance, packet, properties, text } from './conforms.ts'
import { publishPacket, unsubscribePacket } from './packets.ts'

conformance('UNSUBSCRIBE', {}, (conforms) => {
  conforms('an UNSUBSCRIBE gets one UNSUBACK, whatever it deletes', ALL, async (fixture) => {
    const peer = await fixture.connect()
    await peer.subscribe(fixture.topic('a'), fixture.topic('b/+'))
    peer.send(
      unsubscribePacket(fixture.version, 65_535, [
        fixture.topic('none'),
        fixture.topic('a'),
        fixture.topic('b/c'),
        fixture.topic('b/+'),
        fixture.topic('a'),
      ]),
    )
    const { id, codes } = await peer.next('UNSUBACK')
    assert.equal(id, 65_535)
    assert.deepEqual(codes, fixture.version === 5 ? [0x11, 0, 0x11, 0, 0x11] : [])
    await peer.quiet()
  })

  conforms('filters are compared character by character', ALL, async (fixture) => {
    const peer = await fixture.connect()
    await peer.subscribe([fixture.topic('a/+'), 0])
    await peer.unsubscribe(fixture.topic('a/b'), fixture.topic('a/#'), fixture.topic('A/+'))
    peer.publish({ topic: fixture.topic('a/b') })
    await peer.next('PUBLISH')
    await peer.unsubscribe(fixture.topic('a/+'))
    peer.publish({ topic: fixture.topic('a/b') })
    await peer.quiet()
  })

  conforms('an UNSUBSCRIBE leaves overlapping subscriptions alone', ALL, async (fixture) => {
    const peer = await fixture.connect()
    await peer.subscribe([fixture.topic('a'), 0], [fixture.topic('#'), 0])
    await peer.unsubscribe(fixture.topic('a'))
    peer.publish({ topic: fixture.topic('a') })
    await peer.next('PUBLISH')
    await peer.quiet()
  })

  conforms('a delivery that has begun is completed after it', ALL, async (fixture) => {
    const reader = await fixture.connect()
    await reader.subscribe([fixture.topic(), 2])
    const writer = await fixture.connect()
    await writer.publishedTwice({ topic: fixture.topic() })
    const { id } = await reader.next('PUBLISH')
    await reader.unsubscribe(fixture.topic())
    await writer.published({ topic: fixture.topic() })
    reader.acknowledge('PUBREC', id)
    assert.equal((await reader.next('PUBREL')).id, id)
    reader.acknowledge('PUBCOMP', id)
    await reader.quiet()
  })

  conforms('an UNSUBSCRIBE that is malformed ends the connection', ALL, async (fixture) => {
    const none = properties(fixture.version)
    const filter = text(fixture.topic())
    for (const wrong of [
      packet(0xa0, bytes(0, 1), none, filter),
      packet(0xa3, bytes(0, 1), none, filter),
      packet(0xa2, bytes(0, 0), none, filter),
      packet(0xa2, bytes(0, 1), none, text('')),
      packet(0xa2, bytes(0, 1), none, text('a\0')),
      packet(0xa2, bytes(0, 1), none, bytes(0, 9, 97)),
    ]) {
      const peer = await fixture.connect()
      peer.send(wrong)
      await peer.ends(0x81, 0x82, 0x8f)
    }
  })

  conforms('an UNSUBSCRIBE names a filter at least', ALL, async (fixture) => {
    const peer = await fixture.connect()
    peer.send(unsubscribePacket(fixture.version, 1, []))
    await peer.ends(0x82)
  })

  conforms(
    'a session without its subscription gets nothing when it is back',
    ALL,
    async (fixture) => {
      const wish = { as: fixture.credential(), durable: true }
      const reader = await fixture.connect(wish)
      await reader.subscribe(fixture.topic('a'), fixture.topic('b'))
      await reader.unsubscribe(fixture.topic('a'))
      await reader.leave()
      const writer = await fixture.connect()
      writer.send(
        publishPacket(fixture.version, { topic: fixture.topic('a'), qos: 1 }),
        publishPacket(fixture.version, { topic: fixture.topic('b'), qos: 1, id: 2 }),
      )
      await writer.take(2, 'PUBACK')
      const back = await fixture.connect(wish)
      assert.equal((await back.next('PUBLISH')).topic, fixture.topic('b'))
      await back.quiet()
    },
  )
})
