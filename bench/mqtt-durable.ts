/**
 * The cost of MQTT sessions that outlast the process: QoS 1 of a hundred clients, counted when it
 * is acknowledged, which is after the commit. The limit is the same broker without a store.
 */
import type { MessageLoadProgram } from './programs/message-load.ts'
import type { OpenBrokerProgram } from './programs/open-broker.ts'
import type { Bench, Comparison, Side } from './support/comparison.ts'

const PUBLISHERS = 100

export const mqttDurable: Bench = {
  name: 'mqtt-durable',
  topic: 'Connections',
  async prepare(fixture): Promise<Comparison[]> {
    const { connection, workspace } = await fixture.newDatabase(0)
    const storing = fixture.start<OpenBrokerProgram>('bench/programs/open-broker.ts')
    const stored = { connection, workspaceId: workspace.id }
    const storedPort = await storing.call('start', stored)
    const open = fixture.start<OpenBrokerProgram>('bench/programs/open-broker.ts')
    const openPort = await open.call('start', undefined)
    const load = fixture.start<MessageLoadProgram>('bench/programs/message-load.ts')
    const [reader, ...publishers] = Array.from({ length: PUBLISHERS + 1 }, (_, number) => ({
      id: `client-${number}`,
      mqttPassword: `password ${number}`,
    }))
    const flow = {
      qos: 1,
      counted: 'acknowledgements',
      publishers,
      filter: 'bench/#',
      keepsSessions: true,
    } as const
    const side = (port: number, isRetained: boolean): Side => {
      // A subscriber would first get the retained ones of the run before.
      const subscribers = isRetained || reader === undefined ? [] : [reader]
      return (seconds) =>
        load.call('flow', { flow: { ...flow, port, isRetained, subscribers }, seconds })
    }
    return [false, true].map((isRetained) => ({
      name: isRetained ? 'retained messages, QoS 1' : 'messages to a stored session, QoS 1',
      unit: 'messages',
      against: 'sessions in memory',
      aim: 0.3,
      ours: side(storedPort, isRetained),
      limit: side(openPort, isRetained),
    }))
  },
}
