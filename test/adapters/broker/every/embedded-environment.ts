/** The embedded broker as a place for the checks of every broker. */
import { EmbeddedBroker } from '../../../../src/adapters/broker/embedded/broker.ts'
import { freePorts } from '../free-ports.ts'
import { Fleet } from './fleet.ts'
import type { BrokerEnvironment } from './environment.ts'

export async function embeddedEnvironment(): Promise<BrokerEnvironment> {
  const fleet = new Fleet()
  const ignore = (): void => {}
  const [port = 0] = await freePorts(1)
  const open = async (): Promise<EmbeddedBroker> => {
    const broker = new EmbeddedBroker({
      host: '127.0.0.1',
      ports: { tcp: port },
      log: { warn: ignore, error: ignore },
    })
    await broker.start(fleet)
    return broker
  }
  let broker = await open()
  return {
    port,
    add: (workspaceId, rules) => Promise.resolve(fleet.add(workspaceId, rules)),
    async regrant(credential, rules) {
      credential.grant = { ...credential.grant, rules }
      await broker.regrant(credential.username, rules)
    },
    deny: ({ username: name }) => void fleet.suspended.add(name),
    suspend(credential) {
      fleet.suspended.add(credential.username)
      return broker.disconnect(credential.username, 'not_authorized')
    },
    resume(credential) {
      fleet.suspended.delete(credential.username)
      return Promise.resolve()
    },
    async remove({ username }) {
      fleet.credentials.delete(username)
      await broker.disconnect(username, 'not_authorized')
    },
    async renew({ username }) {
      fleet.renew(username)
      await broker.disconnect(username, 'administrative')
    },
    kick: ({ username }) => broker.disconnect(username, 'administrative'),
    endOlder({ username }, { clientId }) {
      const older = broker.connections(username).filter((one) => one.clientId !== clientId)
      const ids = older.map(({ sessionId }) => sessionId)
      return broker.disconnect(username, 'administrative', ids)
    },
    verify: async (credential) => {
      const decision = await fleet.authorize(credential.username, credential.clientId)
      return decision.accepted || broker.connections(credential.username).length === 0
    },
    connections: ({ username }) =>
      Promise.resolve(
        broker.connections(username).map((session) => ({ ...session, principalId: username })),
      ),
    publish: (message) => broker.publish(message),
    async restart() {
      await broker.stop()
      broker = await open()
    },
    stop: () => broker.stop(),
  }
}
