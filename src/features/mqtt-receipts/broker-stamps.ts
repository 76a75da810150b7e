/**
 * Brings a revoke to the external brokers: each receipt is taken by one process, once every process
 * refuses, so that no broker is told anything else any more. A broker that is away is tried again
 * with growing pauses, and its receipt stays open.
 */
import type { ConnectDecision, RevokeTarget } from '../../broker/port.ts'
import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Db } from '../../database/connect.ts'
import { Drain } from '../../lib/drain.ts'
import { formatId, parseId } from '../../lib/ids.ts'
import { losesBy } from '../rule-narrowing/narrowing.ts'
import { MOVES_ALL, OLDER, STOPS_SERVING } from './receipt-reasons.ts'
import * as store from './stamp-store.ts'
import * as subjects from './subject-store.ts'

/** An external broker, as far as a revoke needs it. */
export interface ListedTarget extends RevokeTarget {
  /** Its live sessions. Without it a receipt about many can't be verified there. */
  connections?(): Promise<readonly { principalId: string; clientId: string }[]>
  /** See `ExternalBroker`. Without it other rules reach a session by its end. */
  regrant?(principalId?: string): Promise<void>
}

export interface BrokerStampServices {
  db: Db
  feed: ChangeFeed
  /** The names of all external brokers, also of those that can't be administered. */
  names: () => readonly string[]
  targets: () => readonly ListedTarget[]
  /** What a client may now, without its secret. */
  authorize: (username: string, clientId: string) => Promise<ConnectDecision>
  log: (message: string, error: unknown) => void
}

/** Longer than any adapter takes for a wave; who dies meanwhile leaves the row to another one. */
const LEASE_SECONDS = 30
const TOGETHER = 20
const FIRST_PAUSE_SECONDS = 0.5
const LONGEST_PAUSE_SECONDS = 60
/** Where many sessions end, they do so in waves: their clients come back. */
const WAVE = 50
const WAVE_MS = 250

/** Devices, principals, phones; whoever else a broker has is none of ours. */
const KINDS = ['dev', 'mqp', 'mqm'] as const

const NO_ADMIN = 'The broker has no administration in the brokers file: nothing can be seen there.'
const NO_LIST = 'The broker does not list its sessions.'
const STILL_LIVE = 'A session that has what was revoked is still live.'
const NOT_DENIED = 'A process has not said yet that it refuses.'

const pauseOf = (attempts: number): number =>
  Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** Math.min(attempts - 1, 10))

interface Seen {
  cut: number
  verified: boolean
  problem: string | null
}

export class BrokerStamps {
  readonly #services: BrokerStampServices
  readonly #drain: Drain
  #stopped = false

