/**
 * Delivers events to webhooks: finds webhooks with pending events and no lease, and runs each
 * independently. Workspaces without webhooks are never examined, and writing an event costs nothing
 * extra.
 */
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import {
  type Backlog,
  freeAll,
  readBacklog,
  takeProbeWebhooks,
  takeWebhooks,
  hasCursors,
  type Claim,
} from './delivery-store.ts'
import { DeliveryRun, type RunServices } from './delivery-run.ts'
import { LEASE_S } from './delivery-commit.ts'
import { SendingSlots } from './sending-slots.ts'

export interface EngineServices extends Omit<RunServices, 'slots' | 'onTry'> {
  feed: Pick<ChangeFeed, 'on'>
  /** UUID of this process. */
  nodeId: string
  /** Whether other processes may deliver as well. */
  isShared: boolean
  /** Maximum concurrent webhooks, and after how long one yields; defaults apply if unset. */
  turns?: { max: number; ms: number }
}

/** Attempts since the process started, by outcome. */
export type TryCounts = Record<'delivered' | 'failed' | 'dead', number>

/** Concurrent webhooks per process; webhooks with failing receivers take up to half of it. */
const TURNS = { max: 400, ms: 10_000 }
/** The fraction of them that yields at a time. */
const YIELDING = 1 / 8
/** Webhooks taken at once, growing with the number in progress. */
const FIRST_RUNS = 4
const NO_BACKLOG: Backlog = { waiting: 0, lag_s: 0, failing: 0, failing_s: 0, failing_in: [] }

export class DeliveryEngine {
  readonly tries: TryCounts = { delivered: 0, failed: 0, dead: 0 }
  backlog: Backlog = NO_BACKLOG
  readonly #services: EngineServices
  readonly #slots = new SendingSlots()
  /** Oldest first. */
  readonly #runs = new Map<
    DeliveryRun,
    { isProbe: boolean; begunAt: number; ended: Promise<void> }
  >()
  readonly #turns: { max: number; ms: number }
  #isStopped = false
  #isAlone: boolean

  constructor(services: EngineServices) {
    this.#services = services
    this.#isAlone = !services.isShared
    this.#turns = services.turns ?? TURNS
    for (const kind of ['webhook', 'workspace'] as const) {
      services.feed.on(kind, (ref) => {
        for (const run of this.#runs.keys()) run.changed(ref)
      })
    }
  }

  /** Number of leased webhooks. */
  get held(): number {
    return this.#runs.size
  }

  /** Number of webhooks with a request in progress. */
  get sending(): number {
    return this.#slots.taken
  }

  /** Measures the backlog of all webhooks. */
  async measure(): Promise<void> {
    const { db, safeSequence } = this.#services
    if (this.#isStopped) return
    this.backlog = (await hasCursors.any(db))
      ? await readBacklog.one(db, { seq: await safeSequence.advance() })
      : NO_BACKLOG
  }

  /** Takes webhooks with pending work; call it a few times a second. */
  async poll(): Promise<void> {
    const { db, safeSequence, nodeId } = this.#services
    if (this.#isStopped || !(await hasCursors.any(db))) return
    // Existing leases belong to an earlier process that was killed.
    if (this.#isAlone) await freeAll.run(db)
    this.#isAlone = false
    const probing = [...this.#runs.values()].filter(({ isProbe }) => isProbe).length
    const room = this.#turns.max - this.#runs.size
    const maxProbes = Math.min(Math.ceil(this.#turns.max / 2) - probing, room)
    if (maxProbes > 0) {
      this.#begin(
        await takeProbeWebhooks.rows(db, { nodeId, leaseSeconds: LEASE_S, limit: maxProbes }),
        true,
      )
    } else this.#makeRoom(room > 0)
    // Not all at once, so that processes that start together share them.
    const left = this.#turns.max - this.#runs.size
    const max = Math.min(left, Math.max(FIRST_RUNS, this.#runs.size))
    if (max <= 0 || this.#isStopped) return
    const upTo = await safeSequence.advance()
    this.#begin(
      await takeWebhooks.rows(db, { nodeId, leaseSeconds: LEASE_S, limit: max, upTo }),
      false,
    )
  }

  /** Ends requests in progress within seconds; other processes continue. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const run of this.#runs.keys()) run.stop()
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended))
  }

  /** A permanently busy webhook must not starve others. */
  #makeRoom(ofProbes: boolean): void {
    const before = performance.now() - this.#turns.ms
    const held = [...this.#runs].filter(([, { isProbe }]) => isProbe || !ofProbes)
    for (const [run, { begunAt }] of held.slice(0, Math.ceil(this.#turns.max * YIELDING))) {
      if (begunAt <= before) run.yieldTurn()
    }
  }

  #begin(claims: readonly Claim[], isProbe: boolean): void {
    for (const claim of claims) {
      const onTry = (outcome: keyof TryCounts): void => void (this.tries[outcome] += 1)
      const run = new DeliveryRun({ ...this.#services, slots: this.#slots, onTry }, claim)
      const ended = run
        .work()
        .catch((error: unknown) => this.#services.warn('a webhook was left', error))
        .finally(() => this.#runs.delete(run))
      this.#runs.set(run, { isProbe, begunAt: performance.now(), ended })
      if (this.#isStopped) run.stop()
    }
  }
}
