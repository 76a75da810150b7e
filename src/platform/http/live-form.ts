/**
 * Server-sent events (WHATWG HTML, "Server-sent events") as an alternative representation of an
 * operation's response.
 */
import type { TSchema } from 'typebox'

export const EVENT_STREAM = 'text/event-stream'

/** One message. Without `data` it only advances the stream's position, unseen by clients. */
export interface LiveMessage {
  /**
   * The position after it, which a reconnecting client sends as `Last-Event-ID`; undefined in a
   * stream that has no history.
   */
  id?: string
  event?: string
  data?: unknown
}

export interface LiveStream {
  /** The position from which a reconnecting client continues. */
  lastEventId: string | undefined
  /** Aborts when the client is gone or has lost its right; the iteration must then end. */
  signal: AbortSignal
}

export interface LiveForm<Context, Input> {
  /** The schema of `data`. */
  message: TSchema
  /**
   * Yields messages as fast as the client reads, and at least four times a minute. An error thrown
   * before the first messages becomes a problem; later it closes the connection, and the client
   * reconnects.
   */
  run(context: Context, input: Input, stream: LiveStream): AsyncIterable<readonly LiveMessage[]>
}
