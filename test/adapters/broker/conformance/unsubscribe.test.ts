/** UNSUBSCRIBE. MQTT 5.0 and 3.1.1, sections 3.10 and 3.11. */
import assert from 'node:assert/strict'
import { ALL, bytes, conformance, packet, properties, text } from './conforms.ts'
import { publishPacket, unsubscribePacket } from './packets.ts'

conformance('UNSUBSCRIBE', {}, (conforms) => {
  conforms('an UNSUBSCRIBE gets one UNSUBACK, whatever it deletes', ALL, async (stage) => {
    const peer = await stage.connect()
    await peer.subscribe(stage.topic('a'), stage.topic('b/+'))
    peer.send(
      unsubscribePacket(stage.version, 65_535, [
        stage.topic('none'),
        stage.topic('a'),
        stage.topic('b/c'),
        stage.topic('b/+'),
        stage.topic('a'),
      ]),
    )
    const { id, codes } = await peer.next('UNSUBACK')
    assert.equal(id, 65_535)
    assert.deepEqual(codes, stage.version === 5 ? [0x11, 0, 0x11, 0, 0x11] : [])
    await peer.quiet()
  })

  conforms('filters are compared character by character', ALL, async (stage) => {
    const peer = await stage.connect()
    await peer.subscribe([stage.topic('a/+'), 0])
    await peer.unsubscribe(stage.topic('a/b'), stage.topic('a/#'), stage.topic('A/+'))
    peer.publish({ topic: stage.topic('a/b') })
    await peer.next('PUBLISH')
    await peer.unsubscribe(stage.topic('a/+'))
    peer.publish({ topic: stage.topic('a/b') })
    await peer.quiet()
  })

  conforms('an UNSUBSCRIBE leaves overlapping subscriptions alone', ALL, async (stage) => {
    const peer = await stage.connect()
    await peer.subscribe([stage.topic('a'), 0], [stage.topic('#'), 0])
    await peer.unsubscribe(stage.topic('a'))
    peer.publish({ topic: stage.topic('a') })
    await peer.next('PUBLISH')
    await peer.quiet()
  })

  conforms('a delivery that has begun is completed after it', ALL, async (stage) => {
    const reader = await stage.connect()
    await reader.subscribe([stage.topic(), 2])
    const writer = await stage.connect()
    await writer.publishedTwice({ topic: stage.topic() })
    const { id } = await reader.next('PUBLISH')
    await reader.unsubscribe(stage.topic())
    await writer.published({ topic: stage.topic() })
    reader.acknowledge('PUBREC', id)
    assert.equal((await reader.next('PUBREL')).id, id)
    reader.acknowledge('PUBCOMP', id)
    await reader.quiet()
  })

  conforms('an UNSUBSCRIBE that is malformed ends the connection', ALL, async (stage) => {
    const none = properties(stage.version)
    const filter = text(stage.topic())
    for (const wrong of [
      packet(0xa0, bytes(0, 1), none, filter),
      packet(0xa3, bytes(0, 1), none, filter),
      packet(0xa2, bytes(0, 0), none, filter),
      packet(0xa2, bytes(0, 1), none, text('')),
      packet(0xa2, bytes(0, 1), none, text('a\0')),
      packet(0xa2, bytes(0, 1), none, bytes(0, 9, 97)),
    ]) {
      const peer = await stage.connect()
      peer.send(wrong)
      await peer.ends(0x81, 0x82, 0x8f)
    }
  })

  conforms('an UNSUBSCRIBE names a filter at least', ALL, async (stage) => {
    const peer = await stage.connect()
    peer.send(unsubscribePacket(stage.version, 1, []))
    await peer.ends(0x82)
  })

  conforms(
    'a session without its subscription gets nothing when it is back',
    ALL,
    async (stage) => {
      const wish = { as: stage.credential(), durable: true }
      const reader = await stage.connect(wish)
      await reader.subscribe(stage.topic('a'), stage.topic('b'))
      await reader.unsubscribe(stage.topic('a'))
      await reader.leave()
      const writer = await stage.connect()
      writer.send(
        publishPacket(stage.version, { topic: stage.topic('a'), qos: 1 }),
        publishPacket(stage.version, { topic: stage.topic('b'), qos: 1, id: 2 }),
      )
      await writer.take(2, 'PUBACK')
      const back = await stage.connect(wish)
      assert.equal((await back.next('PUBLISH')).topic, stage.topic('b'))
      await back.quiet()
    },
  )
})
