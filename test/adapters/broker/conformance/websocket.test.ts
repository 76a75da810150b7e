/** MQTT in WebSocket frames: MQTT 5.0 and 3.1.1, chapter 6. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { ALL, bytes, conformance, connectOf, type Stage } from './conforms.ts'
import { pingPacket, publishPacket, readPacket, subscribePacket } from './packets.ts'

interface Framed {
  socket: WebSocket
  /** Resolves with the names of so many packets. */
  names: (count: number) => Promise<string[]>
}

async function open(stage: Stage, protocols: string[] = ['mqtt']): Promise<Framed> {
  const socket = new WebSocket(`ws://127.0.0.1:${stage.broker.ports.ws}/mqtt`, protocols)
  stage.t.after(() => socket.terminate())
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
        const read = readPacket(unread, stage.version)
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
  conforms('a WebSocket has the subprotocol mqtt', ALL, async (stage) => {
    const { socket } = await open(stage, ['other', 'mqtt'])
    assert.equal(socket.protocol, 'mqtt')
    for (const protocols of [[], ['other']]) {
      await assert.rejects(open(stage, protocols), /Unexpected server response: 400/)
    }
  })

  conforms('packets and frames need not begin together', ALL, async (stage) => {
    const { version } = stage
    const { socket, names } = await open(stage)
    const all = Buffer.concat([
      connectOf(stage.credential(), { version }),
      subscribePacket(version, 1, [[stage.topic(), 0]]),
      publishPacket(version, { topic: stage.topic('elsewhere'), qos: 1 }),
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

  conforms('a text frame ends the connection', ALL, async (stage) => {
    const { socket, names } = await open(stage)
    socket.send(connectOf(stage.credential(), { version: stage.version }))
    assert.deepEqual(await names(1), ['CONNACK'])
    socket.send('text')
    await once(socket, 'close')
  })
})
