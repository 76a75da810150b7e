/** The messages that wait for one stream, with limits on their number and on their rate. */
import type { Message } from '../../../adapters/broker/port.ts'
import { timestamp } from '../../common/shapes.ts'
import { type ObservedMessage, TAIL_PAYLOAD_BYTES, TAIL_RATE, type TailBatch } from './schema.ts'

/** How many messages may wait; a slow reader misses further ones. */
const MAX_WAITING = 4 * TAIL_RATE

/** Whether it is UTF-8: decoding would replace other bytes by U+FFFD. */
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

  /** Whether a message may be added now; otherwise it counts as skipped. */
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

  /** Adds the messages that another process has written for this stream. */
  addBatch({ messages, skipped }: TailBatch, now: number): void {
    this.#skipped += skipped
    for (const each of messages) if (this.admits(now)) this.add(each)
  }

  /** Removes all waiting messages. @returns them, and how many were skipped */
  take(): TailBatch {
    const batch = { messages: this.#messages, skipped: this.#skipped }
    this.#messages = []
    this.#skipped = 0
    return batch
  }
}
