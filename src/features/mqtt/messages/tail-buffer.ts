/** The messages that wait for one stream, up to a number in a second and in all. */
import type { Message } from '../../../adapters/broker/port.ts'
import { timestamp } from '../../common/shapes.ts'
import { type ObservedMessage, TAIL_PAYLOAD_BYTES, TAIL_RATE, type TailBatch } from './schema.ts'

/** A reader that is slower than this misses messages. */
const MAX_WAITING = 4 * TAIL_RATE

/** Decoding replaces bytes that are not UTF-8 by U+FFFD, so that encoding gives others. */
const isText = (payload: Buffer): boolean => Buffer.from(payload.toString()).equals(payload)

/** The beginning of a payload, up to the last whole character. */
function payloadOf(payload: Buffer): Pick<ObservedMessage, 'encoding' | 'payload'> {
  const shown = payload.subarray(0, TAIL_PAYLOAD_BYTES)
  if (!isText(payload)) return { encoding: 'base64', payload: shown.toString('base64') }
  return { encoding: 'text', payload: new TextDecoder().decode(shown, { stream: true }) }
}

/** @param now milliseconds since the epoch */
export const observedOf = (
  { topic, payload, qos, retain }: Message,
  { client, broker }: Pick<ObservedMessage, 'client' | 'broker'>,
  now: number,
): ObservedMessage => ({
  at: timestamp(now),
  topic,
  broker,
  client,
  qos,
  retain,
  bytes: payload.length,
  ...payloadOf(payload),
})

export class TailBuffer {
  #messages: ObservedMessage[] = []
  #skipped = 0
  #second = 0
  #inSecond = 0

  /** Whether one more may be added now; if not, it counts as left out. */
  admits(now: number): boolean {
    const second = Math.floor(now / 1_000)
    if (second !== this.#second) {
      this.#second = second
      this.#inSecond = 0
    }
    const hasRoom = this.#inSecond < TAIL_RATE && this.#messages.length < MAX_WAITING
    if (hasRoom) this.#inSecond += 1
    else this.#skipped += 1
    return hasRoom
  }

  add(message: ObservedMessage): void {
    this.#messages.push(message)
  }

  /** Adds what another process has seen. */
  addBatch({ messages, skipped }: TailBatch, now: number): void {
    this.#skipped += skipped
    for (const each of messages) if (this.admits(now)) this.add(each)
  }

  /** Takes all waiting messages; nothing waits afterwards. */
  take(): TailBatch {
    const batch = { messages: this.#messages, skipped: this.#skipped }
    this.#messages = []
    this.#skipped = 0
    return batch
  }
}
