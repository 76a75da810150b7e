/**
 * Meters the usage of workspaces in this process. Every few seconds it is written as one numbered
 * batch; a crash loses only what was counted since the last one.
 */
import { columnsOf } from '../../../platform/database/sql.ts'
import { HOUR_MS } from '../../../platform/lib/time.ts'
import { SingleFlight } from '../../../platform/lib/single-flight.ts'
import { planLimitReached, type LimitsOf, publishMeters, reachedLimits } from './limits.ts'
import { type TemplateMeter, WorkspaceMeter } from './meter.ts'
import { NO_TEMPLATE, type SampleRow, type UsageRow, WHOLE_WORKSPACE } from './store.ts'
import * as store from './store.ts'
import type { Services } from '../../../context.ts'

export interface UsageMeterServices extends Pick<Services, 'db' | 'clock'> {
  /** UUID of this process. */
  nodeId: string
  limitsOf: LimitsOf | undefined
}

/** Services that the slice adds to operations. */
export interface UsageServices {
  usage: UsageMeters
  /** Undefined: there are no plans, and no limits. */
  limitsOf: LimitsOf | undefined
}

/** Totals since the start of the process, for the operator. */
export interface CountedTotals {
  messages: number
  bytes: number
  apiCalls: number
}

interface Batch {
  seq: number
  rows: readonly UsageRow[]
}

/** Allowed clock skew relative to the database. */
const SKEW_MS = 120_000

export class UsageMeters {
  readonly #services: UsageMeterServices
  readonly #workspaces = new Map<string, WorkspaceMeter>()
  readonly #written: CountedTotals = { messages: 0, bytes: 0, apiCalls: 0 }
  /** Sent, but not known to be written. */
  #batch: Batch | undefined
  #seq = 0
  #part = 0
  readonly #flushing = new SingleFlight(() => this.#flush())

  constructor(services: UsageMeterServices) {
    this.#services = services
  }

  ofWorkspace(workspaceId: string): WorkspaceMeter {
    let meter = this.#workspaces.get(workspaceId)
    if (meter === undefined) {
      meter = new WorkspaceMeter(workspaceId, this.#services.clock)
      this.#workspaces.set(workspaceId, meter)
    }
    return meter
  }

  /** The meter for sessions of such clients. */
  meterOf({ workspaceId, templateId }: CountedClient): TemplateMeter {
    return this.ofWorkspace(workspaceId).ofTemplate(templateId ?? NO_TEMPLATE)
  }

  /** @throws Failure plan_limit_reached, if `isLimited` */
  countCall(workspaceId: string, isLimited: boolean): void {
    const workspace = this.ofWorkspace(workspaceId)
    if (isLimited && workspace.callsSpent) {
      throw planLimitReached(workspace.callsSpent, this.#services.clock.now())
    }
    workspace.apiCalls += 1
  }

  /** Records connected devices over all processes. */
  noteSample(rows: readonly SampleRow[]): void {
    this.#beginHour()
    for (const { workspace_id, template_id, devices } of rows) {
      const workspace = this.ofWorkspace(workspace_id)
      if (template_id === WHOLE_WORKSPACE) workspace.devices.note(devices)
      else workspace.ofTemplate(template_id).devices.note(devices)
    }
  }

  totals(): CountedTotals {
    const { messages, bytes, apiCalls } = this.#written
    const all = { messages, bytes, apiCalls }
    for (const workspace of this.#workspaces.values()) {
      all.apiCalls += workspace.apiCalls
      for (const meter of workspace.templates()) {
        all.messages += meter.messages
        all.bytes += meter.bytes
      }
    }
    return all
  }

  connectedDevices(): number {
    let devices = 0
    for (const workspace of this.#workspaces.values()) devices += workspace.devices.now
    return devices
  }

  /**
   * Writes pending counts and checks limits. Whether a failed batch was written is unknown: it is
   * sent again unchanged, with its number, before any other.
   */
  flush(): Promise<void> {
    return this.#flushing.joinNext()
  }

  async #flush(): Promise<void> {
    if (this.#batch !== undefined) await this.#send(this.#batch)
    this.#beginHour()
    const rows = [...this.#workspaces.values()].flatMap((workspace) => [...workspace.take()])
    for (const { messages, bytes, apiCalls } of rows) {
      this.#written.messages += messages
      this.#written.bytes += bytes
      this.#written.apiCalls += apiCalls
    }
    if (rows.length > 0) {
      this.#seq += 1
      this.#batch = { seq: this.#seq, rows }
      await this.#send(this.#batch)
    }
    await this.#evaluate(rows)
  }

  async #send(batch: Batch): Promise<void> {
    const { db, nodeId } = this.#services
    await store.writeUsage.run(db, { ...columnsOf(batch.rows), nodeId, seq: batch.seq })
    this.#batch = undefined
  }

  /**
   * Uses the local clock, which only decides when to repeat an unchanged peak. If it is ahead, the
   * first report still falls into the previous hour, so there is a second one.
   */
  #beginHour(): void {
    const now = this.#services.clock.now()
    const part = Math.floor(now / HOUR_MS) + Math.floor((now - SKEW_MS) / HOUR_MS)
    if (part === this.#part) return
    this.#part = part
    for (const workspace of this.#workspaces.values()) workspace.beginHour()
  }

  /**
   * Checks workspaces that were active and those that were refused, which a new month or plan
   * frees.
   */
  async #evaluate(rows: readonly UsageRow[]): Promise<void> {
    const { db, clock, limitsOf } = this.#services
    if (limitsOf === undefined) return
    const ids = new Set(rows.map(({ workspaceId }) => workspaceId))
    for (const { id, publishSpent, callsSpent } of this.#workspaces.values()) {
      if (publishSpent !== undefined || callsSpent !== undefined) ids.add(id)
    }
    const limits = new Map<string, Awaited<ReturnType<LimitsOf>>>()
    for (const id of ids) limits.set(id, await limitsOf(id))
    const evaluated = [...ids].filter((id) => {
      const isFree = limits.get(id) === undefined
      if (isFree) this.ofWorkspace(id).free()
      return !isFree
    })
    if (evaluated.length === 0) return
    for (const month of await store.findMonths.rows(db, { ids: evaluated })) {
      const workspace = this.ofWorkspace(month.workspace_id)
      const reached = reachedLimits(limits.get(month.workspace_id) ?? {}, month)
      const resetAt = clock.now() + month.left_s * 1_000
      const publish = reached.find(({ meter }) => publishMeters.includes(meter))
      workspace.publishSpent = publish && { ...publish, resetAt }
      const calls = reached.find(({ meter }) => meter === 'api_calls')
      workspace.callsSpent = calls && { ...calls, resetAt }
    }
  }
}

/** Clients that share a meter. */
export interface CountedClient {
  workspaceId: string
  templateId: string | null
}
