/**
 * An operation as data. From the list of operations come the routes, the access gate, validation,
 * response shaping, OpenAPI, the route table, rate limits and the laws that test them.
 */
import type { Static, TSchema } from 'typebox'
import type { AnonymousCaller, Caller, CallerKind, KnownCaller } from '../access/principal.ts'
import type { Permission } from '../access/permissions.ts'
import type { FailureCode } from '../errors.ts'
import type { DocumentForm } from './document-form.ts'
import type { LiveForm } from './live-form.ts'
import type { IdParam, NumberParam } from './path-params.ts'
import type { RowFormat } from './row-body.ts'
import type { StreamFormat, StreamOptions } from './stream-format.ts'

export { type IdParam, idParam, type NumberParam, numberParam } from './path-params.ts'

/** Every path hangs below it; within v1 there are only additions. */
export const BASE_PATH = '/api/v1'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `safety` is for what must always work: rotate, revoke, delete, log out. */
export type Bucket = 'auth' | 'read' | 'write' | 'provision' | 'safety'

/** The kinds that an operation takes; `public` asks for no credential. */
export type Access = readonly CallerKind[] | 'public'

export type Params = Readonly<Record<string, IdParam | NumberParam>>
export type Returns = Readonly<Record<number, TSchema | null>>

export interface RequestInfo {
  /** Also sent as `X-Request-Id`. */
  id: string
  /** 32 hex digits; of the caller's `traceparent`, if it sent one (W3C Trace Context). */
  traceId: string
  /** The client's IP address; only configured proxies may name it. */
  address: string
  userAgent: string
  /** The credential as it was sent; answers that hold secrets are sealed for it. */
  credential: string
  /** Revisions of `If-Match`, or undefined when every revision will do. */
  ifMatch: readonly number[] | undefined
  /** The value of `Idempotency-Key`, without its quotes. */
  idempotencyKey: string | undefined
  /** UUID of the workspace whose domain a public request came by; undefined for all others. */
  hostWorkspaceId: string | undefined
  /** What the answer links to (RFC 8288): paths below `/api/v1` by their relation. */
  links: Map<string, string>
  /** Runs `listener` once the answer is out, or the client has gone away before. */
  onClose(listener: () => void): void
}

/** What `run` gets: the services, and what is of this request alone. */
export type RequestContext<Services, C extends Caller> = Services & {
  caller: C
  request: RequestInfo
  /** UUID of the workspace in the path, which the caller may see; '' where the path has none. */
  workspaceId: string
}

export type Answer<R extends Returns> = {
  [Status in keyof R & number]: {
    status: Status
    body: R[Status] extends TSchema ? Static<R[Status]> : null
    /** The revision of the resource in the body: becomes its ETag. */
    revision?: number
    /** Path below `/api/v1` of what was created. */
    location?: string
    /** Whether this is an earlier answer, given again. */
    replayed?: boolean
  }
}[keyof R & number]

/** An answer of `run`, with its status as a literal. */
export const answer = <Status extends number, Body>(
  status: Status,
  body: Body,
  extra: { revision?: number; location?: string; replayed?: boolean } = {},
) => ({ status, body, ...extra })

type CallersByKind = { [C in KnownCaller as C['kind']]: C }

export type CallerOf<A extends Access> = A extends readonly (infer Kind extends CallerKind)[]
  ? CallersByKind[Kind]
  : AnonymousCaller

type Input<P extends Params, Q extends TSchema, B extends TSchema> = {
  params: { [Name in keyof P]: string }
  query: Static<Q>
  body: Static<B>
}

/** How a repeated POST is kept from acting twice. */
export type Idempotency =
  /** The answer is stored with the change and replayed by `Idempotency-Key`. */
  | 'stored'
  /** The operation has a rule of its own for it. */
  | 'own'

export interface Definition<
  Services,
  A extends Access,
  P extends Params,
  Q extends TSchema,
  B extends TSchema,
  R extends Returns,
