/**
 * A fleet that connects to the embedded broker with its real credentials, cold (the process has
 * never seen the device and reads it) and warm (decided from memory). Presence is written
 * meanwhile, as in production.
 *
 * The limit is a broker that does nothing else: protocol and sockets.
 */
import type { MqttLoadProgram } from './programs/mqtt-load.ts'
import type { OpenBrokerProgram } from './programs/open-broker.ts'
import type { Bench, Comparison, Side } from './support/comparison.ts'

const DEVICES = 10_000
const FLEETS = 8
const CONNECTING_AT_ONCE = 64

export const mqttConnect: Bench = {
  name: 'mqtt-connect',
  topic: 'Connections',
  async prepare(fixture): Promise<Comparison[]> {
    const database = await fixture.newDatabase(DEVICES * FLEETS)
    const { ports, settle } = await fixture.startService(database)
    const open = fixture.start<OpenBrokerProgram>('bench/programs/open-broker.ts')
    const openPort = await open.call('start', undefined)
    const load = fixture.start<MqttLoadProgram>('bench/programs/mqtt-load.ts')
    await load.call('load', { devices: database.devices })
    const connect = async (port: number, fleet: number, seconds: number): Promise<number> => {
      const from = fleet * DEVICES
      const options = { port, from, count: DEVICES, clients: CONNECTING_AT_ONCE, seconds }
      const rate = await load.call('connect', options)
      await load.call('leave', undefined)
      return rate
    }
    let unseen = 0
    const cold: Side = (seconds) => connect(ports.mqtt, unseen++ % FLEETS, seconds)
    const warm: Side = (seconds) => connect(ports.mqtt, 0, seconds)
    const bare: Side = (seconds) => connect(openPort, 0, seconds)
    const common = {
      unit: 'CONNECTs',
      aim: 0.9,
      settle,
      against: 'a broker that does nothing else',
      limit: bare,
    }
    return [
      { name: 'connect over MQTT, cold', ...common, ours: cold },
      { name: 'connect over MQTT, warm', ...common, ours: warm },
    ]
  },
}
