/**
 * Writes the states that devices publish in batches; a batch has only the latest state of a device.
 * Before a process reads the state of a device, the waiting one is written, so that the result
 * contains every state that a broker of this machine acknowledged before.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '../../../adapters/broker/port.ts'
import { Debounced } from '../../../platform/lib/debounced.ts'
import { MalformedJson, parseJson } from '../../../platform/lib/json.ts'
import { SingleFlight } from '../../../platform/lib/single-flight.ts'
import { writeBuffered } from '../../../platform/lib/write-buffered.ts'
import type { SessionSubscriber } from './session-events.ts'
import type { DeviceSession } from './session-registry.ts'
import * as store from './store.ts'
import type { Services } from '../../../context.ts'

interface StateParts extends Pick<Services, 'db' | 'clock'> {
  warn: (message: string, error: unknown) => void
  /** Does the same in the process of this machine that has the broker, if this is another. */
  settleInMainProcess?: ((deviceId: string) => Promise<void>) | undefined
}

const BATCH = 2_000
/** The limit of a state, published or written. */
export const MAX_STATE_BYTES = 65_536
/** How long a state waits for further states of its batch. */
const PAUSE_MS = 10
const AGAIN_MS = 1_000
const MAX_REST_MS = 250

/** A JSON text that can be stored, or undefined for any other payload. */
function readState(payload: Buffer): string | undefined {
  if (payload.length === 0 || payload.length > MAX_STATE_BYTES) return undefined
  try {
    return JSON.stringify(parseJson(payload))
  } catch (error) {
    if (error instanceof MalformedJson) return undefined
    throw error
  }
}

export class ReportedStates implements SessionSubscriber {
  readonly #parts: StateParts
  readonly #waiting = new Map<string, store.StateWrite>()
  readonly #writing = new Debounced(() => this.#write(), { pauseMs: PAUSE_MS, againMs: AGAIN_MS })
  readonly #flushes = new SingleFlight(() =>
    writeBuffered(this.#waiting, BATCH, (rows) => store.writeStates(this.#parts.db, rows)),
  )
  #lastVersion = 0

  constructor(parts: StateParts) {
    this.#parts = parts
  }

  published({ workspaceId, deviceId, topicPrefix }: DeviceSession, message: Message): void {
    if (message.topic !== `${topicPrefix}/state`) return
    const state = readState(message.payload)
    if (state === undefined) return
    this.#waiting.set(deviceId, { workspaceId, deviceId, state, version: this.nextVersion() })
    this.#writing.wake()
  }

  /**
   * Microseconds since the epoch, each greater than the one before: of what is published and what
   * is written through the API of this process, within one tick of the clock, the later one stays.
   */
  nextVersion(): number {
    this.#lastVersion = Math.max(this.#parts.clock.now() * 1_000, this.#lastVersion + 1)
    return this.#lastVersion
  }

  /** Writes the state of a device that waits on this machine, if there is one. */
  async settle(deviceId: string): Promise<void> {
    await this.#parts.settleInMainProcess?.(deviceId)
    const row = this.#waiting.get(deviceId)
    if (row === undefined) return
    await store.writeStates(this.#parts.db, [row])
    if (this.#waiting.get(deviceId) === row) this.#waiting.delete(deviceId)
  }

  /** Writes all that wait; the next write repeats the rest of a failed one. */
  store(): Promise<void> {
    return this.#flushes.joinNext()
  }

  /** Ends the writing in the background; `store` writes the remaining states. */
  stop(): void {
    this.#writing.stop()
  }

  async #write(): Promise<boolean> {
    const startedAt = performance.now()
    try {
      await this.store()
    } catch (error) {
      this.#parts.warn('states of devices could not be written', error)
      return false
    }
    // A busy database serves CONNECTs meanwhile.
    await sleep(Math.min(performance.now() - startedAt, MAX_REST_MS))
    return true
  }
}
