/**
 * A fleet that connects to the embedded broker with its real credentials, cold (the process has
 * never seen the device and reads it) and warm (decided from memory). Presence is written
 * meanwhile, as in production.
 *
 * The limits: the same broker with nothing behind it; aedes, which admits everyone; and Mosquitto
 * whose dynamic security has the passwords and rules of these devices, where it is installed.
 */
import type { BareAedesProgram } from './programs/bare-aedes.ts'
import type { MosquittoProgram } from './programs/mosquitto.ts'
import type { MqttLoadProgram } from './programs/mqtt-load.ts'
import type { OpenBrokerProgram } from './programs/open-broker.ts'
import type { Bench, Comparison, Side } from './support/comparison.ts'

const DEVICES = 10_000
const CONNECTING_AT_ONCE = 64

export const mqttConnect: Bench = {
  name: 'mqtt-connect',
  topic: 'Connections',
  async prepare(fixture, rounds): Promise<Comparison[]> {
    // Each round of the two cold lines needs devices that were never seen, and so does what comes
    // before the first one.
    const fleets = 2 * (rounds + 1)
    const database = await fixture.newDatabase(DEVICES * fleets)
    const { ports, settle } = await fixture.startService(database)
    const open = fixture.start<OpenBrokerProgram>('bench/programs/open-broker.ts')
    const openPort = await open.call('start', undefined)
    const aedes = fixture.start<BareAedesProgram>('bench/programs/bare-aedes.ts')
    const aedesPort = await aedes.call('start', undefined)
    const mosquitto = fixture.start<MosquittoProgram>('bench/programs/mosquitto.ts')
    const users = database.devices.slice(0, DEVICES)
    const mosquittoPort = await mosquitto.call('start', { users, by: 'dynamic security' })
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
    const cold: Side = (seconds) => connect(ports.mqtt, unseen++, seconds)
    const warm: Side = (seconds) => connect(ports.mqtt, 0, seconds)
    const limit =
      (port: number): Side =>
      (seconds) =>
        connect(port, 0, seconds)
    const common = { unit: 'CONNECTs', settle }
    const bare = { against: 'a broker that does nothing else', limit: limit(openPort), aim: 0.5 }
    const beta = { against: 'aedes alone', limit: limit(aedesPort), aim: 1 }
    const peers = (mosquittoPort === undefined ? [] : [mosquittoPort]).map((port) => ({
      name: 'connect over MQTT, warm',
      ...common,
      against: 'Mosquitto with dynamic security, 10,000 devices',
      ours: warm,
      limit: limit(port),
      aim: 0.6,
    }))
    return [
      { name: 'connect over MQTT, cold', ...common, ...bare, ours: cold },
      {
        name: 'connect over MQTT, cold',
        ...common,
        against: 'warm',
        ours: cold,
        limit: warm,
        aim: 0.6,
      },
      { name: 'connect over MQTT, warm', ...common, ...bare, ours: warm },
      { name: 'connect over MQTT, warm', ...common, ...beta, ours: warm },
      ...peers,
    ]
  },
}
