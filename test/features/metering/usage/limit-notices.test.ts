/** The reasons for MQTT 5 clients that a limit refuses, and the clients that receive nothing. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { IClientOptions, IPublishPacket, MqttClient, Packet } from 'mqtt'
import mqtt from 'mqtt'
import { defer } from '../../../support/cleanup.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { useBilledTenants } from '../../../support/billing.ts'
import { connectDevice, type DeviceLogin } from '../../../support/mqtt.ts'
import { examplePlans, plansFile } from '../../../support/plans.ts'
import { until } from '../../../support/until.ts'

const limits = { connected_devices: 2, messages_per_month: 3 }

const file = examplePlans()
const [free] = file.plans as [(typeof file.plans)[number]]
const environment = { MOORING_PLANS_FILE: plansFile({ ...file, plans: [{ ...free, limits }] }) }

type Device = DeviceLogin & { device_key: string }

async function register({ call, seed, app }: TestApp): Promise<Device> {
  const { status, body } = await call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: { template_id: seed.template.id },
  })
  assert.ok(status < 300, JSON.stringify(body))
  return { ...body, mqtt_port: app.ports.mqtt }
}

interface Received {
  reasonCode?: number
  properties?: { reasonString?: string; userProperties?: Record<string, string> }
}

/** The next packet of a kind that comes to a client. */
const next = (client: MqttClient, cmd: Packet['cmd']): Promise<Received> =>
  new Promise((resolve) => {
    client.on('packetreceive', (packet) => packet.cmd === cmd && resolve(packet as Received))
  })

const v5 = (properties: IClientOptions['properties'] = {}): IClientOptions => ({
  protocolVersion: 5,
  properties,
})

/** Clients that want no reason strings, or accept no packet with room for them. */
const modest = [v5({ requestProblemInformation: false }), v5({ maximumPacketSize: 100 })]

describe('a limit that refuses', () => {
  const start = useBilledTenants({ environment })

  test('a CONNECT names itself, value and use', async (t) => {
    const app = await start(t)
    const devices = await Promise.all([register(app), register(app), register(app)])
    const [one, two, last] = devices as [Device, Device, Device]
    await Promise.all([connectDevice(t, one), connectDevice(t, two)])
    const refused = (options: IClientOptions): Promise<Received> => {
      const { device_id: id, mqtt_password: password, mqtt_port: port } = last
      const login = { host: '127.0.0.1', port, username: id, password, clientId: id }
      const client = mqtt.connect({ ...login, reconnectPeriod: 0, ...options })
      defer(t, () => client.end(true))
      client.on('error', () => {})
      return next(client, 'connack')
    }
    const { reasonCode, properties } = await refused(v5())
    assert.equal(reasonCode, 0x97)
    assert.equal(
      properties?.reasonString,
      'The limit connected_devices of the plan, 2, is used up: 2 were used. It is free again once another device has gone.',
    )
    const facts = { limit: 'connected_devices', value: '2', use: '2' }
    assert.deepEqual({ ...properties?.userProperties }, facts)
    for (const options of modest) {
      const received = await refused(options)
      assert.deepEqual([received.reasonCode, received.properties?.reasonString], [0x97, undefined])
    }
  })

  test('a message names itself, value, use and when it is free again', async (t) => {
    const app = await start(t)
    const device = await register(app)
    const topic = `${app.seed.slug}/${device.device_key}/telemetry`
    const session = (options: IClientOptions, n = 0): Promise<MqttClient> =>
      connectDevice(t, device, { ...options, clientId: `${device.device_id}:${n}` })
    const client = await session(v5())
    for (let n = 0; n < limits.messages_per_month; n += 1) {
      await client.publishAsync(topic, 'x', { qos: 1 })
    }
    const { usage } = app.services
    await until('the limit is used up', async () => {
      await usage.flush()
      const meter = usage.meterOf({ workspaceId: app.seed.uuid, templateId: null })
      return meter.workspace.publishSpent !== undefined
    })
    const refused = async (to: MqttClient, qos: IPublishPacket['qos']): Promise<Received> => {
      const received = next(to, qos === 1 ? 'puback' : 'pubrec')
      await assert.rejects(to.publishAsync(topic, 'x', { qos }), { code: 0x97 })
      return received
    }
    for (const qos of [1, 2] as const) {
      const { properties } = await refused(client, qos)
      const { reset_seconds, ...facts } = properties?.userProperties ?? {}
      assert.deepEqual(facts, { limit: 'messages_per_month', value: '3', use: '3' })
      assert.ok(Number(reset_seconds) > 0 && Number(reset_seconds) <= 31 * 86_400)
      assert.equal(
        properties?.reasonString,
        `The limit messages_per_month of the plan, 3, is used up: 3 were used. It is free again in ${reset_seconds} s.`,
      )
    }
    for (const [n, options] of modest.entries()) {
      const { properties } = await refused(await session(options, n + 1), 1)
      assert.deepEqual(
        [properties?.reasonString, properties?.userProperties],
        [undefined, undefined],
      )
    }
  })
})
