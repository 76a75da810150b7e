/**
 * A fleet that connects to the embedded broker with its real credentials, cold (the process has
 * never seen the device: a point read each) and warm (it has: decided from memory). Presence is
 * written all the while, as in production.
 *
 * The limit is the same broker with an authority that lets everybody in without looking and
 * remembers nothing: what the protocol and the sockets alone cost on this machine.
 */
import type { MqttLoadProgram } from './programs/mqtt-load.ts'
import type { OpenBrokerProgram } from './programs/open-broker.ts'
import type { Bench, Side } from './support/comparison.ts'

const DEVICES = 10_000
const FLEETS = 8
const CONNECTING_AT_ONCE = 64

export const mqttConnect: Bench = {
  name: 'mqtt-connect',
  async prepare(stage) {
    const database = await stage.newDatabase(DEVICES * FLEETS)
    const { devices } = database
    const { ports, settle } = await stage.startService(database)
    const open = stage.start<OpenBrokerProgram>('bench/programs/open-broker.ts')
    const openPort = await open.call('start', undefined)
    const load = stage.start<MqttLoadProgram>('bench/programs/mqtt-load.ts')
    await load.call('load', { devices })
    const connect = async (port: number, fleet: number, seconds: number): Promise<number> => {
      const from = (fleet % FLEETS) * DEVICES
      const options = { port, from, count: DEVICES, clients: CONNECTING_AT_ONCE, seconds }
      const rate = await load.call('connect', options)
      await load.call('leave', undefined)
      return rate
    }
    let unseen = 0
    const cold: Side = (seconds) => connect(ports.mqtt, unseen++, seconds)
    const warm: Side = (seconds) => connect(ports.mqtt, 0, seconds)
    const limit: Side = (seconds) => connect(openPort, 0, seconds)
    const against = 'the same broker without authentication'
    const common = { unit: 'CONNECTs', against, aim: 0.9, limit, settle }
    return [
      { name: 'connect over MQTT, cold', ...common, ours: cold },
      { name: 'connect over MQTT, warm', ...common, ours: warm },
    ]
  },
}
