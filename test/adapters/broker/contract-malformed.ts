/** The part of the broker contract about hostile bytes: one connection ends, and nothing else. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Bench } from './broker-fixture.ts'
import { connected, gets, publish, subscribe } from './mqtt-clients.ts'
import { connectPacket, packet, properties, publishPacket, RawClient, text } from './raw-client.ts'

const bytes = (...values: number[]): Buffer => Buffer.from(values)
const twice = (part: Buffer): Buffer[] => [part, part]

/** Packets that end the connection of a client that was accepted, by what is wrong with them. */
function hostilePackets(version: number): [string, Buffer][] {
  const none = properties(version)
  const publish = (topic: string | Buffer, ...more: Buffer[]) =>
    packet(0x30, text(topic), version === 5 ? properties(5, ...more) : Buffer.alloc(0))
  const subscribe = (filter: string | Buffer, options = 1) =>
    packet(0x82, bytes(0, 1), none, text(filter), bytes(options))
  const all: [string, Buffer][] = [
    ['a second CONNECT', connectPacket({ version, clientId: 'x' })],
    ['NUL in a topic', publish('ws_raw/a\0b')],
    ['a topic that is not UTF-8', publish(bytes(0xc3, 0x28))],
    ['a wildcard in a topic', publish('ws_raw/#')],
    ['a topic longer than its packet', packet(0x30, bytes(0xff, 0xff), Buffer.from('ws_raw'))],
    ['an empty topic', publish('')],
    ['a QoS of 3', packet(0x36, text('ws_raw/a'), bytes(0, 1), none)],
    ['no packet identifier', packet(0x32, text('ws_raw/a'))],
    ['a packet identifier of zero', publishPacket({ version, topic: 'a', qos: 1, messageId: 0 })],
    ['NUL in a filter', subscribe('ws_raw/\0')],
    ['a wildcard within a level', subscribe('ws_raw/a+')],
    ['an empty filter', subscribe('')],
    ['a SUBSCRIBE without filters', packet(0x82, bytes(0, 1), none)],
    ['a SUBSCRIBE with reserved bits', packet(0x80, bytes(0, 1), none, text('a'), bytes(0))],
    ['an UNSUBSCRIBE without filters', packet(0xa2, bytes(0, 1), none)],
    ['a CONNACK from a client', packet(0x20, bytes(0, 0), none)],
    ['a reserved packet type', packet(0x00)],
    ['an AUTH', packet(0xf0, bytes(0x18), none)],
    ['a PUBACK without identifier', packet(0x40)],
    ['a length of five bytes', bytes(0x30, 0xff, 0xff, 0xff, 0xff, 0x01)],
    ['a packet of 256 MiB', bytes(0x30, 0xff, 0xff, 0xff, 0x7f)],
    ['a DISCONNECT', packet(0xe0)],
  ]
  if (version !== 5) return all
  const longExpiry = bytes(0x11, 0, 0, 0, 9)
  return [
    ...all,
    ['a topic alias of 0', publish('ws_raw/a', bytes(0x23, 0, 0))],
    ['a topic alias above the maximum', publish('ws_raw/a', bytes(0x23, 0xff, 0xff))],
    ['an alias that stands for nothing', publish('', bytes(0x23, 0, 1))],
    ['two topic aliases', publish('ws_raw/a', ...twice(bytes(0x23, 0, 1)))],
    ['a response topic with NUL', publish('ws_raw/a', bytes(0x08), text('a\0'))],
    ['a response topic with a wildcard', publish('ws_raw/a', bytes(0x08), text('ws_raw/#'))],
    ['two response topics', publish('ws_raw/a', ...twice(Buffer.concat([bytes(8), text('a')])))],
    ['a response topic cut short', publish('ws_raw/a', bytes(0x08, 0xff, 0xff))],
    ['a content type cut short', publish('ws_raw/a', bytes(0x03, 0xff, 0xff))],
    ['a subscription identifier in a message', publish('ws_raw/a', bytes(0x0b, 5))],
    ['a session expiry in a message', publish('ws_raw/a', longExpiry)],
    ['an unknown property', publish('ws_raw/a', bytes(0x7f, 1))],
    ['a session expiry twice', packet(0xe0, bytes(0), properties(5, ...twice(longExpiry)))],
    ['subscription identifier zero', packet(0x82, bytes(0, 1, 2, 0x0b, 0), text('a'), bytes(0))],
  ]
}

