/**
 * The hints that wait for one stream: one for each resource, and not more than a few hundred. A
 * reader that is too slow for them learns how many it missed, and reads its page again.
 */
import { ChangeWaits } from '../../../platform/database/change-waits.ts'
import type { LiveMessage } from '../../../platform/http/live-form.ts'
import type { Hint } from './hints.ts'

/** Things with a waiting hint. */
const MAX_WAITING = 200
/** The only key that the stream waits for. */
const ANY = ''

const merged = (one: Hint, next: Hint): Hint => ({
  ...next,
  deviceId: next.deviceId ?? one.deviceId,
  events: [...new Set([...one.events, ...next.events])],
  data: { ...one.data, ...next.data },
})

const messageOf = ({ kind, id, deviceId, events, data }: Hint): LiveMessage => ({
  event: 'changed',
  data: {
    kind,
    id,
    ...(deviceId !== undefined && kind !== 'device' && { device_id: deviceId }),
    events,
    data,
  },
})

export class HintBuffer {
  readonly #wants: (hint: Hint) => boolean
  readonly #waiting = new Map<string, Hint>()
  #skipped = 0
  readonly #waits = new ChangeWaits()

  constructor(wants: (hint: Hint) => boolean) {
    this.#wants = wants
  }

  /** Things with a waiting hint. */
  get size(): number {
    return this.#waiting.size
  }

  add(hint: Hint): void {
    if (!this.#wants(hint)) return
    const key = `${hint.kind} ${hint.id}`
    const known = this.#waiting.get(key)
    if (this.#skipped > 0) this.#skipped += 1
    else if (known !== undefined) this.#waiting.set(key, merged(known, hint))
    else if (this.#waiting.size < MAX_WAITING) this.#waiting.set(key, hint)
    else this.drop()
    this.#waits.wake(ANY)
  }

  /** Hints may have been missed: the waiting ones would be of little use. */
  drop(): void {
    this.#skipped += this.#waiting.size + 1
    this.#waiting.clear()
    this.#waits.wake(ANY)
  }

  /** Waits until there is something. False after `ms` milliseconds or when `signal` aborts. */
  async filled(ms: number, signal: AbortSignal): Promise<boolean> {
    const isFilled = (): boolean => this.#waiting.size > 0 || this.#skipped > 0
    if (!isFilled()) await this.#waits.next(ANY, ms, signal)
    return isFilled()
  }

  /** The waiting hints; none wait afterwards. */
  take(): LiveMessage[] {
    const skipped = this.#skipped
    const messages = [...this.#waiting.values()].map(messageOf)
    this.#waiting.clear()
    this.#skipped = 0
    return skipped > 0 ? [{ event: 'skipped', data: { count: skipped } }] : messages
  }
}
