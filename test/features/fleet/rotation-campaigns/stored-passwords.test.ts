/** Rotation campaigns where a broker keeps passwords: the known facts about their use. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { BridgedDevices } from '../../../../src/features/mqtt/bridges/bridged-devices.ts'
import { Presence, presenceOfMessages } from '../../../../src/features/mqtt/sessions/presence.ts'
import { brokerNamed, brokersFile } from '../../../adapters/broker/hooks/ask-hooks.ts'
import type { TestApp } from '../../../support/app.ts'
import type { SeededDevice } from '../../../support/credentials.ts'
import { useTenants } from '../../../support/suite-app.ts'
import {
  advance,
  age,
  base,
  codes,
  connect,
  me,
  owner,
  rotate,
  seedDevices,
  started,
} from './campaigns.ts'

const MINUTE = 60_000

suite('where a broker keeps passwords and reports no use of them', () => {
  const login = { url: 'mqtt://127.0.0.1:1', username: 'mooring', password: 'none' }
  const storing = { name: 'site', kind: 'mosquitto-dynsec', admin: login }
  const asking = brokerNamed('mosquitto-go-auth')
  const file = brokersFile([storing, asking])
  const tenant = useTenants({ environment: { MOORING_BROKERS_FILE: file } })

  interface Said {
    broker?: string
    /** From now, in milliseconds: two clocks are compared. */
    at?: number
    isRetained?: boolean
  }

  /** Devices publish `online` on their topic `presence`; a bridge hears it that has just begun. */
  async function connectThere(
    { services, seed }: TestApp,
    devices: readonly SeededDevice[],
    { broker = storing.name, at = MINUTE, isRetained = false }: Said = {},
  ): Promise<void> {
    const clock = { now: () => Date.now() + at }
    const presence = new Presence({ db: services.db, clock, nodeId: services.nodeId })
    const known = devices.map(({ uuid: deviceId }) => {
      const topicPrefix = `there/${deviceId}`
      const device = { workspaceId: seed.uuid, deviceId, topicPrefix }
      return [topicPrefix, { device, isFirst: false }] as const
    })
    const prefixes = { find: () => Promise.resolve(new Map(known)), noteConnected() {} }
    const failed = (error: unknown): void => assert.fail(String(error))
    const subscribers = [presenceOfMessages(presence)]
    const bridged = new BridgedDevices(broker, { prefixes, subscribers, clock }, failed)
    for (const [prefix] of known) {
      const topic = `${prefix}/presence`
      const payload = Buffer.from('online')
      const message = { topic, payload, qos: 1, retain: isRetained, isOld: isRetained } as const
      await bridged.received(message)
    }
  }

  test('a device that has connected again with new credentials is no failure', async (t) => {
    const app = await tenant(t)
    const devices = await seedDevices(app, 4)
    const order = { filter: '', wave_size: 2, pause_s: 0, max_failure_rate: 0.4 }
    const { id } = await started(app, order)
    const asked = devices.slice(0, 2)
    await connect(app, asked)
    for (const device of asked) await rotate(app, device)
    await connectThere(app, asked)
    assert.deepEqual((await advance(app, id)).counts.rotated, 2)
    await age(app, id)
    const next = await advance(app, id)
    assert.deepEqual([next.status, next.wave], ['running', 2])
    assert.deepEqual([next.counts.rotated, next.counts.failed], [2, 0])
    const { body } = await app.call('GET', `${base(app)}/${id}/devices?status=rotated`, owner(app))
    const ended = body.items.map((each: { code: string; ended_at: string }) => [
      each.code,
      each.ended_at !== null,
    ])
    assert.deepEqual(ended, [
      [null, true],
      [null, true],
    ])
  })

  /** One device of two is back; the other does something that does not show that. */
  async function doesNotCount(
    app: TestApp,
    other: (device: SeededDevice) => Promise<unknown>,
  ): Promise<void> {
    const [back, lost] = (await seedDevices(app, 3)) as [SeededDevice, SeededDevice]
    const order = { filter: '', wave_size: 2, pause_s: 0, max_failure_rate: 0.4 }
    const { id } = await started(app, order)
    await connectThere(app, [back, lost], { at: -MINUTE })
    await rotate(app, back)
    await rotate(app, lost)
    await connectThere(app, [back])
    await other(lost)
    await advance(app, id)
    await age(app, id)
    const halted = await advance(app, id)
    assert.deepEqual([halted.status, halted.wave], ['halted', 1])
    assert.deepEqual([halted.counts.rotated, halted.counts.failed], [1, 1])
    assert.deepEqual(await codes(app, id, 'failed'), [
      { device_id: lost.id, code: 'not_confirmed' },
    ])
  }

  test('a device that stays offline after it has fetched them is a failure, and halts the campaign', async (t) => {
    await doesNotCount(await tenant(t), () => Promise.resolve())
  })

  test('a device that connects again to a broker where the old ones still work is a failure', async (t) => {
    const app = await tenant(t)
    await doesNotCount(app, (lost) => connectThere(app, [lost], { broker: asking.name }))
  })

  test('a device of which another process finds only a retained message is a failure', async (t) => {
    const app = await tenant(t)
    await doesNotCount(app, (lost) => connectThere(app, [lost], { isRetained: true }))
  })

  test('a new token that is used after the time confirms the rotation, too', async (t) => {
    const app = await tenant(t)
    const [device] = (await seedDevices(app, 2)) as [SeededDevice]
    const order = { filter: '', wave_size: 1, pause_s: 3_600 }
    const { id } = await started(app, order)
    await connect(app, [device])
    const fresh = await rotate(app, device)
    await connectThere(app, [device])
    await advance(app, id)
    await age(app, id)
    assert.equal((await advance(app, id)).counts.rotated, 1)
    assert.equal((await me(app, fresh)).status, 200)
    const { counts } = await advance(app, id)
    assert.deepEqual([counts.rotated, counts.confirmed], [0, 1])
  })
})