/** Packets that are no CONNECT at all, or a bad one. */
function hostileBeginnings(): [string, Buffer][] {
  const good = { version: 4, clientId: 'x', username: 'x', password: 'x' }
  const expiry = bytes(0x11, 0, 0, 0, 9)
  return [
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['TLS', bytes(0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03)],
    ['zeros', Buffer.alloc(64)],
    ['a PUBLISH', publishPacket({ version: 4, topic: 'ws_raw/a' })],
    ['a PINGREQ', packet(0xc0)],
    ['an unknown version', connectPacket({ ...good, version: 6 })],
    ['an unknown protocol', packet(0x10, text('MQTX'), bytes(4, 2, 0, 0), text('x'))],
    ['the reserved flag', packet(0x10, text('MQTT'), bytes(4, 3, 0, 0), text('x'))],
    ['a will of QoS 3', packet(0x10, text('MQTT'), bytes(4, 0x1e, 0, 0), text('x'))],
    ['no client id', packet(0x10, text('MQTT'), bytes(4, 2, 0, 0))],
    ['NUL in the client id', connectPacket({ ...good, clientId: 'a\0b' })],
    ['NUL in the user name', connectPacket({ ...good, username: 'a\0b' })],
    ['a client id that is not UTF-8', connectPacket({ ...good, clientId: bytes(0xff) })],
    ['a client id of 65,535 bytes', connectPacket({ ...good, clientId: 'x'.repeat(65_535) })],
    ['a session expiry twice', connectPacket({ ...good, version: 5, properties: twice(expiry) })],
    [
      'an authentication method',
      connectPacket({
        ...good,
        version: 5,
        properties: [bytes(0x15), text('SCRAM')],
      }),
    ],
    ['a CONNECT of 256 MiB', bytes(0x10, 0xff, 0xff, 0xff, 0x7f)],
  ]
}

export function malformedContract(bench: Bench): void {
  describe('malformed input', () => {
    for (const version of [4, 5]) {
      it(`ends its own connection only (v${version})`, async (t) => {
        const { authority, port } = bench
        const watched = await connected(t, port, authority.add('ws_raw'), { protocolVersion: 5 })
        await subscribe(watched, 'ws_raw/#', 1)
        const hostile = authority.add('ws_raw')
        for (const [name, wrong] of hostilePackets(version)) {
          const raw = await RawClient.accepted(t, port, hostile, { version })
          raw.send(wrong)
          await raw.isClosed().catch((error: unknown) => assert.fail(`${name}: ${String(error)}`))
        }
        await publish(watched, 'ws_raw/end', { qos: 1 })
        await gets(watched, 'ws_raw/end=x')
        assert.deepEqual(watched.messages, ['ws_raw/end=x'])
        assert.equal(watched.closed, false)
      })

      it(`may consist of odd names, which do no harm (v${version})`, async (t) => {
        const { authority, port } = bench
        const raw = await RawClient.accepted(t, port, authority.add('ws_raw'), { version })
        for (const name of [
          'constructor',
          '__proto__',
          'toString',
          'ws_raw/constructor',
          '/',
          ' ',
        ]) {
          const before = raw.received.length
          raw.send(packet(0xa2, bytes(0, 1), properties(version), text(name)))
          await raw.has((received) => received.length > before, `an UNSUBACK for ${name}`)
        }
        assert.equal(raw.closed, false)
      })
    }

    it('in place of a CONNECT is never answered with acceptance', async (t) => {
      const { port, authority } = bench
      for (const [name, wrong] of hostileBeginnings()) {
        const raw = new RawClient(t, port)
        raw.send(wrong)
        await raw.isClosed().catch((error: unknown) => assert.fail(`${name}: ${String(error)}`))
        assert.notEqual(raw.received[3] ?? 1, 0, name)
      }
      assert.equal(
        authority.events.some(({ session }) => session.clientId === 'x'),
        false,
      )
    })

    it('that ends anywhere in a CONNECT does no harm', async (t) => {
      const { port, authority } = bench
      const { clientId, username, password } = authority.add('ws_raw')
      const will = { topic: 'ws_raw/x' }
      const whole = connectPacket({ version: 5, clientId, username, password, will })
      for (let length = 0; length < whole.length; length += 1) {
        const raw = new RawClient(t, port)
        raw.socket.end(whole.subarray(0, length))
        await raw.isClosed()
        assert.equal(raw.received.length, 0)
      }
      const watched = await connected(t, port, authority.add('ws_raw'), { protocolVersion: 4 })
      assert.equal(watched.closed, false)
    })
  })
}
