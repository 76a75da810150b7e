/**
 * Server-sent events (WHATWG HTML, "Server-sent events") over `fetch`, which can send a credential
 * in a header, unlike `EventSource`. A stream that ends is continued after its last event.
 */
import { MooringError } from './error.ts'
import { linesOf } from './lines.ts'
import { delayMs, type RetryLimits, sleep } from './sending.ts'

export interface ServerEvent<T> {
  /** The position after the event: pass it as `lastEventId` to continue there. */
  id: string
  type: string
  data: T
}

export interface StreamInput {
  /** The `id` of an earlier event: the stream begins after it. */
  lastEventId?: string
  /** A connection without any traffic for this long is replaced; by default 45 seconds. */
  idleMs?: number
  signal?: AbortSignal | undefined
}

const IDLE_MS = 45_000
const RETRY_MS = 2_000
const FIELD = /^([^:]*)(?:: ?(.*))?$/s

/** The state of a stream, across its connections. */
interface Position {
  lastEventId: string | undefined
  retryMs: number
}

/** The events of one connection; updates the position even if an event has no data. */
async function* readEvents<T>(
  lines: AsyncIterable<string>,
  position: Position,
): AsyncGenerator<ServerEvent<T>, void, undefined> {
  let type = ''
  let data: string[] = []
  let id = position.lastEventId
  for await (const line of lines) {
    if (line === '') {
      position.lastEventId = id
      if (data.length > 0) {
        yield { id: id ?? '', type: type || 'message', data: JSON.parse(data.join('\n')) as T }
      }
      type = ''
      data = []
      continue
    }
    const [, name, value = ''] = FIELD.exec(line) ?? []
    if (name === 'event') type = value
    if (name === 'data') data.push(value)
    if (name === 'id' && !value.includes('\0')) id = value
    if (name === 'retry' && /^\d+$/.test(value)) position.retryMs = Number(value)
  }
}

/**
 * A signal that is aborted with another one, or when one wait takes too long. The time that a slow
 * consumer takes does not count.
 */
function idleSignal(idleMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController()
  const abort = (): void => controller.abort(outer?.reason)
  const give = (): void => controller.abort(new Error(`no traffic for ${idleMs} ms`))
  let timer: ReturnType<typeof setTimeout> | undefined
  outer?.addEventListener('abort', abort, { once: true })
  if (outer?.aborted) abort()
  const stop = (): void => clearTimeout(timer)
  return {
    signal: controller.signal,
    start(): void {
      timer = setTimeout(give, idleMs)
    },
    stop,
    end(): void {
      stop()
      outer?.removeEventListener('abort', abort)
    },
  }
}

/**
 * How long to wait before the next connection.
 * @throws the error if there should be none
 */
function pauseAfter(error: unknown, failures: number, isNew: boolean, limits: RetryLimits): number {
  if (isNew && failures > limits.retries) throw error
  if (error instanceof SyntaxError) throw error
  if (!(error instanceof MooringError)) return delayMs(failures)
  const { status, retryAfter = 0 } = error
  if ((status < 500 && status !== 429) || retryAfter > limits.maxRetryAfterSeconds) throw error
  return retryAfter * 1000 + delayMs(failures)
}

/**
 * Yields events until the signal is aborted or the service refuses to continue. Once it was open, a
 * stream is connected again however long the service is away.
 * @param open sends the request, once
 * @throws MooringError; the reason of the signal
 */
export async function* followEvents<T>(
  open: (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>,
  { lastEventId, idleMs = IDLE_MS, signal }: StreamInput,
  limits: RetryLimits,
): AsyncGenerator<ServerEvent<T>, void, undefined> {
  const position: Position = { lastEventId, retryMs: RETRY_MS }
  let isNew = true
  for (let failures = 0; ; ) {
    const idle = idleSignal(idleMs, signal)
    let pauseMs: number
    try {
      idle.start()
      const response = await open(position.lastEventId, idle.signal)
      idle.stop()
      isNew = false
      failures = 0
      yield* readEvents<T>(linesOf(response, idle), position)
      pauseMs = position.retryMs
    } catch (error) {
      signal?.throwIfAborted()
      failures += 1
      pauseMs = pauseAfter(error, failures, isNew, limits)
    } finally {
      idle.end()
    }
    await sleep(pauseMs, signal)
  }
}