  constructor(services: BrokerStampServices) {
    this.#services = services
    this.#drain = new Drain(
      () => this.#work(),
      (error) => services.log('external brokers could not be told of a revoke', error),
    )
    // The processes have to refuse first; the last of them says so with this.
    services.feed.on('mqtt-receipt-stamp', () => this.wake())
  }

  /** Looks whether something is due. */
  wake(): void {
    if (this.#services.names().length > 0) this.#drain.wake()
  }

  stop(): void {
    this.#stopped = true
    this.#drain.stop()
  }

  async #work(): Promise<boolean> {
    const { db, names } = this.#services
    const taken = await store.takeReceipts(db, names(), LEASE_SECONDS, TOGETHER)
    await Promise.all(taken.map((receipt) => this.#settle(receipt)))
    return taken.length === TOGETHER
  }

  async #settle(receipt: store.TakenReceipt): Promise<void> {
    const { db, feed, targets, log } = this.#services
    const target = targets().find(({ name }) => name === receipt.node)
    const seen = await this.#bring(target, receipt).catch((error: unknown): Seen => {
      log(`the broker ${receipt.node} could not be told of a revoke`, error)
      return { cut: 0, verified: false, problem: (error as Error).message.slice(0, 500) }
    })
    const { is_denied_everywhere: isCertain } = receipt
    // What was purged and cut stays so, also where it could not be verified yet.
    const purged = isCertain && (seen.problem === null || seen.problem === STILL_LIVE)
    const told = isCertain
      ? seen
      : { cut: seen.cut, verified: false, problem: seen.problem ?? NOT_DENIED }
    await db.transaction(async (trx) => {
      const pauseSeconds = pauseOf(receipt.attempts)
      await store.settleReceipt(trx, receipt, { purged, pauseSeconds, ...told })
      await feed.announce(trx, 'mqtt-receipt-told', receipt.id)
    })
  }

  async #bring(target: ListedTarget | undefined, receipt: store.TakenReceipt): Promise<Seen> {
    if (target === undefined) return { cut: 0, verified: false, problem: NO_ADMIN }
    if (receipt.narrowed !== null && target.regrant !== undefined) {
      return this.#regrant(target, receipt)
    }
    const names = await this.#namesOf(target, receipt)
    if (names === undefined) return { cut: 0, verified: false, problem: NO_LIST }
    let cut = 0
    let verified = true
    for (const [index, name] of names.entries()) {
      if (this.#stopped) throw new Error('The process stops.')
      if (index > 0 && index % WAVE === 0) {
        await store.renewReceipt(this.#services.db, receipt, LEASE_SECONDS)
        await jitter()
      }
      const seen = await this.#end(target, name, receipt)
      cut += seen.cut
      verified &&= seen.verified
    }
    return { cut, verified, problem: verified ? null : STILL_LIVE }
  }

  /** The broker is told of other rules, and judges live sessions by them. */
  async #regrant(target: ListedTarget, { subject, narrowed }: store.TakenReceipt): Promise<Seen> {
    const isOne = narrowed?.template === undefined && narrowed?.devices === undefined
    const name = isOne && subject !== null ? subject : undefined
    await target.regrant?.(name)
    const verified = name === undefined || (await target.verify(name))
    return { cut: 0, verified, problem: verified ? null : STILL_LIVE }
  }

  /** Whose sessions a receipt is about, on this broker; undefined where that can't be known. */
  async #namesOf(target: ListedTarget, receipt: store.TakenReceipt): Promise<string[] | undefined> {
    const { subject, narrowed } = receipt
    const deviceId = subject === null ? undefined : parseId('dev', subject)
    const jobId = subject === null ? undefined : parseId('job', subject)
    const templateId = subject === null ? undefined : parseId('tpl', subject)
    const isOne = subject !== null && jobId === undefined && templateId === undefined
    if (isOne && narrowed?.devices === undefined) {
      const phones = deviceId === undefined ? [] : await this.#phonesOf([deviceId], receipt)
      return [subject, ...phones]
    }
    if (target.connections === undefined) return undefined
    const listed = await target.connections()
    if (narrowed?.devices !== undefined) {
      const meant = new Set(narrowed.devices.map((id) => formatId('dev', id)))
      return namesOf(listed).filter((name) => meant.has(name))
    }
    if (templateId !== undefined) return this.#namesOfTemplate(templateId, listed, receipt)
    if (jobId !== undefined) return this.#namesOfJob(jobId, listed, receipt)
    return this.#namesIn(listed, receipt)
  }

  /** Who is connected of the devices of a template, and lost something by its other rules. */
  async #namesOfTemplate(
    templateId: string,
    listed: readonly { principalId: string }[],
    receipt: store.TakenReceipt,
  ): Promise<string[]> {
    const ids = namesOf(listed).flatMap((name) => parseId('dev', name) ?? [])
    const { db } = this.#services
    const devices = await subjects.devicesOfTemplate(db, receipt.workspace_id, templateId, ids)
    const narrowing = receipt.narrowed?.template
    return devices
      .filter((device) => narrowing === undefined || losesBy(narrowing, device))
      .map(({ id }) => formatId('dev', id))
  }

  /** Phones that hold these devices, where they lose them for now. */
  async #phonesOf(
    deviceIds: readonly string[],
    { reason, workspace_id }: store.TakenReceipt,
  ): Promise<string[]> {
    if (!STOPS_SERVING.has(reason)) return []
    return subjects.phonesOfDevices(this.#services.db, workspace_id, deviceIds)
  }

  /** Who is connected of the devices that a job has changed by then, and their phones. */
  async #namesOfJob(
    jobId: string,
    listed: readonly { principalId: string }[],
    receipt: store.TakenReceipt,
  ): Promise<string[]> {
    const deviceIds = await subjects.devicesOfJob(this.#services.db, receipt, jobId)
    const phones = await this.#phonesOf(deviceIds, receipt)
    const meant = new Set([...deviceIds.map((id) => formatId('dev', id)), ...phones])
    return namesOf(listed).filter((name) => meant.has(name))
  }

  /** Those that nobody admits any more; and where a whole workspace moved, all of it. */
  async #namesIn(
    listed: readonly { principalId: string; clientId: string }[],
    { reason, workspace_id }: store.TakenReceipt,
  ): Promise<string[]> {
    const moved = reason === MOVES_ALL ? formatId('ws', workspace_id) : undefined
    const names = new Set<string>()
    for (const { principalId, clientId } of listed) {
      if (!KINDS.some((kind) => parseId(kind, principalId) !== undefined)) continue
      const decision = await this.#services.authorize(principalId, clientId)
      if (!decision.accepted && decision.reason === 'unavailable') {
        throw new Error('What the sessions may could not be read.')
      }
      if (!decision.accepted || decision.grant.workspaceId === moved) names.add(principalId)
    }
    return [...names]
  }

  async #end(
    target: ListedTarget,
    name: string,
    { was_purged, reason, requested_at }: store.TakenReceipt,
  ): Promise<{ cut: number; verified: boolean }> {
    // What was cut before and may come back has perhaps done so: it is not cut again.
    if (was_purged && (await target.verify(name))) return { cut: 0, verified: true }
    const decision = await this.#services.authorize(name, name)
    if (!decision.accepted && decision.reason === 'unavailable') {
      throw new Error(`What ${name} may could not be read.`)
    }
    await target.purge(name)
    const before = reason === OLDER && decision.accepted ? requested_at : undefined
    const why = decision.accepted ? 'administrative' : 'not_authorized'
    const cut = await target.cut(name, why, before)
    return { cut, verified: await target.verify(name) }
  }
}

const namesOf = (listed: readonly { principalId: string }[]): string[] => [
  ...new Set(listed.map(({ principalId }) => principalId)),
]

const jitter = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, WAVE_MS * (0.5 + Math.random())).unref())
