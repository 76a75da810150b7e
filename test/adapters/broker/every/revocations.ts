/** Every broker: revoked rights are gone, also for connected clients. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../../support/until.ts'
import { eventually } from '../eventually.ts'
import {
  connected,
  durable,
  gets,
  publish,
  subscribe,
  type Version,
  type Watched,
} from '../mqtt-clients.ts'
import { allow, type Credential } from '../test-authority.ts'
import { isRefused } from './admission.ts'
import { type Checks, type BrokerEnvironment, say } from './environment.ts'

/** Waits, because the list of a broker may show a revocation a little later. */
async function verifies(place: BrokerEnvironment, credential: Credential): Promise<void> {
  await until('the revocation to be seen', () => place.verify(credential))
}

async function watchedOn(
  t: TestContext,
  place: BrokerEnvironment,
  credential: Credential,
  version: Version,
  topics: string[],
): Promise<Watched> {
  const watched = await connected(t, place.port, credential, { protocolVersion: version })
  await subscribe(watched, topics, 1)
  return watched
}

/** Queues a message for a durable session, revokes its rights, and reconnects its client. */
async function afterRevoke(
  t: TestContext,
  place: BrokerEnvironment,
  version: Version,
  revoke: (credential: Credential) => Promise<unknown>,
): Promise<string[]> {
  const workspace = `ws_after${version}`
  const credential = await place.add(workspace)
  const first = await connected(t, place.port, credential, durable(version))
  await subscribe(first, `${workspace}/x`, 1)
  await first.client.endAsync()
  await say(place, `${workspace}/x`, 'queued')
  await revoke(credential)
  await say(place, `${workspace}/x`, 'meanwhile')
  const second = await connected(t, place.port, credential, durable(version))
  await subscribe(second, `${workspace}/end`, 1)
  await say(place, `${workspace}/end`, 'end')
  await gets(second, `${workspace}/end=end`)
  return second.messages.filter((message) => !message.endsWith('=end'))
}

async function retainedAfter(
  t: TestContext,
  place: BrokerEnvironment,
  version: Version,
  revoke: (credential: Credential) => Promise<unknown>,
): Promise<string[]> {
  const workspace = `ws_kept${version}`
  const credential = await place.add(workspace)
  const topic = `${workspace}/${credential.username}`
  const writer = await connected(t, place.port, credential, { protocolVersion: version })
  await publish(writer, topic, { qos: 1, retain: true }, 'kept')
  await revoke(credential)
  const topics = [topic, `${workspace}/end`]
  const late = await watchedOn(t, place, await place.add(workspace), version, topics)
  await say(place, `${workspace}/end`, 'end')
  await gets(late, `${workspace}/end=end`)
  return late.messages.filter((message) => !message.endsWith('=end'))
}