> {
  /** The function's name, the log's name and the reference's id. */
  id: string
  method: Method
  /** Below `/api/v1`, with `:name` parameters. */
  path: string
  /** Heading of the reference that it stands under. */
  tag: string
  /** One line for people. Without one the operation works and is not in the reference. */
  summary?: string
  description?: string
  access: A
  /** Needed in the workspace of the path, by users and platform keys. */
  permission?: Permission
  /** What the rule asks for beside it, where more is asked of it. */
  alsoNeeds?: readonly Permission[]
  /** Parameter of the path in which a user who names themselves needs no permission. */
  selfParam?: string
  /** GET is `read`, the rest `write`, where nothing else is said. */
  bucket?: Bucket
  /**
   * Ends, revokes or rotates, perhaps for many; finds what can be ended; or changes a right, as
   * nobody can say beforehand whether that narrows it. A plan's limit on calls never refuses it.
   */
  isPlanFree?: true
  params?: P
  query?: Q
  body?: B
  /** Of body and query. `ignore` on device-facing routes: fielded firmware can't be changed. */
  unknownMembers?: 'refuse' | 'ignore'
  /** Whether a device may call it that waits for approval, or was rejected. */
  unapproved?: 'refuse' | 'allow'
  returns: R
  fails: readonly FailureCode[]
  idempotency?: Idempotency
  /** An example body for the reference. */
  example?: unknown
  /** The answer as messages that go on, for whoever asks for server-sent events. */
  live?: LiveForm<RequestContext<Services, CallerOf<A>>, Input<P, Q, B>>
  /** The answer as a document, for whoever asks for its media type. */
  document?: DocumentForm<RequestContext<Services, CallerOf<A>>, Input<P, Q, B>>
  run(context: RequestContext<Services, CallerOf<A>>, input: Input<P, Q, B>): Promise<Answer<R>>
}

/**
 * Whether a plan's limit on calls may refuse it. Never what makes things safe or ends them, or
 * finds them for that, what a device needs to come back, or what pays for more.
 */
export const isPlanLimited = (
  operation: Pick<Operation, 'bucket' | 'isPlanFree' | 'method' | 'permission' | 'tag'>,
): boolean => {
  const { bucket, isPlanFree, method, permission = '', tag } = operation
  if (isPlanFree || (bucket !== 'read' && bucket !== 'write')) return false
  return method !== 'DELETE' && tag !== 'Billing' && !permission.startsWith('billing.')
}

/** An operation whose types have been checked where it was defined. */
export interface Operation<Services = never> {
  id: string
  method: Method
  path: string
  tag: string
  summary: string | undefined
  description: string | undefined
  access: Access
  permission: Permission | undefined
  alsoNeeds: readonly Permission[]
  selfParam: string | undefined
  bucket: Bucket
  isPlanFree: boolean
  params: Params
  query: TSchema | undefined
  body: TSchema | undefined
  unknownMembers: 'refuse' | 'ignore'
  unapproved: 'refuse' | 'allow'
  returns: Returns
  fails: readonly FailureCode[]
  idempotency: Idempotency
  example: unknown
  /** Body and answer are NDJSON streams of rows, each of the shape of `body` and `returns`. */
  rows: RowFormat | undefined
  /** The answer is a stream of rows, each of the shape of `returns`. */
  stream: StreamOptions | undefined
  live: LiveForm<RequestContext<Services, Caller>, WireInput> | undefined
  document: DocumentForm<RequestContext<Services, Caller>, WireInput> | undefined
  run(
    context: RequestContext<Services, Caller>,
    input: WireInput & { format?: StreamFormat },
  ): Promise<WireAnswer>
}

export interface WireInput {
  params: Record<string, string>
  query: unknown
  body: unknown
}

export interface WireAnswer {
  status: number
  body: unknown
  revision?: number
  location?: string
  replayed?: boolean
}

/** Makes the `operation` function of a program with these services. */
export const operationOf =
  <Services>() =>
  <
    const A extends Access,
    const P extends Params,
    Q extends TSchema,
    B extends TSchema,
    const R extends Returns,
  >(
    definition: Definition<Services, A, P, Q, B, R>,
  ): Operation<Services> => ({
    summary: undefined,
    description: undefined,
    permission: undefined,
    alsoNeeds: [],
    selfParam: undefined,
    bucket: definition.method === 'GET' ? 'read' : 'write',
    isPlanFree: false,
    query: undefined,
    body: undefined,
    unknownMembers: 'refuse',
    unapproved: 'refuse',
    idempotency: 'stored',
    example: undefined,
    rows: undefined,
    stream: undefined,
    ...definition,
    live: definition.live,
    document: definition.document,
    params: definition.params ?? {},
    run: (context, input) => definition.run(context as never, input as never),
  })

/** The parameter that holds the workspace of a path, by convention the first one. */
export const WORKSPACE_PARAM = 'id'
export const isWorkspacePath = (path: string): boolean => path.startsWith('/workspaces/:id')
