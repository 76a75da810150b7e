/** Tests of every broker: the sessions of clients that leave, return and replace each other. */
import assert from 'node:assert/strict'
import { eventually } from '../eventually.ts'
import { connected, durable, gets, publish, subscribe } from '../mqtt-clients.ts'
import { allow } from '../test-authority.ts'
import { isRefused } from './admission.ts'
import { type Checks, say } from './environment.ts'

export const sessionChecks: Checks = {
  'lets the later of two connections of one client id take over': async (t, place, version) => {
    const credential = await place.add('ws_over')
    const old = await connected(t, place.port, credential, { protocolVersion: version })
    const young = await connected(t, place.port, credential, { protocolVersion: version })
    await eventually(() => old.closed, 'the end of the old session')
    await subscribe(young, 'ws_over/x')
    await say(place, 'ws_over/x', 'here')
    await gets(young, 'ws_over/x=here')
  },

  'keeps one connection of a client id when many connect at once': async (t, place, version) => {
    const credential = await place.add('ws_over')
    const tries = Array.from({ length: 10 }, () =>
      connected(t, place.port, credential, { protocolVersion: version }).catch(() => undefined),
    )
    const clients = (await Promise.all(tries)).filter((client) => client !== undefined)
    await eventually(() => clients.filter(({ closed }) => !closed).length === 1, 'one client')
  },

  'delivers missed messages to a durable session': async (t, place, version) => {
    const workspace = `ws_durable${version}`
    const credential = await place.add(workspace)
    const first = await connected(t, place.port, credential, durable(version))
    await subscribe(first, `${workspace}/x`, 1)
    await first.client.endAsync()
    await say(place, `${workspace}/x`, 'missed')
    const second = await connected(t, place.port, credential, durable(version))
    await gets(second, `${workspace}/x=missed`)
  },

  'delivers no missed messages to a clean session': async (t, place, version) => {
    const workspace = `ws_clean${version}`
    const credential = await place.add(workspace)
    const first = await connected(t, place.port, credential, { protocolVersion: version })
    await subscribe(first, `${workspace}/x`, 1)
    await first.client.endAsync()
    await say(place, `${workspace}/x`, 'missed')
    const second = await connected(t, place.port, credential, { protocolVersion: version })
    await subscribe(second, `${workspace}/x`, 1)
    await say(place, `${workspace}/x`, 'live')
    await gets(second, `${workspace}/x=live`)
    assert.deepEqual(second.messages, [`${workspace}/x=live`])
  },

  'gives a resumed session the present rights, not those of before': async (t, place, version) => {
    const workspace = `ws_narrow${version}`
    const credential = await place.add(workspace)
    const first = await connected(t, place.port, credential, durable(version))
    await subscribe(first, [`${workspace}/open`, `${workspace}/secret`], 1)
    await first.client.endAsync()
    await place.regrant(credential, [allow(`${workspace}/open`)])
    await say(place, `${workspace}/secret`, 'while away')
    const second = await connected(t, place.port, credential, durable(version))
    await subscribe(second, `${workspace}/open`, 1)
    await say(place, `${workspace}/secret`, 'live')
    await say(place, `${workspace}/open`, 'live')
    await gets(second, `${workspace}/open=live`)
    assert.deepEqual(
      second.messages.filter((message) => message.startsWith(`${workspace}/secret`)),
      [],
    )
  },

  'does not deliver messages that were queued before their right was lost': async (
    t,
    place,
    version,
  ) => {
    const workspace = `ws_queue${version}`
    const credential = await place.add(workspace)
    const first = await connected(t, place.port, credential, durable(version))
    await subscribe(first, `${workspace}/secret`, 1)
    await first.client.endAsync()
    await say(place, `${workspace}/secret`, 'queued')
    await place.regrant(credential, [allow(`${workspace}/open`)])
    const second = await connected(t, place.port, credential, durable(version))
    await subscribe(second, `${workspace}/open`, 1)
    await say(place, `${workspace}/open`, 'live')
    await gets(second, `${workspace}/open=live`)
    assert.deepEqual(second.messages, [`${workspace}/open=live`])
  },

  'accepts principals, and refuses others, after a restart': async (t, place, version) => {
    const [good, bad] = [await place.add('ws_again'), await place.add('ws_again')]
    await place.suspend(bad)
    await place.restart()
    const watched = await connected(t, place.port, good, { protocolVersion: version })
    await subscribe(watched, 'ws_again/x', 1)
    await publish(watched, 'ws_again/x', { qos: 1 }, 'here')
    await gets(watched, 'ws_again/x=here')
    await isRefused(t, place, bad, version)
    await isRefused(t, place, { ...good, password: 'wrong' }, version)
  },
}
