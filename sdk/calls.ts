/** The arguments and results of calls, derived from the types of the operations. */
import type { None, Operations } from './schema.ts'

export type OperationId = keyof Operations

/** Operations whose response is one JSON object per line. */
export type RowsId = {
  [Id in OperationId]: Operations[Id] extends { returns: 'rows' } ? Id : never
}[OperationId]

/** Operations whose response is one JSON value. */
export type CallId = Exclude<OperationId, RowsId>

/** Operations that can respond with server-sent events. */
export type EventsId = {
  [Id in OperationId]: Operations[Id] extends { live: true } ? Id : never
}[OperationId]

/** Operations that return one page of a list. */
export type PagesId = {
  [Id in CallId]: Operations[Id] extends {
    query: { cursor?: string }
    responses: { 200: { items: unknown[]; next_cursor: string | null } }
  }
    ? Id
    : never
}[CallId]

/** Operations that can wait for a change before they respond. */
export type PollId = {
  [Id in CallId]: 'wait' extends keyof Operations[Id]['query'] ? Id : never
}[CallId]

export interface CallOptions {
  /** Further headers, such as `if-match`, or an `idempotency-key` of your own. */
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
}

/** Whether a value may be left out: it is undefined, or has no required members. */
type IsOptional<T> = undefined extends T
  ? true
  : [T] extends [None]
    ? true
    : Partial<T> extends T
      ? true
      : false

type Member<Name extends string, T> =
  IsOptional<T> extends true ? { [Key in Name]?: T } : { [Key in Name]: T }

/** A body of lines is given row by row. */
type Body<Id extends OperationId> = Operations[Id] extends { sends: 'rows' }
  ? Iterable<NonNullable<Operations[Id]['body']>>
  : Operations[Id]['body']

export type Input<Id extends OperationId> = Member<'params', Operations[Id]['params']> &
  Member<'query', Operations[Id]['query']> &
  Member<'body', Body<Id>> &
  CallOptions

type Parts = 'params' | 'query' | 'body'

/** The input may be left out if none of its members is required. */
export type Arguments<Id extends OperationId, More = unknown> = false extends {
  [Part in Parts]: IsOptional<Operations[Id][Part]>
}[Parts]
  ? [input: Input<Id> & More]
  : [input?: Input<Id> & More]

/** The body of a successful response. */
export type Result<Id extends OperationId> =
  Operations[Id]['responses'][keyof Operations[Id]['responses']]

/** A successful response; 304 only after a request with `if-none-match`. */
export type Reply<Id extends OperationId> =
  | {
      [Status in keyof Operations[Id]['responses']]: {
        status: Status
        body: Operations[Id]['responses'][Status]
        headers: Headers
      }
    }[keyof Operations[Id]['responses']]
  | (Operations[Id]['method'] extends 'GET'
      ? { status: 304; body: undefined; headers: Headers }
      : never)

/** An element of a list. */
export type Item<Id extends PagesId> = Operations[Id]['responses'] extends {
  200: { items: (infer T)[] }
}
  ? T
  : never

/** A row of a response. */
export type Row<Id extends RowsId> = Operations[Id]['responses'][200]

/** An event of a stream. */
export type Message<Id extends EventsId> = Operations[Id]['message']
