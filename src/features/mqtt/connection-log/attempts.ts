/**
 * Buffers connection attempts off the CONNECT path and writes them in batches. Equal refusals from
 * one address within a minute are one entry with a count, and the buffer is bounded: a flood of bad
 * CONNECTs becomes a few rows.
 */
import { LRUCache } from 'lru-cache'
import type {
  ConnectRefusal,
  ConnectRequest,
  Session,
  SessionEnd,
} from '../../../adapters/broker/port.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { Tally } from '../../../platform/lib/tally.ts'
import { type Identity, readIdentity } from '../credentials/identity.ts'
import * as store from './store.ts'

const BATCH = 1_000
const MAX_WAITING = 50_000
/** Refusals may name invented clients, so they get less room than sessions. */
const MAX_WAITING_REFUSALS = 2_000
const SAME_ENTRY_MS = 60_000
const MAX_CLIENT_ID = 256
/** An external broker may ask twice for one CONNECT, also for a connection of its own. */
const SAME_CONNECT_MS = 2_000
/** Total characters of cached names: client ids may be long. */
const MAX_CHARACTERS = 4_194_304

interface Logged {
  session: Session
  identity: Identity
}

/** An unauthenticated client id may contain characters that the database cannot store. */
const plain = (text: string): string =>
  text.replaceAll('\u0000', '').slice(0, MAX_CLIENT_ID).toWellFormed()

export class ConnectionAttempts {
  readonly #db: Db
  readonly #clock: Clock
  readonly #nodeId: string
  /** By entry id. */
  readonly #sessions = new Map<string, store.AttemptWrite>()
  readonly #refusals = new Map<string, store.AttemptWrite>()
  /** The entry that counts the next equal refusal; allocated on first use. */
  #entries: LRUCache<string, { id: string; at: number }> | undefined
  /** CONNECTs of external brokers; allocated on first use. */
  #admitted: LRUCache<string, true> | undefined

  constructor({ db, clock, nodeId }: { db: Db; clock: Clock; nodeId: string }) {
    this.#db = db
    this.#clock = clock
    this.#nodeId = nodeId
  }

  opened(logged: Logged): void {
    this.#add(logged, { endedAt: null, endReason: null, nodeId: this.#nodeId })
  }

  /** Accepted for an external broker, which holds the session and does not report its end. */
  admitted(logged: Logged): void {
    this.#admitted ??= new LRUCache({
      max: 10_000,
      ttl: SAME_CONNECT_MS,
      maxSize: MAX_CHARACTERS,
      sizeCalculation: (_, name) => name.length,
    })
    const key = `${logged.identity.name} ${logged.session.clientId}`
    if (this.#admitted.has(key)) return
    this.#admitted.set(key, true)
    this.#add(logged, { endedAt: null, endReason: null, nodeId: null })
  }

  /** `at`: milliseconds since the epoch. */
  closed(logged: Logged, { end, at }: { end: SessionEnd; at: number }): void {
    this.#add(logged, { endedAt: at, endReason: end, nodeId: this.#nodeId })
  }

  /** Logs the exact cause, which the client does not receive. */
  refused(
    { username, clientId, address, protocolVersion }: ConnectRequest,
    refusal: Pick<ConnectRefusal, 'reason' | 'detail'>,
  ): void {
    const reason = refusal.detail ?? refusal.reason
    const identity = username === undefined ? undefined : readIdentity(username)
    if (identity === undefined || identity.kind === 'phone') return
    const now = this.#clock.now()
    const key = `${identity.name} ${reason} ${address}`
    this.#entries ??= new LRUCache({ max: 10_000, ttl: SAME_ENTRY_MS })
    const entry = this.#entries.get(key) ?? { id: newUuid(), at: now }
    const waiting = this.#refusals.get(entry.id)
    if (waiting !== undefined) {
      waiting.attempts += 1
      waiting.lastAt = now
      waiting.clientId = plain(clientId)
      waiting.protocolVersion = protocolVersion
      return
    }
    if (this.#refusals.size >= MAX_WAITING_REFUSALS) return
    this.#entries.set(key, entry, { noUpdateTTL: true })
    this.#refusals.set(entry.id, {
      kind: identity.kind,
      principalUuid: identity.id,
      id: entry.id,
      refusal: reason,
      attempts: 1,
      clientId: plain(clientId),
      address,
      protocolVersion,
      at: entry.at,
      lastAt: now,
      endedAt: null,
      endReason: null,
      nodeId: null,
    })
  }

  /** Writes the buffer; entries that fail are kept for the next write. */
  async flush(): Promise<void> {
    await this.#drain(this.#sessions)
    await this.#drain(this.#refusals)
  }

  #add(
    { session, identity: { kind, id } }: Logged,
    of: Pick<store.AttemptWrite, 'endedAt' | 'endReason' | 'nodeId'>,
  ): void {
    if (kind === 'phone') return
    const { sessionId, clientId, address, protocolVersion, connectedAt } = session
    if (this.#sessions.size >= MAX_WAITING && !this.#sessions.has(sessionId)) return
    this.#sessions.set(sessionId, {
      kind,
      principalUuid: id,
      id: sessionId,
      refusal: null,
      attempts: 1,
      clientId: plain(clientId),
      address,
      protocolVersion,
      at: connectedAt,
      lastAt: connectedAt,
      ...of,
    })
  }

  async #drain(waiting: Map<string, store.AttemptWrite>): Promise<void> {
    for (let left = waiting.size; left > 0; left -= BATCH) {
      const rows = [...waiting.values()].slice(0, Math.min(left, BATCH))
      for (const { id } of rows) waiting.delete(id)
      try {
        await this.#db.transaction((trx) => store.writeAttempts(trx, newestOfEach(rows)))
      } catch (error) {
        for (const row of rows) this.#putBack(waiting, row)
        throw error
      }
    }
  }

  #putBack(waiting: Map<string, store.AttemptWrite>, row: store.AttemptWrite): void {
    const newer = waiting.get(row.id)
    if (newer === undefined) {
      waiting.set(row.id, row)
    } else if (newer.refusal !== null) {
      newer.attempts += row.attempts
    }
  }
}

/** Drops more than the retained number per client: reconnect loops are not written in full. */
function newestOfEach(rows: readonly store.AttemptWrite[]): store.AttemptWrite[] {
  const counts = new Tally()
  const kept = rows.toReversed().filter(({ principalUuid }) => {
    counts.add(principalUuid, 1)
    return counts.of(principalUuid) <= store.KEPT_ATTEMPTS
  })
  return kept.toReversed()
}
