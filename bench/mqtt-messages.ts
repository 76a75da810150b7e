/**
 * Messages through the embedded broker: from a hundred publishers to one subscriber and from one to
 * a hundred, with QoS 0 and 1. Their senders and receivers have passwords and rules on both sides.
 * The limit is Mosquitto, where it is installed; else aedes, without passwords and rules.
 */
import type { BareAedesProgram } from './programs/bare-aedes.ts'
import type { Flow, MessageLoadProgram } from './programs/message-load.ts'
import type { MosquittoProgram, User } from './programs/mosquitto.ts'
import type { OpenBrokerProgram } from './programs/open-broker.ts'
import type { Fixture } from './support/environment.ts'
import type { Bench, Comparison, Side } from './support/comparison.ts'

const MANY = 100

/** Mosquitto with files of these users; where it is not installed, aedes. */
async function startOther(fixture: Fixture, users: readonly User[]) {
  const mosquitto = fixture.start<MosquittoProgram>('bench/programs/mosquitto.ts')
  const port = await mosquitto.call('start', { users, by: 'files' })
  if (port !== undefined) return { against: 'Mosquitto with passwords and rules', port }
  const aedes = fixture.start<BareAedesProgram>('bench/programs/bare-aedes.ts')
  return { against: 'aedes alone', port: await aedes.call('start', undefined) }
}

export const mqttMessages: Bench = {
  name: 'mqtt-messages',
  topic: 'Connections',
  async prepare(fixture): Promise<Comparison[]> {
    const users = Array.from({ length: MANY + 1 }, (_, number) => ({
      id: `client-${number}`,
      mqttPassword: `password ${number}`,
    }))
    const [one, ...many] = users as [User, ...User[]]
    const open = fixture.start<OpenBrokerProgram>('bench/programs/open-broker.ts')
    const port = await open.call('start', undefined)
    const other = await startOther(fixture, users)
    const load = fixture.start<MessageLoadProgram>('bench/programs/message-load.ts')
    const shapes: Record<string, Pick<Flow, 'publishers' | 'subscribers' | 'filter'>> = {
      [`messages from ${MANY} clients to one`]: {
        publishers: many,
        subscribers: [one],
        filter: 'bench/#',
      },
      [`messages from one client to ${MANY}`]: {
        publishers: [one],
        subscribers: many,
        filter: `bench/${one.id}/telemetry`,
      },
    }
    return Object.entries(shapes).flatMap(([name, shape]) =>
      ([0, 1] as const).map((qos) => {
        const side =
          (at: number): Side =>
          (seconds) =>
            load.call('flow', { flow: { port: at, qos, ...shape }, seconds })
        return {
          name: `${name}, QoS ${qos}`,
          unit: 'messages',
          against: other.against,
          aim: 0.9,
          ours: side(port),
          limit: side(other.port),
        }
      }),
    )
  },
}
