/**
 * The broker by itself, with an authority that admits everyone, each with rules: the limit for
 * CONNECTs, and what messages are measured with. With a database it stores its sessions there.
 */
import type pg from 'pg'
import { EmbeddedBroker } from '../../src/adapters/broker/embedded/broker.ts'
import type { BrokerAuthority, TopicRule } from '../../src/adapters/broker/port.ts'
import { DurableStore } from '../../src/features/mqtt/durable-sessions/session-batches.ts'
import { connectDatabase } from '../../src/platform/database/connect.ts'
import { deviceRules } from '../support/device-rules.ts'
import { respondCalls } from '../support/worker.ts'

/** The rules of a device, and the right to read everything. */
const rulesOf = (deviceKey: string): TopicRule[] => [
  ...deviceRules(deviceKey),
  { action: 'subscribe', topic: 'bench/#', permission: 'allow' },
]

const authorityOf = (workspaceId: string): BrokerAuthority => ({
  connect: ({ username = '' }) => ({
    accepted: true,
    grant: {
      principalId: username,
      workspaceId,
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
})

interface Stored {
  connection: pg.PoolConfig
  /** `ws_…` of the workspace whose sessions they are. */
  workspaceId: string
}

/** A database in which no session is yet, so nobody has to be known. */
function openStore(connection: pg.PoolConfig) {
  const database = connectDatabase({
    connection,
    poolSize: 2,
    prepared: true,
    statementTimeoutMs: 30_000,
    acquireTimeoutMs: 10_000,
  })
  const nobody = (): never => {
    throw new Error('the store is not empty')
  }
  const store = new DurableStore({
    db: database,
    authority: { load: nobody, refusalOf: nobody },
    usage: { meterOf: nobody },
    warn: console.warn,
  })
  return { store, database }
}

const log = { warn: console.warn, error: console.error }
/** Clients of the bench send as fast as they can. */
const limits = { publishesPerSecond: 1_000_000 }
let close = async (): Promise<void> => {}

const methods = {
  /** @returns the port. */
  async start(stored: Stored | undefined): Promise<number> {
    const opened = stored && openStore(stored.connection)
    const broker = new EmbeddedBroker({
      host: '127.0.0.1',
      ports: { tcp: 0 },
      log,
      limits,
      store: opened?.store,
    })
    close = async () => {
      await broker.stop()
      await opened?.database.close()
    }
    await broker.start(authorityOf(stored?.workspaceId ?? 'ws_bench'))
    return broker.port
  },
}
export type OpenBrokerProgram = typeof methods

respondCalls(methods, () => close())
