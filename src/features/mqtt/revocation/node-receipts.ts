/**
 * Records what this process has verified about a revocation: its authority refuses, caches no older
 * decision, and its broker has no session left with the revoked right. It claims nothing
 * unverified, and retries until it has.
 */
import { columnsOf } from '../../../platform/database/sql.ts'
import type { RevokeTarget } from '../../../adapters/broker/external-port.ts'
import type { Broker } from '../../../adapters/broker/port.ts'
import { SerialWorker } from '../../../platform/lib/serial-worker.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { isPrincipal } from './affected-sessions.ts'
import { ENDS_SESSIONS } from './receipt-reasons.ts'
import * as store from './store.ts'
import type { Services } from '../../../context.ts'

/** The sessions that the service has ended in this process. */
interface Disconnects {
  /** Incremented with each of them. */
  readonly sequence: number
  /** Public ids. */
  countSince(
    since: number,
    matches: (ended: { principalId: string; workspaceId: string }) => boolean,
  ): number
}

export interface NodeReceiptServices extends Pick<Services, 'db' | 'feed'> {
  target: RevokeTarget
  broker: Pick<Broker, 'connections'>
  disconnects: Disconnects
  /** Whether a session of the workspace (UUID) is still to be ended in this process. */
  isEnding: (workspaceId: string) => Promise<boolean>
  log: (message: string, error: unknown) => void
}

interface Awaited {
  /** Sequence of the disconnects when the change was received. */
  since: number
  /** Undefined until it is read. */
  receipt: store.OpenReceipt | undefined
  tries: number
  /** By `performance.now()`. */
  dueAt: number
}

const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 2_000
/** After this many checks the receipt reports a problem. */
const CHECKS_BEFORE_PROBLEM = 8
/** Principals checked together, if a receipt is about many. */
const TOGETHER = 50

interface Acknowledgement extends store.OpenReceipt {
  disconnected: number
  verified: boolean
  problem: string | null
}

export class NodeReceiptWorker {
  readonly #services: NodeReceiptServices
  readonly #awaited = new Map<string, Awaited>()
  readonly #worker: SerialWorker
  #readAll = false

  constructor(services: NodeReceiptServices) {
    this.#services = services
    this.#worker = new SerialWorker(
      () => this.#work(),
      (error) => services.log('receipts could not be acknowledged', error),
    )
    services.feed.on('mqtt-receipt', (id) => {
      if (!this.#awaited.has(id)) this.#await(id)
      this.#worker.wake()
    })
    // All caches are empty after a gap, so every open receipt counts as received.
    services.feed.onGap(() => this.#checkAll())
  }

  stop(): void {
    this.#worker.stop()
  }

  /** Other processes considered this one dead and marked it as gone. */
  async revive(): Promise<void> {
    await store.reopenReceipts.run(this.#services.db, { node: this.#services.target.name })
    this.#checkAll()
  }

  #checkAll(): void {
    this.#readAll = true
    this.#worker.wake()
  }

  #await(id: string, since = this.#services.disconnects.sequence): Awaited {
    const awaited = { since, receipt: undefined, tries: 0, dueAt: 0 }
    this.#awaited.set(id, awaited)
    return awaited
  }

  /** @returns whether there is more to do immediately */
  async #work(): Promise<boolean> {
    await this.#read()
    const now = performance.now()
    const due = [...this.#awaited.values()].filter(({ dueAt }) => dueAt <= now)
    const acknowledgements: Acknowledgement[] = []
    for (const awaited of due) {
      const acknowledgement = await this.#check(awaited)
      if (acknowledgement !== undefined) acknowledgements.push(acknowledgement)
    }
    if (acknowledgements.length > 0) await this.#write(acknowledgements)
    const next = Math.min(...[...this.#awaited.values()].map(({ dueAt }) => dueAt))
    if (Number.isFinite(next)) this.#worker.wakeAfter(Math.max(0, next - performance.now()))
    return [...this.#awaited.values()].some(({ receipt }) => receipt === undefined)
  }

  /** Reads newly announced receipts. */
  async #read(): Promise<void> {
    const { db, target } = this.#services
    const heard = [...this.#awaited].filter(([, { receipt }]) => receipt === undefined)
    const readAll = this.#readAll
    if (heard.length === 0 && !readAll) return
    const ids = heard.map(([id]) => id)
    if (ids.length > 0) await store.adoptReceipts.run(db, { node: target.name, ids })
    const open = new Map(
      (await store.openReceipts.rows(db, { node: target.name })).map((row) => [row.id, row]),
    )
    if (readAll) this.#readAll = false
    for (const id of ids) if (!open.has(id)) this.#awaited.delete(id)
    for (const [id, receipt] of open) {
      const awaited = this.#awaited.get(id) ?? (readAll ? this.#await(id) : undefined)
      if (awaited !== undefined) awaited.receipt = receipt
    }
  }

  /** @returns what to write, if anything changed */
  async #check(awaited: Awaited): Promise<Acknowledgement | undefined> {
    const { receipt, since, tries } = awaited
    if (receipt === undefined) return undefined
    const verified = await this.#verify(receipt)
    awaited.tries += 1
    awaited.dueAt =
      performance.now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries, 10))
    if (!verified && tries > 0 && tries !== CHECKS_BEFORE_PROBLEM) return undefined
    const problem =
      tries < CHECKS_BEFORE_PROBLEM ? null : 'A session with the revoked rights is still open.'
    const disconnected = this.#disconnectsOf(receipt, since)
    return { ...receipt, disconnected, verified, problem }
  }

  #disconnectsOf({ subject, workspace_id }: store.OpenReceipt, since: number): number {
    const workspace = formatId('ws', workspace_id)
    return this.#services.disconnects.countSince(since, ({ principalId, workspaceId }) =>
      subject !== null && isPrincipal(subject)
        ? principalId === subject
        : workspaceId === workspace,
    )
  }

  async #verify({ subject, workspace_id, reason }: store.OpenReceipt): Promise<boolean> {
    const { target, broker, isEnding } = this.#services
    if (reason === ENDS_SESSIONS) return !(await isEnding(workspace_id))
    if (subject !== null && isPrincipal(subject)) {
      await target.purge?.(subject)
      return target.verify(subject)
    }
    const workspace = formatId('ws', workspace_id)
    const sessions = broker.connections().filter(({ grant }) => grant.workspaceId === workspace)
    const names = [...new Set(sessions.map(({ grant }) => grant.principalId))]
    for (let at = 0; at < names.length; at += TOGETHER) {
      const some = names.slice(at, at + TOGETHER)
      const verified = await Promise.all(some.map((name) => target.verify(name)))
      if (verified.includes(false)) return false
    }
    return true
  }

  async #write(acknowledgements: readonly Acknowledgement[]): Promise<void> {
    const { db, feed, target } = this.#services
    await db.transaction(async (trx) => {
      await store.acknowledgeReceipts.run(trx, {
        ...columnsOf(acknowledgements),
        node: target.name,
      })
      await feed.announceAll(
        trx,
        'mqtt-receipt-stamp',
        acknowledgements.map(({ id }) => id),
      )
    })
    for (const { id, verified } of acknowledgements) if (verified) this.#awaited.delete(id)
  }
}
