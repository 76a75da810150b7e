/**
 * Answers that go on: messages as they come, for whoever asks for server-sent events (WHATWG HTML,
 * "Server-sent events"). An operation has them beside its answer, as another form of it.
 */
import type { TSchema } from 'typebox'

export const EVENT_STREAM = 'text/event-stream'

/** One message. Without `data` it only says how far the stream is; clients hear nothing of it. */
export interface LiveMessage {
  /** Where to go on after it; a client that comes again sends it as `Last-Event-ID`. */
  id: string
  event?: string
  data?: unknown
}

export interface LiveStream {
  /** Where the client goes on, if it was here before. */
  lastEventId: string | undefined
  /** Aborted when nobody listens any more, or nobody may; the iteration then has to end. */
  signal: AbortSignal
}

export interface LiveForm<Context, Input> {
  /** The shape of `data`. */
  message: TSchema
  /**
   * Yields messages, and none faster than the client reads. Some should come four times a minute at
   * least. What it throws before its first ones is answered as a problem; later it cuts the
   * connection, and the client comes again.
   */
  run(context: Context, input: Input, stream: LiveStream): AsyncIterable<readonly LiveMessage[]>
}
