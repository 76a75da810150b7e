/**
 * A fleet that connects to the embedded broker with its real credentials, cold (the process has
 * never seen the device and reads it) and warm (decided from memory). Presence is written
 * meanwhile, as in production.
 *
 * There are two limits: the same service with authentication bypassed, which still maintains
 * presence, the connection list and the connection log; and a broker without any of that, for the
 * cost of protocol and sockets alone.
 */
import type { MqttLoadProgram } from './programs/mqtt-load.ts'
import type { OpenBrokerProgram } from './programs/open-broker.ts'
import type { Bench, Comparison, Side } from './support/comparison.ts'

const DEVICES = 10_000
const FLEETS = 8
const CONNECTING_AT_ONCE = 64

export const mqttConnect: Bench = {
  name: 'mqtt-connect',
  async prepare(fixture): Promise<Comparison[]> {
    const database = await fixture.newDatabase(DEVICES * FLEETS)
    const { ports, settle } = await fixture.startService(database)
    const outsiders = await fixture.newDatabase(DEVICES)
    const lax = await fixture.startService(outsiders, {}, { letIn: outsiders.workspace.id })
    const open = fixture.start<OpenBrokerProgram>('bench/programs/open-broker.ts')
    const openPort = await open.call('start', undefined)
    const load = fixture.start<MqttLoadProgram>('bench/programs/mqtt-load.ts')
    await load.call('load', { devices: [...database.devices, ...outsiders.devices] })
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
    const unlooked: Side = async (seconds) => {
      const rate = await connect(lax.ports.mqtt, FLEETS, seconds)
      await lax.settle()
      return rate
    }
    const common = { unit: 'CONNECTs', aim: 0.9, settle }
    const without = { against: 'the same service without authentication', limit: unlooked }
    const alone = { against: 'a broker that does nothing else', limit: bare }
    return [
      { name: 'connect over MQTT, cold', ...common, ...alone, ours: cold },
      { name: 'connect over MQTT, warm', ...common, ...alone, ours: warm },
      { name: 'connect over MQTT, warm', ...common, ...without, ours: warm },
    ]
  },
}
