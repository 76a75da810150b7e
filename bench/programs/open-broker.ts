/**
 * The broker by itself, with an authority that admits everyone, each with rules: the limit for
 * CONNECTs, and what messages are measured with.
 */
import { createEmbeddedBroker } from '../../src/adapters/broker/embedded/broker.ts'
import type { BrokerAuthority, TopicRule } from '../../src/adapters/broker/port.ts'
import { DEFAULT_DEVICE_RULES, fillTopic } from '../../src/adapters/broker/topics.ts'
import { respondCalls } from '../support/worker.ts'

/** The rules of a device, and the right to read everything. */
const rulesOf = (deviceKey: string): TopicRule[] => [
  ...DEFAULT_DEVICE_RULES.map((rule) => ({
    ...rule,
    topic: fillTopic(rule.topic, { slug: 'bench', device_key: deviceKey }),
  })),
  { action: 'subscribe', topic: 'bench/#', permission: 'allow' },
]

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
      rules: rulesOf(username),
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
/** Clients of the bench send as fast as they can. */
const limits = { publishesPerSecond: 1_000_000 }
const broker = createEmbeddedBroker({ host: '127.0.0.1', ports: { tcp: 0 }, log, limits })

const methods = {
  /** @returns the port. */
  async start(_argument: undefined): Promise<number> {
    await broker.start(authority)
    return broker.port
  },
}
export type OpenBrokerProgram = typeof methods

respondCalls(methods, () => broker.stop())
