/** MQTT in WebSocket frames: MQTT 5.0 and 3.1.1, chapter 6. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { ALL, bytes, conformance, connectOf, type Fixture } from './conforms.ts'
import { pingPacket, publishPacket, readPacket, subscribePacket } from './packets.ts'

interface Framed {
  socket: WebSocket
  /** Resolves with the names of so many packets. */
  names: (count: number) => Promise<string[]>
}

async function open(fixture: Fixture, protocols: string[] = ['mqtt']): Promise<Framed> {
  const socket = new WebSocket(`ws://127.0.0.1:${fixture.broker.ports.ws}/mqtt`, protocols)
  fixture.t.after(() => socket.terminate())
  let unread = Buffer.alloc(0)
  const kinds: boolean[] = []
  socket.on('message', (data: Buffer, isBinary) => {
    kinds.push(isBinary)
    unread = Buffer.concat([unread, data])
  })
  await once(socket, 'open')
  return {
    socket,
    async names(count) {
      const names: string[] = []
      while (names.length < count) {
        const read = readPacket(unread, fixture.version)
        if (read === undefined) await once(socket, 'message')
        else {
          unread = unread.subarray(read.bytes.length)
          names.push(read.name)
        }
      }
      assert.ok(kinds.every(Boolean))
      return names
    },
  }
}

conformance('WebSocket', {}, (conforms) => {
  conforms('a WebSocket has the subprotocol mqtt', ALL, async (fixture) => {
    const { socket } = await open(fixture, ['other', 'mqtt'])
    assert.equal(socket.protocol, 'mqtt')
    for (const protocols of [[], ['other']]) {
      await assert.rejects(open(fixture, protocols), /Unexpected server response: 400/)
    }
  })

  conforms('packets and frames need not begin together', ALL, async (fixture) => {
    const { version } = fixture
    const { socket, names } = await open(fixture)
    const all = Buffer.concat([
      connectOf(fixture.credential(), { version }),
      subscribePacket(version, 1, [[fixture.topic(), 0]]),
      publishPacket(version, { topic: fixture.topic('elsewhere'), qos: 1 }),
      pingPacket(),
    ])
    for (let at = 0; at < all.length; at += 9) socket.send(all.subarray(at, at + 9))
    const received = await names(4)
    assert.equal(received[0], 'CONNACK')
    assert.deepEqual(received.toSorted(), ['CONNACK', 'PINGRESP', 'PUBACK', 'SUBACK'])
    socket.send(Buffer.concat([pingPacket(), pingPacket(), bytes(0xc0)]))
    assert.deepEqual(await names(2), ['PINGRESP', 'PINGRESP'])
    socket.send(bytes(0x00))
    assert.deepEqual(await names(1), ['PINGRESP'])
  })

  conforms('a text frame ends the connection', ALL, async (fixture) => {
    const { socket, names } = await open(fixture)
    socket.send(connectOf(fixture.credential(), { version: fixture.version }))
    assert.deepEqual(await names(1), ['CONNACK'])
    socket.send('text')
    await once(socket, 'close')
  })
})