const statusChecks: Checks = {
  'disconnects a suspended principal, and refuses it': async (t, place, version) => {
    const credential = await place.add('ws_suspend')
    const watched = await watchedOn(t, place, credential, version, ['ws_suspend/x'])
    await place.suspend(credential)
    await eventually(() => watched.closed, 'the disconnection')
    await isRefused(t, place, credential, version)
    await verifies(place, credential)
    await say(place, 'ws_suspend/x', 'after')
    assert.deepEqual(watched.messages, [])
  },

  'confirms a revocation only after it has happened': async (t, place, version) => {
    const credential = await place.add('ws_verify')
    await connected(t, place.port, credential, { protocolVersion: version })
    await seesSession(place, credential)
    place.deny(credential)
    assert.equal(await place.verify(credential), false)
    await place.suspend(credential)
    await verifies(place, credential)
  },

  'accepts a resumed principal with its earlier password': async (t, place, version) => {
    const credential = await place.add('ws_resume')
    await place.suspend(credential)
    await isRefused(t, place, credential, version)
    await place.resume(credential)
    const watched = await watchedOn(t, place, credential, version, ['ws_resume/x'])
    await publish(watched, 'ws_resume/x', { qos: 1 }, 'back')
    await gets(watched, 'ws_resume/x=back')
  },

  'disconnects a deleted principal, and refuses it': async (t, place, version) => {
    const credential = await place.add('ws_delete')
    const watched = await connected(t, place.port, credential, { protocolVersion: version })
    await place.remove(credential)
    await eventually(() => watched.closed, 'the disconnection')
    await isRefused(t, place, credential, version)
    await verifies(place, credential)
  },

  'refuses the password from before a reset': async (t, place, version) => {
    const credential = await place.add('ws_reset')
    const old = { ...credential }
    const watched = await connected(t, place.port, credential, { protocolVersion: version })
    await place.renew(credential)
    await eventually(() => watched.closed, 'the disconnection')
    await isRefused(t, place, old, version)
    await connected(t, place.port, credential, { protocolVersion: version })
  },

  'disconnects no other principal': async (t, place, version) => {
    const [one, other] = [await place.add('ws_alone'), await place.add('ws_alone')]
    const bystander = await watchedOn(t, place, other, version, ['ws_alone/x'])
    const watched = await connected(t, place.port, one, { protocolVersion: version })
    await place.suspend(one)
    await eventually(() => watched.closed, 'the disconnection')
    await say(place, 'ws_alone/x', 'still')
    await gets(bystander, 'ws_alone/x=still')
    assert.equal(bystander.closed, false)
  },

  'ends every session of a principal at once': async (t, place, version) => {
    const credential = await place.add('ws_both')
    const clientId = `${credential.clientId}:2`
    const one = await connected(t, place.port, credential, { protocolVersion: version })
    const two = await connected(t, place.port, credential, { protocolVersion: version, clientId })
    assert.equal(await place.suspend(credential), 2)
    await eventually(() => one.closed && two.closed, 'both disconnections')
  },

  'ends only older sessions of a principal with a newer secret': async (t, place, version) => {
    const credential = await place.add('ws_newer')
    const older = await connected(t, place.port, credential, { protocolVersion: version })
    await wait(20)
    const since = performance.now()
    const clientId = `${credential.clientId}:new`
    const newer = await connected(t, place.port, credential, { protocolVersion: version, clientId })
    await subscribe(newer, 'ws_newer/x', 1)
    assert.equal(await place.endOlder(credential, { since, clientId }), 1)
    await eventually(() => older.closed, 'the disconnection')
    await verifies(place, credential)
    await say(place, 'ws_newer/x', 'still')
    await gets(newer, 'ws_newer/x=still')
    assert.equal(newer.closed, false)
  },

  'lets a disconnected principal reconnect': async (t, place, version) => {
    const credential = await place.add('ws_kick')
    const watched = await connected(t, place.port, credential, { protocolVersion: version })
    await seesSession(place, credential)
    assert.equal(await place.kick(credential), 1)
    await eventually(() => watched.closed, 'the disconnection')
    await connected(t, place.port, credential, { protocolVersion: version })
    await verifies(place, credential)
    assert.equal((await place.connections(credential)).length <= 1, true)
  },

  'reports why it ends a session, in MQTT 5': async (t, place, version) => {
    const credential = await place.add('ws_code')
    const watched = await connected(t, place.port, credential, { protocolVersion: version })
    await place.suspend(credential)
    await eventually(() => watched.closed, 'the disconnection')
    const codes: unknown[] = version === 5 ? [0x87, 0x98] : [undefined]
    assert.ok(codes.includes(watched.disconnectCode))
  },
}

async function seesSession(place: BrokerEnvironment, credential: Credential): Promise<void> {
  await until('the session to be listed', async () => {
    return (await place.connections(credential)).length > 0
  })
}

