/**
 * Usage counters of this process: plain numbers on objects attached to sessions, so that a message
 * costs two additions. Nothing here is asynchronous.
 */
import type { Explanation, TrafficMeter } from '../../../adapters/broker/traffic-meter.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { explain, type Spent } from './limits.ts'
import { NO_TEMPLATE, type UsageRow, WHOLE_WORKSPACE } from './store.ts'

/** Current and peak number of connected devices since the last flush. */
class Peak {
  #now = 0
  #peak = 0
  /** The highest value already written for this hour. */
  #written = 0

  get now(): number {
    return this.#now
  }

  change(by: 1 | -1): void {
    this.#now += by
    this.#peak = Math.max(this.#peak, this.#now)
  }

  /** Records a number from elsewhere, such as the total over all processes. */
  note(devices: number): void {
    this.#peak = Math.max(this.#peak, devices)
  }

  /** Writes it again for a new hour, even if unchanged. */
  begin(): void {
    this.#written = 0
    this.#peak = Math.max(this.#peak, this.#now)
  }

  /** @returns the value to write; 0 if there is nothing new */
  take(): number {
    const peak = this.#peak
    this.#peak = this.#now
    if (peak <= this.#written) return 0
    this.#written = peak
    return peak
  }
}

/** The clients of a workspace with the same template, or without one. */
export class TemplateMeter implements TrafficMeter {
  messages = 0
  bytes = 0
  isSpent = false
  readonly devices = new Peak()
  readonly workspace: WorkspaceMeter
  readonly templateId: string

  constructor(workspace: WorkspaceMeter, templateId: string) {
    this.workspace = workspace
    this.templateId = templateId
    this.isSpent = workspace.publishSpent !== undefined
  }

  explain(): Explanation | undefined {
    const { publishSpent, clock } = this.workspace
    return publishSpent && explain(publishSpent, clock.now())
  }
}

export class WorkspaceMeter {
  apiCalls = 0
  /** The exhausted limit on API calls. */
  callsSpent: Spent | undefined
  /** Devices connected to this process, each counted once. */
  readonly devices = new Peak()
  readonly id: string
  readonly clock: Clock
  readonly #templates = new Map<string, TemplateMeter>()
  #publishSpent: Spent | undefined

  constructor(id: string, clock: Clock) {
    this.id = id
    this.clock = clock
  }

  /** The exhausted limit on publishing. */
  get publishSpent(): Spent | undefined {
    return this.#publishSpent
  }

  set publishSpent(spent: Spent | undefined) {
    this.#publishSpent = spent
    for (const meter of this.#templates.values()) meter.isSpent = spent !== undefined
  }

  ofTemplate(templateId: string): TemplateMeter {
    let meter = this.#templates.get(templateId)
    if (meter === undefined) {
      meter = new TemplateMeter(this, templateId)
      this.#templates.set(templateId, meter)
    }
    return meter
  }

  templates(): Iterable<TemplateMeter> {
    return this.#templates.values()
  }

  /** Lifts all limits. */
  free(): void {
    if (this.#publishSpent !== undefined) this.publishSpent = undefined
    this.callsSpent = undefined
  }

  /** Starts counting connected devices for a new hour. */
  beginHour(): void {
    this.devices.begin()
    for (const { devices } of this.#templates.values()) devices.begin()
  }

  /** Drains the counters. */
  *take(): Generator<UsageRow> {
    const workspaceId = this.id
    const { apiCalls } = this
    this.apiCalls = 0
    if (apiCalls > 0) this.ofTemplate(NO_TEMPLATE)
    for (const meter of this.#templates.values()) {
      const { templateId, messages, bytes } = meter
      meter.messages = 0
      meter.bytes = 0
      const connectedDevices = meter.devices.take()
      const calls = templateId === NO_TEMPLATE ? apiCalls : 0
      if (messages + calls + connectedDevices === 0) continue
      yield { workspaceId, templateId, messages, bytes, apiCalls: calls, connectedDevices }
    }
    const whole = this.devices.take()
    if (whole === 0) return
    const nothing = { messages: 0, bytes: 0, apiCalls: 0 }
    yield { workspaceId, templateId: WHOLE_WORKSPACE, ...nothing, connectedDevices: whole }
  }
}
