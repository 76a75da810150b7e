/** The limit for CONNECTs: the same broker with an authority that admits everyone. */
import { createEmbeddedBroker } from '../../src/adapters/broker/embedded/broker.ts'
import type { BrokerAuthority, TopicRule } from '../../src/adapters/broker/port.ts'
import { respondCalls } from '../support/worker.ts'

const rules: TopicRule[] = [{ action: 'pubsub', topic: 'bench/#', permission: 'allow' }]

const authority: BrokerAuthority = {
  connect: ({ username = '' }) => ({
    accepted: true,
    grant: {
      principalId: username,
      workspaceId: 'ws_bench',
      credentialVersion: 1,
      topicPrefix: 'bench',
      isFirst: false,
      expiresAt: null,
      rules,
    },
  }),
  refused() {},
  sessionOpened() {},
  sessionClosed() {},
  subscribed() {},
  published() {},
  denied() {},
}

const log = { warn: console.warn, error: console.error }
const broker = createEmbeddedBroker({ host: '127.0.0.1', ports: { tcp: 0 }, log })

const methods = {
  /** @returns the port. */
  async start(_argument: undefined): Promise<number> {
    await broker.start(authority)
    return broker.port
  },
}
export type OpenBrokerProgram = typeof methods

respondCalls(methods, () => broker.stop())
