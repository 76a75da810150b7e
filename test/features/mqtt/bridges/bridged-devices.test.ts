/** Messages over a bridge while the database is away, and old ones: nothing is lost, or made up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BridgedMessage } from '../../../../src/adapters/broker/bridge-port.ts'
import { BridgedDevices } from '../../../../src/features/mqtt/bridges/bridged-devices.ts'
import type { PrefixedDevice } from '../../../../src/features/mqtt/bridges/device-prefixes.ts'
import type { DeviceSubscriber } from '../../../../src/features/mqtt/sessions/session-events.ts'
import { systemClock } from '../../../../src/platform/lib/clock.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { until } from '../../../support/until.ts'

const topicPrefix = 'acme/pump'

function listening(
  find: () => Promise<ReadonlyMap<string, PrefixedDevice>>,
  store: () => Promise<void> = () => Promise.resolve(),
  others: readonly DeviceSubscriber[] = [],
) {
  const seen: string[] = []
  const failures: unknown[] = []
  const prefixes = { find, noteConnected() {} }
  const subscriber: DeviceSubscriber = {
    appeared: () => void seen.push('appeared'),
    vanished: () => void seen.push('vanished'),
    published: (_device, { topic }) => void seen.push(topic),
    store,
  }
  const services = { prefixes, subscribers: [...others, subscriber], clock: systemClock }
  const devices = new BridgedDevices('external', services, (error) => failures.push(error))
  const say = (name: string, text: string, isOld = false): Promise<void> => {
    const message: BridgedMessage = {
      topic: `${topicPrefix}/${name}`,
      payload: Buffer.from(text),
      qos: 1,
      retain: isOld,
      isOld,
    }
    return devices.received(message)
  }
  return { devices, seen, failures, say }
}

const device = { workspaceId: newUuid(), deviceId: newUuid(), topicPrefix }
const known = new Map([[topicPrefix, { device, isFirst: false }]])

test('a message that comes while the database is away is handled when it is back', async () => {
  let asked = 0
  const { seen, failures, say } = listening(async () => {
    asked += 1
    if (asked === 1) throw new Error('the database is away')
    return known
  })
  await say('state', '{}')
  assert.deepEqual(seen, ['appeared', `${topicPrefix}/state`])
  assert.equal(failures.length, 1)
})

test('messages that could not be processed before the bridge ended are left to the next process', async () => {
  let isBack = false
  const { devices, seen, failures, say } = listening(async () => {
    if (!isBack) throw new Error('the database is away')
    return known
  })
  const taken = say('state', '{}')
  await until('the first failure', () => failures.length === 1)
  devices.leave()
  isBack = true
  await taken
  assert.deepEqual(seen, [])
})

test('an old DISCONNECT ends no session that began on another broker since', async () => {
  const { seen, say } = listening(() => Promise.resolve(known))
  await say('presence', 'OFFLINE', true)
  assert.deepEqual(seen, [])
  await say('presence', 'ONLINE', true)
  await say('presence', 'OFFLINE', true)
  assert.deepEqual(seen, ['appeared', 'vanished'])
})

test('the last message of a refused device ends its session, and has no other effect', async () => {
  const found = new Map(known)
  const { seen, say } = listening(() => Promise.resolve(found))
  await say('presence', 'ONLINE')
  found.clear()
  await say('state', '{}')
  assert.deepEqual(seen, ['appeared', 'vanished'])
  await say('presence', 'ONLINE')
  assert.deepEqual(seen, ['appeared', 'vanished'])
})

test('a message is done once what it says is stored, and each that came meanwhile later', async () => {
  const storing: PromiseWithResolvers<void>[] = []
  const { seen, failures, say } = listening(
    () => Promise.resolve(known),
    () => {
      const next = Promise.withResolvers<void>()
      storing.push(next)
      return next.promise
    },
  )
  const done: string[] = []
  const said = [
    say('state', '1').then(() => done.push('first')),
    say('ack', '2').then(() => done.push('second')),
  ]
  await until('it is being stored', () => storing.length === 1)
  assert.deepEqual(done, [])
  storing[0]?.reject(new Error('the database is away'))
  await until('it is tried again', () => storing.length === 2)
  assert.deepEqual([done, failures.length], [[], 1])
  storing[1]?.resolve()
  await said[0]
  await until('the messages received meanwhile are stored', () => storing.length === 3)
  assert.deepEqual(done, ['first'])
  storing[2]?.resolve()
  await Promise.all(said)
  assert.deepEqual(
    [done, seen.slice(1)],
    [
      ['first', 'second'],
      ['acme/pump/state', 'acme/pump/ack'],
    ],
  )
})

test('a subscriber that throws keeps no event from the next one, and no message waiting', async () => {
  const fail = (): never => {
    throw new Error('a subscriber is broken')
  }
  const broken: DeviceSubscriber = {
    appeared: fail,
    vanished: fail,
    subscribed: fail,
    unsubscribed: fail,
    published: fail,
  }
  const found = new Map(known)
  const { devices, seen, failures, say } = listening(() => Promise.resolve(found), undefined, [
    broken,
  ])
  await say('state', '{}')
  await say('presence', 'OFFLINE')
  assert.deepEqual(seen, ['appeared', `${topicPrefix}/state`, 'vanished'])
  assert.equal(failures.length, 5)
  await say('presence', 'ONLINE')
  found.clear()
  await say('state', '{}')
  assert.deepEqual(seen.slice(3), ['appeared', 'vanished'])
  devices.presume(device)
  devices.leave()
  assert.equal(failures.length, 11)
})
