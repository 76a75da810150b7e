/**
 * Full buffers: messages of a bridge wait for room, since they have been acknowledged; messages of
 * the embedded broker are dropped, and counted.
 */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { CommandDelivery } from '../../../../src/features/devices/commands/command-delivery.ts'
import { ConfigDelivery } from '../../../../src/features/devices/config/config-delivery.ts'
import { BridgedDevices } from '../../../../src/features/mqtt/bridges/bridged-devices.ts'
import { Presence, presenceOfMessages } from '../../../../src/features/mqtt/sessions/presence.ts'
import type { DeviceSubscriber } from '../../../../src/features/mqtt/sessions/session-events.ts'
import type { DeviceSession } from '../../../../src/features/mqtt/sessions/session-registry.ts'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { formatId, newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import type { TestApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import { listen, registerDevice, sendCommand, staff } from '../../../support/commands.ts'

const messageTo = (topic: string, value: unknown) =>
  ({ topic, payload: Buffer.from(JSON.stringify(value)), qos: 1, retain: false }) as const

/** A device, and what it says over a bridge: each resolves when it is acknowledged. */
async function bridged(app: TestApp, subscriber: DeviceSubscriber) {
  const fleet = await registerDevice(app)
  const device: DeviceSession = {
    workspaceId: parseId('ws', app.seed.id) ?? '',
    deviceId: parseId('dev', fleet.device_id) ?? '',
    topicPrefix: fleet.topic,
  }
  const { db, clock } = app.services
  const found = new Map([[fleet.topic, { device, isFirst: false }]])
  const prefixes = { find: () => Promise.resolve(found), noteConnected() {} }
  const presence = new Presence({ db, clock, nodeId: newUuid() })
  const failed = (error: unknown): void => assert.fail(String(error))
  const services = { prefixes, subscribers: [presenceOfMessages(presence), subscriber], clock }
  const devices = new BridgedDevices('external', services, failed)
  const say = (name: string, value: unknown): Promise<void> =>
    devices.received({ ...messageTo(`${fleet.topic}/${name}`, value), isOld: false })
  return { fleet, device, say }
}

/** Nothing is written to the table until the returned function is called. */
async function holdTable(t: TestContext, app: TestApp, table: string): Promise<() => void> {
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const held = app.services.db.transaction(async (trx) => {
    await trx.query(unnamed(`LOCK TABLE ${table} IN EXCLUSIVE MODE`), [])
    locked.resolve()
    await released.promise
  })
  defer(t, async () => {
    released.resolve()
    await held
  })
  await locked.promise
  return released.resolve
}

const unknown = () => ({ id: formatId('cmd', newUuid()), ok: true })
const warn = (_message: string, error: unknown): void => assert.fail(String(error))
const publisher = { publish: () => Promise.resolve() }

suite('a bridge, when buffers are full', () => {
  const appOf = useApp()

  const commandsOf = ({ services: { db, feed } }: TestApp) =>
    new CommandDelivery({ db, feed, publisher, log: warn })

  /** A command that the device of the subscriber has got. */
  async function sentTo(t: TestContext, app: TestApp, commands: CommandDelivery) {
    const talking = await bridged(app, commands)
    const { heard } = await listen(t, talking.fleet)
    const { id } = await sendCommand(app, talking.fleet)
    await until('the command is there', () => heard.length > 0)
    const status = async () => {
      const path = `${talking.fleet.path}/${id}`
      return (await app.call('GET', path, { as: staff(app) })).body.status
    }
    return { ...talking, id, status }
  }

  test('a response that comes after many others of its device is stored when it is acknowledged', async (t) => {
    const app = appOf()
    const { say, id, status } = await sentTo(t, app, commandsOf(app))
    const others = Array.from({ length: 150 }, () => say('ack', unknown()))
    await say('ack', { id, ok: true })
    assert.equal(await status(), 'acknowledged')
    await Promise.all(others)
  })

  test('a response that comes while those of others wait for the database is stored when it is acknowledged', async (t) => {
    const app = appOf()
    const commands = commandsOf(app)
    const { say, id, status, device } = await sentTo(t, app, commands)
    const ids = Array.from({ length: 100 }, newUuid)
    const release = await holdTable(t, app, 'device_commands')
    for (let at = 0; at < 10_000; at += 1) {
      const topicPrefix = `acme/${at % 100}`
      const other = { ...device, deviceId: ids[at % 100] ?? '', topicPrefix }
      commands.published(other, messageTo(`${topicPrefix}/ack`, unknown()))
    }
    const { topicPrefix } = device
    assert.equal(commands.dropped, 0)
    commands.published(device, messageTo(`${topicPrefix}/ack`, unknown()))
    commands.published(device, messageTo(`${topicPrefix}/ack`, 'no response'))
    assert.equal(commands.dropped, 1)
    const acknowledged = say('ack', { id, ok: true })
    release()
    await acknowledged
    assert.equal(await status(), 'acknowledged')
  })

  test('a report that comes while those of others wait for the database is stored when it is acknowledged', async (t) => {
    const app = appOf()
    const { db, feed, clock } = app.services
    const configs = new ConfigDelivery({ db, feed, clock, publisher, log: warn })
    const { say, fleet, device } = await bridged(app, configs)
    const release = await holdTable(t, app, 'device_config_reports')
    for (let at = 0; at < 20_000; at += 1) {
      const other = { ...device, deviceId: newUuid(), topicPrefix: 'acme/other' }
      configs.published(other, messageTo('acme/other/config/status', { status: 'applied' }))
    }
    const topic = `${device.topicPrefix}/config/status`
    assert.equal(configs.dropped, 0)
    configs.published(device, messageTo(topic, { status: 'applied' }))
    configs.published(device, messageTo(topic, 'no report'))
    assert.equal(configs.dropped, 1)
    const acknowledged = say('config/status', { status: 'applied', version: 7 })
    release()
    await acknowledged
    const path = `/workspaces/${app.seed.id}/devices/${fleet.device_id}/config`
    const { body } = await app.call('GET', path, { as: staff(app) })
    assert.equal(body.reported?.version, 7)
  })
})
