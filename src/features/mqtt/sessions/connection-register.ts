/**
 * Maintains this process's live sessions in the table of all processes' sessions. Changes are
 * buffered and written in batches, so that no CONNECT waits for them. Sessions that another
 * process wants disconnected are marked in the table and ended here.
 */
import { columnsOf } from '../../../platform/database/sql.ts'
import type { Broker, Session } from '../../../adapters/broker/port.ts'
import { SerialWorker } from '../../../platform/lib/serial-worker.ts'
import { writeBuffered } from '../../../platform/lib/write-buffered.ts'
import * as store from './store.ts'
import { protocolOf } from './schema.ts'
import type { SessionSubscriber } from './session-events.ts'
import type { LiveSession } from './session-registry.ts'
import type { Services } from '../../../context.ts'

export interface RegisterServices extends Pick<Services, 'db' | 'feed' | 'nodeId'> {
  broker: Pick<Broker, 'disconnect'>
  log: (message: string, error: unknown) => void
}

const BATCH = 2_000
const DISCONNECT_BATCH = 200

/**
 * Maximum of waiting deletions whose rows may never have been inserted. Beyond it, only rows that
 * are certainly in the table are kept: while the database is away, clients may reconnect for hours.
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

export class ConnectionRegister implements SessionSubscriber {
  readonly #services: RegisterServices
  readonly #node: string
  readonly #opened = new Map<string, OpenedRow>()
  readonly #closed = new Map<string, store.ConnectionRef>()
  readonly #disconnecting: SerialWorker

  constructor(services: RegisterServices) {
    this.#services = services
    this.#node = nodeNameOf(services.nodeId)
    this.#disconnecting = new SerialWorker(
      () => this.#disconnect(),
      (error) => services.log('sessions could not be ended', error),
    )
    services.feed.on('mqtt-connection', (nodeId) => {
      if (nodeId === services.nodeId) this.#disconnecting.wake()
    })
    services.feed.onGap(() => this.#disconnecting.wake())
  }

  /** Stops disconnecting sessions. */
  stop(): void {
    this.#disconnecting.stop()
  }

  /** A session that is reported again is written again. */
  opened({ session, workspaceId }: Pick<LiveSession, 'session' | 'workspaceId'>): void {
    this.#opened.set(session.sessionId, rowOf(session, workspaceId))
  }

  closed({ session, workspaceId }: Pick<LiveSession, 'session' | 'workspaceId'>): void {
    const { sessionId } = session
    // Deleted even if it seems not to be written: after a failed write that is not certain.
    const isUncertain = this.#opened.delete(sessionId)
    if (isUncertain && this.#closed.size >= MAX_UNCERTAIN) return
    this.#closed.set(sessionId, { workspaceId, id: sessionId })
  }

  /** Writes the buffered changes; a failed write is repeated by the next flush. */
  async flush(): Promise<void> {
    const { db } = this.#services
    // Sessions that open meanwhile wait for the next flush: many are closed again by then.
    for (let left = this.#opened.size; left > 0; left -= BATCH) {
      const rows = [...this.#opened.values()].slice(0, Math.min(left, BATCH))
      for (const { id } of rows) this.#opened.delete(id)
      try {
        await store.insertConnections.run(db, { ...columnsOf(rows), nodeId: this.#node })
      } catch (error) {
        for (const row of rows) if (!this.#closed.has(row.id)) this.#opened.set(row.id, row)
        throw error
      }
    }
    await writeBuffered(this.#closed, BATCH, (refs) =>
      store.removeConnections.run(db, columnsOf(refs)),
    )
  }

  /** Whether sessions of this process that somebody wants disconnected are still open. */
  isEnding(workspaceId: string): Promise<boolean> {
    return store.isDisconnecting.any(this.#services.db, { workspaceId, node: this.#node })
  }

  /** Deletes the sessions of dead processes. */
  takeOrphans(): Promise<void> {
    return store.removeOrphans.run(this.#services.db, { node: this.#node })
  }

  /** @returns whether there are more */
  async #disconnect(): Promise<boolean> {
    const { db, broker } = this.#services
    const rows = await store.connectionsToDisconnect.rows(db, {
      node: this.#node,
      limit: DISCONNECT_BATCH,
    })
    if (rows.length === 0) return false
    // A client that does not read may take a moment to disconnect.
    await Promise.all(
      rows.map(({ principal_id, id }) => broker.disconnect(principal_id, 'administrative', [id])),
    )
    const refs = rows.map(({ workspace_id, id }) => ({ workspaceId: workspace_id, id }))
    await store.removeConnections.run(db, columnsOf(refs))
    return rows.length === DISCONNECT_BATCH
  }
}
