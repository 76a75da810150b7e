/** Tests of every broker: the clients that it admits. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { connected, refusal, subscribe, gets, type Version } from '../mqtt-clients.ts'
import { connectPacket, RawClient } from '../raw-client.ts'
import type { Credential } from '../test-authority.ts'
import { type Checks, type BrokerEnvironment, say } from './environment.ts'

/**
 * The codes for a refused client: client id not valid, bad user name or password, not authorized,
 * banned. Brokers choose among them as they like.
 */
const REFUSED: Readonly<Record<Version, readonly number[]>> = {
  4: [2, 4, 5],
  5: [0x85, 0x86, 0x87, 0x8a],
}

/** That a CONNECT is refused, in words that its client understands. */
export async function isRefused(
  t: TestContext,
  place: BrokerEnvironment,
  credential: Credential,
  version: Version,
): Promise<void> {
  const code = await refusal(t, place.port, credential, { protocolVersion: version })
  assert.ok(REFUSED[version].includes(code), `refused with ${code}`)
}

export const admissionChecks: Checks = {
  'lets a principal in with its password': async (t, place, protocolVersion) => {
    const credential = await place.add('ws_in')
    const { client } = await connected(t, place.port, credential, { protocolVersion })
    assert.equal(client.connected, true)
  },

  'refuses a wrong password, and an empty one': async (t, place, version) => {
    const credential = await place.add('ws_in')
    await isRefused(t, place, { ...credential, password: 'wrong' }, version)
    await isRefused(t, place, { ...credential, password: `${credential.password} ` }, version)
    await isRefused(t, place, { ...credential, password: '' }, version)
  },

  'refuses an unknown user': async (t, place, version) => {
    const credential = await place.add('ws_in')
    const username = 'dev_unknown'
    await isRefused(t, place, { ...credential, username, clientId: username }, version)
  },

  'refuses the password of another principal': async (t, place, version) => {
    const [one, other] = [await place.add('ws_in'), await place.add('ws_else')]
    await isRefused(t, place, { ...one, password: other.password }, version)
  },

  'refuses a CONNECT without a user name or a password': async (t, place, version) => {
    const { clientId, username, password } = await place.add('ws_in')
    const nameless = [
      { clientId },
      { clientId, username },
      { clientId, username: '', password },
      { clientId, username, password: '' },
    ]
    for (const options of nameless) {
      const raw = new RawClient(t, place.port)
      raw.send(connectPacket({ version, ...options }))
      await raw.isClosed()
      assert.notEqual(raw.received[3] ?? 1, 0, JSON.stringify(options))
    }
  },

  'refuses the client id of another principal, whose session continues': async (
    t,
    place,
    protocolVersion,
  ) => {
    const [victim, thief] = [await place.add('ws_in'), await place.add('ws_in')]
    const watched = await connected(t, place.port, victim, { protocolVersion })
    await subscribe(watched, 'ws_in/alive')
    for (let round = 0; round < 5; round += 1) {
      await isRefused(t, place, { ...thief, clientId: victim.clientId }, protocolVersion)
    }
    await say(place, 'ws_in/alive', 'still')
    await gets(watched, 'ws_in/alive=still')
    assert.equal(watched.closed, false)
  },

  "refuses a client id that is not the principal's": async (t, place, version) => {
    const credential = await place.add('ws_in')
    for (const clientId of ['other', `${credential.clientId}x`, 'a/b', '#']) {
      await isRefused(t, place, { ...credential, clientId }, version)
    }
  },

  'lets a principal have several sessions by suffixes of its client id': async (
    t,
    place,
    protocolVersion,
  ) => {
    const credential = await place.add('ws_in')
    const clientId = `${credential.clientId}:2`
    const one = await connected(t, place.port, credential, { protocolVersion })
    const two = await connected(t, place.port, credential, { protocolVersion, clientId })
    assert.deepEqual([one.closed, two.closed], [false, false])
  },

  'continues after a first packet that is no CONNECT': async (t, place, version) => {
    const good = { version, clientId: 'x', username: 'x', password: 'x' }
    const beginnings = [
      Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
      Buffer.alloc(64),
      Buffer.from([0x10, 0xff, 0xff, 0xff, 0xff, 0x01]),
      connectPacket({ ...good, version: 6 }),
      connectPacket({ ...good, clientId: 'a\0b' }),
      connectPacket({ ...good, username: 'a\0b' }),
      connectPacket({ ...good, clientId: Buffer.from([0xff]) }),
      connectPacket({ ...good, username: 'x'.repeat(65_535) }),
    ]
    for (const bytes of beginnings) {
      const raw = new RawClient(t, place.port)
      raw.send(bytes)
      raw.socket.end()
      await raw.isClosed()
      assert.notEqual(raw.received[3] ?? 1, 0)
    }
    await connected(t, place.port, await place.add('ws_in'), { protocolVersion: version })
  },
}
