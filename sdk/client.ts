/**
 * A typed client of the Mooring API. It needs `fetch` and WebCrypto, nothing else: Node 20 or
 * later, and browsers.
 */
import type {
  Reply,
  Arguments,
  CallId,
  EventsId,
  Item,
  Message,
  OperationId,
  PagesId,
  PollId,
  Result,
  Row,
  RowsId,
} from './calls.ts'
import { followEvents, type ServerEvent, type StreamInput } from './event-stream.ts'
import { linesOf } from './lines.ts'
import { type Event, type OperationInfo, operations } from './schema.ts'
import { type AnyInput, type ClientOptions, createSend, retryLimitsOf } from './sending.ts'

export { MooringError } from './error.ts'
export type { ServerEvent } from './event-stream.ts'
export type { ClientOptions, Secret } from './sending.ts'

/** How long one request of `poll` waits at the service. */
const WAIT_SECONDS = 30

/** Events of the feed, and the position after them. */
export interface FeedBatch {
  events: Event[]
  /** Store it together with your results, and pass it as `after` when the program starts again. */
  cursor: string
}

/** All methods throw `MooringError` for a refused request. */
export interface Client {
  /** Calls an operation and returns the body of its response. */
  call<Id extends CallId>(id: Id, ...input: Arguments<Id>): Promise<Result<Id>>
  /** Like `call`, with status and headers, such as `etag`. */
  request<Id extends CallId>(id: Id, ...input: Arguments<Id>): Promise<Reply<Id>>
  /** Calls an operation and returns its response unread, for a PDF or CSV file. */
  send<Id extends OperationId>(id: Id, ...input: Arguments<Id>): Promise<Response>
  /** The items of a list, page by page. */
  pages<Id extends PagesId>(id: Id, ...input: Arguments<Id>): AsyncGenerator<Item<Id>>
  /** Rows of an export, or the result of each row of an import. */
  rows<Id extends RowsId>(id: Id, ...input: Arguments<Id>): AsyncGenerator<Row<Id>>
  /**
   * Server-sent events, without end: after a lost connection it continues after the last event.
   * Ends with the loop over it, or when `signal` is aborted.
   */
  events<Id extends EventsId>(
    id: Id,
    ...input: Arguments<Id, StreamInput>
  ): AsyncGenerator<ServerEvent<Message<Id>>>
  /**
   * The event feed, without end: every event once and in order, from `after` on. Waits for the next
   * events at the service. Also yields a batch without events when the position has moved.
   */
  feed(...input: Arguments<'readEvents'>): AsyncGenerator<FeedBatch, never, undefined>
  /** Repeats a call that waits at the service, until `isSettled`. */
  poll<Id extends PollId>(
    id: Id,
    input: NonNullable<Arguments<Id>[0]>,
    isSettled: (body: Result<Id>) => boolean,
  ): Promise<Result<Id>>
}

interface Page {
  items: unknown[]
  next_cursor: string | null
}

interface Parsed {
  status: number
  body: unknown
  headers: Headers
}

async function readJson(response: Response): Promise<() => Parsed> {
  const { status, headers } = response
  const text = await response.text()
  // Parsed later: a malformed body is no failure of the network.
  return () => ({ status, headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) })
}

/** @throws TypeError if the options name more than one credential */
export function createClient(options: ClientOptions): Client {
  const send = createSend(options)
  const infoOf = (id: OperationId): OperationInfo => operations[id]

  const request = async (id: OperationId, input: AnyInput = {}): Promise<Parsed> =>
    (await send(infoOf(id), input, readJson))()

  async function call(id: OperationId, input?: AnyInput): Promise<unknown> {
    const { status, body } = await request(id, input)
    if (status === 304) throw new TypeError('use `request` for a call with if-none-match')
    return body
  }

  async function* pages(id: OperationId, input: AnyInput = {}): AsyncGenerator {
    let query: Record<string, unknown> = { ...input.query }
    for (;;) {
      const page = (await call(id, { ...input, query })) as Page
      yield* page.items
      if (page.next_cursor === null) return
      query = { ...query, cursor: page.next_cursor }
    }
  }

  async function* rows(id: OperationId, input: AnyInput = {}): AsyncGenerator {
    const response = await send(infoOf(id), input, (each) => each)
    for await (const line of linesOf(response)) if (line !== '') yield JSON.parse(line) as unknown
  }

  function events(id: OperationId, input: AnyInput & StreamInput = {}) {
    const retryLimits = retryLimitsOf(options)
    const open = (lastEventId: string | undefined, signal: AbortSignal): Promise<Response> => {
      const headers = {
        ...input.headers,
        accept: 'text/event-stream',
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      }
      const once = { ...retryLimits, retries: 0 }
      return send(infoOf(id), { ...input, headers, signal }, (each) => each, once)
    }
    return followEvents(open, input, retryLimits)
  }

  async function* feed(input: AnyInput = {}): AsyncGenerator<FeedBatch, never, undefined> {
    let query: Record<string, unknown> = { wait: WAIT_SECONDS, ...input.query }
    for (;;) {
      const page = (await call('readEvents', { ...input, query })) as Page
      const cursor = page.next_cursor ?? ''
      const isMoved = cursor !== query['after']
      query = { ...query, after: cursor }
      if (isMoved) yield { events: page.items as Event[], cursor }
    }
  }

  async function poll(
    id: OperationId,
    input: AnyInput,
    isSettled: (body: unknown) => boolean,
  ): Promise<unknown> {
    const query = { wait: WAIT_SECONDS, ...input.query }
    for (;;) {
      const body = await call(id, { ...input, query })
      if (isSettled(body)) return body
    }
  }

  const raw = (id: OperationId, input: AnyInput = {}): Promise<Response> =>
    send(infoOf(id), input, (each) => each)
  // The types of the operations are those of the service, which validates what it gets.
  return { call, request, send: raw, pages, rows, events, feed, poll } as Client
}