const rightsChecks: Checks = {
  'delivers no more messages to a connected client that has lost the right': async (
    t,
    place,
    version,
  ) => {
    const workspace = `ws_lost${version}`
    const credential = await place.add(workspace)
    const topics = [`${workspace}/open`, `${workspace}/secret`]
    const watched = await watchedOn(t, place, credential, version, topics)
    await place.regrant(credential, [allow(`${workspace}/open`)])
    await say(place, `${workspace}/secret`, 'hidden')
    const open = [`${workspace}/open`]
    const again = await watchedOn(t, place, credential, version, open)
    await say(place, `${workspace}/open`, 'end')
    await gets(again, `${workspace}/open=end`)
    const got = [...watched.messages, ...again.messages]
    assert.equal(got.includes(`${workspace}/secret=hidden`), false)
  },

  'accepts no more messages of a connected client that has lost the right': async (
    t,
    place,
    version,
  ) => {
    const workspace = `ws_mute${version}`
    const spy = await watchedOn(t, place, await place.add(workspace), version, [`${workspace}/#`])
    const credential = await place.add(workspace)
    const watched = await connected(t, place.port, credential, { protocolVersion: version })
    assert.equal(await publish(watched, `${workspace}/x`, { qos: 1 }, 'before'), 0)
    await gets(spy, `${workspace}/x=before`)
    await place.regrant(credential, [allow(`${workspace}/open`)])
    void publish(watched, `${workspace}/x`, { qos: 1 }, 'after').catch(() => {})
    // Whatever was on its way has arrived before what the same client sends next.
    const again = await connected(t, place.port, credential, { protocolVersion: version })
    await publish(again, `${workspace}/open`, { qos: 1 }, 'end')
    await gets(spy, `${workspace}/open=end`)
    assert.equal(spy.messages.includes(`${workspace}/x=after`), false)
  },

  'gives new rights to a client that connects': async (t, place, version) => {
    const workspace = `ws_wide${version}`
    const credential = await place.add(workspace, [allow(`${workspace}/a`)])
    await place.regrant(credential, [allow(`${workspace}/a`), allow(`${workspace}/b`)])
    const topics = [`${workspace}/a`, `${workspace}/b`]
    const watched = await watchedOn(t, place, credential, version, topics)
    await publish(watched, `${workspace}/b`, { qos: 1 }, 'new')
    await gets(watched, `${workspace}/b=new`)
  },

  'ends no session for rights that are lost': async (t, place, version) => {
    const workspace = `ws_filter${version}`
    const credential = await place.add(workspace)
    const watched = await watchedOn(t, place, credential, version, [`${workspace}/open`])
    await place.regrant(credential, [allow(`${workspace}/open`)])
    await say(place, `${workspace}/open`, 'still')
    await gets(watched, `${workspace}/open=still`)
    assert.equal(watched.closed, false)
  },
}

const remainsChecks: Checks = {
  'delivers nothing that was queued before a disconnection': async (t, place, version) => {
    assert.deepEqual(await afterRevoke(t, place, version, (one) => place.kick(one)), [])
  },

  'delivers nothing that was queued before a suspension': async (t, place, version) => {
    const revoke = async (one: Credential): Promise<void> => {
      await place.suspend(one)
      await place.resume(one)
    }
    assert.deepEqual(await afterRevoke(t, place, version, revoke), [])
  },

  'does not deliver retained messages of a suspended principal': async (t, place, version) => {
    assert.deepEqual(await retainedAfter(t, place, version, (one) => place.suspend(one)), [])
  },

  'does not deliver retained messages of a deleted principal': async (t, place, version) => {
    assert.deepEqual(await retainedAfter(t, place, version, (one) => place.remove(one)), [])
  },

  'publishes no will of a suspended principal': async (t, place, version) => {
    const workspace = `ws_last${version}`
    const spy = await watchedOn(t, place, await place.add(workspace), version, [`${workspace}/#`])
    const credential = await place.add(workspace)
    const topic = `${workspace}/will`
    const will = { topic, payload: Buffer.from('gone'), qos: 1 as const, retain: false }
    const options = { protocolVersion: version, will }
    const watched = await connected(t, place.port, credential, options)
    await place.suspend(credential)
    await eventually(() => watched.closed, 'the disconnection')
    await say(place, `${workspace}/end`, 'end')
    await gets(spy, `${workspace}/end=end`)
    assert.deepEqual(spy.messages, [`${workspace}/end=end`])
  },

  'lists connected clients with their addresses and client ids': async (t, place, version) => {
    const credential = await place.add('ws_list')
    await connected(t, place.port, credential, { protocolVersion: version })
    await seesSession(place, credential)
    const [found, ...others] = await place.connections(credential)
    assert.deepEqual(others, [])
    assert.equal(found?.principalId, credential.username)
    assert.equal(found?.clientId, credential.clientId)
    assert.equal(found?.address, '127.0.0.1')
    assert.equal(found?.protocolVersion, version)
  },
}

export const revocationChecks: Checks = { ...statusChecks, ...rightsChecks, ...remainsChecks }
