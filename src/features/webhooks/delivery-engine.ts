/**
 * Sends events to webhooks: looks for webhooks that have something to send and that no other
 * process holds, and has each of them worked on by itself. A workspace without webhooks is never
 * looked at, and an event costs nothing more to write.
 */
import type { ChangeFeed } from '../../database/change-feed.ts'
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
  /** Whether other processes may send too. */
  isShared: boolean
  /** How many webhooks a process works on at once, and when one gives way; as usual unless told. */
  turns?: { most: number; ms: number }
}

/** Tries since the process began, by what became of them. */
export type TryCounts = Record<'delivered' | 'failed' | 'dead', number>

/** Webhooks that a process works on at once; those whose receivers fail are half of it at most. */
const TURNS = { most: 400, ms: 10_000 }
/** Of those that a process may work on, how many give way at a time. */
const GIVING_WAY = 1 / 8
/** Webhooks that a process takes at once; more, once it works on as many. */
const FIRST_RUNS = 4
const NO_BACKLOG: Backlog = { waiting: 0, lag_s: 0 }

export class DeliveryEngine {
  readonly tries: TryCounts = { delivered: 0, failed: 0, dead: 0 }
  backlog: Backlog = NO_BACKLOG
  readonly #services: EngineServices
  readonly #slots = new SendingSlots()
  /** The oldest first. */
  readonly #runs = new Map<
    DeliveryRun,
    { isProbe: boolean; begunAt: number; ended: Promise<void> }
  >()
  readonly #turns: { most: number; ms: number }
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

  /** Webhooks that are worked on. */
  get held(): number {
    return this.#runs.size
  }

  /** Webhooks that are being sent at this moment. */
  get sending(): number {
    return this.#slots.taken
  }

  /** Looks how far all webhooks together are behind. */
  async measure(): Promise<void> {
    const { db, eventHorizon } = this.#services
    if (this.#isStopped) return
    this.backlog = (await hasCursors(db))
      ? await readBacklog(db, await eventHorizon.advance())
      : NO_BACKLOG
  }

  /** Takes up what there is to do; to be called a few times a second. */
  async look(): Promise<void> {
    const { db, eventHorizon, nodeId } = this.#services
    if (this.#isStopped || !(await hasCursors(db))) return
    // What holds leases is a process before this one, which was killed.
    if (this.#isAlone) await freeAll(db)
    this.#isAlone = false
    const probing = [...this.#runs.values()].filter(({ isProbe }) => isProbe).length
    const room = this.#turns.most - this.#runs.size
    const mostProbes = Math.min(Math.ceil(this.#turns.most / 2) - probing, room)
    if (mostProbes > 0) {
      this.#begin(await takeProbeWebhooks(db, nodeId, LEASE_S, mostProbes), true)
    } else this.#makeRoom(room > 0)
    // Not all at once, so that processes that begin together share them.
    const left = this.#turns.most - this.#runs.size
    const most = Math.min(left, Math.max(FIRST_RUNS, this.#runs.size))
    if (most <= 0 || this.#isStopped) return
    const upTo = await eventHorizon.advance()
    this.#begin(await takeWebhooks(db, nodeId, LEASE_S, { most, upTo }), false)
  }

  /** Ends what is under way, within seconds; others go on with it. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const run of this.#runs.keys()) run.stop()
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended))
  }

  /** One that always has something to send would keep others from ever having their turn. */
  #makeRoom(ofProbes: boolean): void {
    const before = performance.now() - this.#turns.ms
    const held = [...this.#runs].filter(([, { isProbe }]) => isProbe || !ofProbes)
    for (const [run, { begunAt }] of held.slice(0, Math.ceil(this.#turns.most * GIVING_WAY))) {
      if (begunAt <= before) run.giveWay()
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
