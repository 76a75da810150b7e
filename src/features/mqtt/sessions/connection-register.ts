/**
 * The live sessions of this process in the table of all processes' sessions. What opens and closes
 * gathers here and is written in batches: a CONNECT never waits for it. A session that was cut from
 * elsewhere is found in the table and ended here.
 */
import type { Broker, Session } from '../../../adapters/broker/port.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { SerialWorker } from '../../../platform/lib/serial-worker.ts'
import * as store from './connection-store.ts'
import { CutLog } from './cut-log.ts'
import { protocolOf } from './schema.ts'

export interface RegisterServices {
  db: Db
  feed: ChangeFeed
  nodeId: string
  log: (message: string, error: unknown) => void
}

const BATCH = 2_000
/** Sessions that are ended at once. */
const CUT_BATCH = 200

/**
 * Ends that wait to be written, of sessions that may have been. Beyond it only those are kept that
 * certainly are in the table: while nothing can be written, clients may come and go for hours.
 */
const MAX_UNCERTAIN = 50_000

const NODE_PREFIX = 'embedded/'

const nodeNameOf = (nodeId: string): string => `${NODE_PREFIX}${nodeId}`

/** The UUID of the process, or undefined for a broker of another kind. */
export const nodeIdOf = (node: string): string | undefined =>
  node.startsWith(NODE_PREFIX) ? node.slice(NODE_PREFIX.length) : undefined

type OpenedRow = Omit<store.ConnectionRow, 'node'>

function rowOf(session: Session, workspaceId: string): OpenedRow {
  const { grant } = session
  return {
    workspace_id: workspaceId,
    id: session.sessionId,
    principal_id: grant.principalId,
    client_id: session.clientId,
    address: session.address,
    transport: session.transport ?? 'tcp',
    protocol: protocolOf(session.protocolVersion),
    credential_version: grant.credentialVersion,
    connected_at: session.connectedAt,
  }
}

export class ConnectionRegister {
  /** What the service has ended here. */
  readonly cuts = new CutLog()
  readonly #services: RegisterServices
  readonly #node: string
  readonly #opened = new Map<string, OpenedRow>()
  readonly #closed = new Map<string, store.ConnectionRef>()
  readonly #cutting: SerialWorker
  #broker: Pick<Broker, 'disconnect'> | undefined

  constructor(services: RegisterServices) {
    this.#services = services
    this.#node = nodeNameOf(services.nodeId)
    this.#cutting = new SerialWorker(
      () => this.#cut(),
      (error) => services.log('sessions could not be ended', error),
    )
    services.feed.on('mqtt-connection', (nodeId) => {
      if (nodeId === services.nodeId) this.#cutting.wake()
    })
    services.feed.onGap(() => this.#cutting.wake())
  }

  serve(broker: Pick<Broker, 'disconnect'>): void {
    this.#broker = broker
  }

  /** Cuts nothing more. */
  stop(): void {
    this.#cutting.stop()
  }

  /** Told again of a session that is known already, it writes it again. */
  opened(session: Session, workspaceId: string): void {
    this.#opened.set(session.sessionId, rowOf(session, workspaceId))
  }

  closed({ sessionId }: Session, workspaceId: string): void {
    // Also where it was never written: that would have to be certain, after writes that failed.
    const isUncertain = this.#opened.delete(sessionId)
    if (isUncertain && this.#closed.size >= MAX_UNCERTAIN) return
    this.#closed.set(sessionId, { workspaceId, id: sessionId })
  }

  /** Writes what has gathered; a failed write is kept for the next time. */
  async flush(): Promise<void> {
    const { db } = this.#services
    // What comes meanwhile waits for the next time: of many a connection nothing is left by then.
    for (let left = this.#opened.size; left > 0; left -= BATCH) {
      const rows = [...this.#opened.values()].slice(0, Math.min(left, BATCH))
      for (const { id } of rows) this.#opened.delete(id)
      try {
        await store.insertConnections(db, this.#node, rows)
      } catch (error) {
        for (const row of rows) if (!this.#closed.has(row.id)) this.#opened.set(row.id, row)
        throw error
      }
    }
    for (let left = this.#closed.size; left > 0; left -= BATCH) {
      const refs = [...this.#closed.values()].slice(0, Math.min(left, BATCH))
      await store.removeConnections(db, refs)
      for (const { id } of refs) this.#closed.delete(id)
    }
  }

  /** Takes back what dead processes left behind. */
  takeOrphans(): Promise<void> {
    return store.removeOrphans(this.#services.db, this.#node)
  }

  /** @returns whether there is more to cut. */
  async #cut(): Promise<boolean> {
    const broker = this.#broker
    if (broker === undefined) return false
    const { db } = this.#services
    const rows = await store.connectionsToCut(db, this.#node, CUT_BATCH)
    if (rows.length === 0) return false
    // A client that does not read may take a moment to end.
    await Promise.all(
      rows.map(({ principal_id, id }) => broker.disconnect(principal_id, 'administrative', [id])),
    )
    await store.removeConnections(
      db,
      rows.map(({ workspace_id, id }) => ({ workspaceId: workspace_id, id })),
    )
    return rows.length === CUT_BATCH
  }
}
