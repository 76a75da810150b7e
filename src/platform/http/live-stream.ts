/**
 * Server-sent events as a response. The stream ends when the client disconnects, loses its right,
 * or the process stops.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { SingleFlight } from '../lib/single-flight.ts'
import { toFailure } from './failures.ts'
import { EVENT_STREAM, type LiveMessage, type LiveStream } from './live-form.ts'
import type { LiveStreams, StreamOwner } from './live-streams.ts'
import { bodyOf } from './streams.ts'

/** How often the gate is passed again; with the lease of its caches this is within a second. */
const CHECK_MS = 400
/** Nothing is sent unless the right was confirmed this recently. */
const SURE_MS = 1_000
/** How long a stream may take to end at shutdown, as its client may not be reading. */
const END_MS = 500
/** Reconnection delay announced to clients. */
const RETRY_MS = 2_000

type Serialize = (data: unknown) => string

export interface LiveOptions extends StreamOwner {
  streams: LiveStreams
  serialize: Serialize
  open(stream: Pick<LiveStream, 'signal'>): AsyncIterable<readonly LiveMessage[]>
  /** Rejects when the caller could not start this request any more. */
  readmit: () => Promise<void>
  /** Called with the error that ended the stream, if one did. */
  onBroken: (error: unknown) => void
}

/** Messages that several streams send are serialized once. */
const written = new WeakMap<LiveMessage, string>()

function textOf(message: LiveMessage, serialize: Serialize): string {
  const known = written.get(message)
  if (known !== undefined) return known
  const { id, event, data } = message
  // Proxies see a comment as traffic; clients ignore it.
  const lines = data === undefined ? [':'] : [`data: ${serialize(data)}`]
  if (event !== undefined) lines.unshift(`event: ${event}`)
  if (id !== undefined) lines.unshift(`id: ${id}`)
  const text = `${lines.join('\n')}\n\n`
  written.set(message, text)
  return text
}

/** Keeps passing the gate while a stream is open. */
class AccessRecheck {
  readonly #readmit: () => Promise<void>
  readonly #end: () => void
  readonly #timer: NodeJS.Timeout
  readonly #checks = new SingleFlight(() => this.#check())
  #confirmedAt = performance.now()

  constructor(readmit: () => Promise<void>, end: () => void) {
    this.#readmit = readmit
    this.#end = end
    this.#timer = setInterval(() => void this.#checks.join(), CHECK_MS)
  }

  /** Waits until the right was confirmed recently; without a database it cannot be. */
  async sure(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && performance.now() - this.#confirmedAt > SURE_MS) {
      await this.#checks.join()
      if (performance.now() - this.#confirmedAt <= SURE_MS) return
      await sleep(CHECK_MS)
    }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #check(): Promise<void> {
    const begun = performance.now()
    try {
      await this.#readmit()
      this.#confirmedAt = begun
    } catch (error) {
      if (toFailure(error).status < 500) this.#end()
    }
  }
}

/**
 * Sends messages as they come. Waits for the first ones, so that an early failure is still sent as
 * a problem.
 * @throws Failure too_many_streams, or whatever the first messages throw
 */
export async function sendLive(reply: FastifyReply, options: LiveOptions): Promise<FastifyReply> {
  const { raw } = reply
  const ending = new AbortController()
  const { signal } = ending
  const end = (): void => ending.abort()
  const evict = options.streams.add(options, end)
  const recheck = new AccessRecheck(options.readmit, end)
  const clear = (): void => {
    end()
    evict()
    recheck.stop()
  }
  raw.once('close', clear)
  // A client that is gone by now never emits `close`.
  if (raw.destroyed) clear()
  try {
    const source = options.open({ signal })[Symbol.asyncIterator]()
    const first = await source.next()
    let prefix = `retry: ${RETRY_MS}\n\n`
    const body = bodyOf(reply, first, {
      source,
      isAdmitted: () => recheck.sure(signal).then(() => !signal.aborted),
      format(messages) {
        const text = prefix + messages.map((each) => textOf(each, options.serialize)).join('')
        prefix = ''
        return text
      },
      onBroken: options.onBroken,
    })
    const closeLater = (): void => void setTimeout(() => raw.destroy(), END_MS).unref()
    signal.addEventListener('abort', closeLater, { once: true })
    return reply
      .code(200)
      .headers({ 'content-type': EVENT_STREAM, 'x-accel-buffering': 'no' })
      .send(body)
  } catch (error) {
    clear()
    throw error
  }
}
