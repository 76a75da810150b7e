/**
 * An operation as data. Routes, the access gate, validation, response serialization, OpenAPI, the
 * route table, rate limits and the laws that test them all derive from the list of operations.
 */
import type { Static, TSchema } from 'typebox'
import type {
  AccessKind,
  AnonymousCaller,
  Caller,
  KnownCaller,
  UserCaller,
} from '../access/principal.ts'
import type { Permission } from '../access/permissions.ts'
import type { FailureCode } from '../errors/errors.ts'
import type { Cookies } from './cookies.ts'
import type { MayRepeat } from './idempotency.ts'
import type { LimitState } from './limit-headers.ts'
import type { LiveForm } from './live-form.ts'
import { type NamesIn, type Params, paramsIn } from './path-params.ts'
import { expandPath, type Reply, type UntypedReply, replyOf, respond } from './reply.ts'
import type { RowFormat } from './row-body.ts'
import type { StreamFormat, StreamOptions } from './stream-format.ts'

/** Prefix of the API's paths; within v1, changes are only additive. */
export const BASE_PATH = '/api/v1'

/**
 * Prefix of the operations that only the web console calls, from pages of this service's own
 * origin. They alone see cookies.
 */
export const CONSOLE_BASE = '/console/api'

type Base = typeof BASE_PATH | typeof CONSOLE_BASE

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Rate limit bucket. `safety` is for what must always work: rotate, revoke, delete, log out. */
export type Bucket = 'auth' | 'read' | 'write' | 'provision' | 'safety'

/** The kinds of credentials that an operation accepts; `public` needs none. */
export type Access = readonly AccessKind[] | 'public'

export type Returns = Readonly<Record<number, TSchema | null>>

interface MadeDocument {
  /** For `Content-Disposition`. */
  filename: string
  bytes: Uint8Array
}

/** A document for people, such as a PDF, as another representation of a response. */
interface DocumentForm<Context, Input> {
  /** Its media type. */
  type: string
  run(context: Context, input: Input): Promise<MadeDocument>
}

export interface RequestInfo {
  /** Also sent as `X-Request-Id`. */
  id: string
  /** 32 hex digits; from the caller's `traceparent` if it sent one (W3C Trace Context). */
  traceId: string
  /** The client's IP address; `X-Forwarded-For` counts only from configured proxies. */
  address: string
  userAgent: string
  /** The credential as sent; stored responses that contain secrets are encrypted with it. */
  credential: string
  /** Revisions in `If-Match`, or undefined if any revision will do. */
  ifMatch: readonly number[] | undefined
  /** The value of `Idempotency-Key`, unquoted. */
  idempotencyKey: string | undefined
  /** UUID of the workspace through whose domain a public request came; otherwise undefined. */
  hostWorkspaceId: string | undefined
  /** Only operations of the console have cookies. */
  cookies: Cookies | undefined
  /** Shows a limit that the rule has counted in the headers of the response. */
  showLimit(state: LimitState | undefined): void
  /** `Link` header of the response (RFC 8288): paths below the base by relation. */
  links: Map<string, string>
  /** Calls `listener` when the response is sent or the client disconnects. */
  onClose(listener: () => void): void
}

/** The first argument of `run`: the services and the request. */
export type RequestContext<Services, C extends Caller> = Services & {
  caller: C
  request: RequestInfo
  /** UUID of the path's workspace, which the caller may see; '' if the path has none. */
  workspaceId: string
}

type BodyOf<Schema> = Schema extends TSchema ? Static<Schema> : null

export type OperationResponse<R extends Returns> = {
  [Status in keyof R & number]: Reply<Status, BodyOf<R[Status]>>
}[keyof R & number]

type ResponseBody<R extends Returns> = OperationResponse<R>['body']

/** The body that `run` may return in place of a response if there is only one status. */
type Result<Body> = Body | { view: Body; revision: number }

type OnlyBody<R extends Returns> = [keyof R] extends [infer Status extends keyof R]
  ? Exclude<keyof R, Status> extends never
    ? R[Status] extends TSchema
      ? Static<R[Status]>
      : void
    : never
  : never

export type CallerOf<A extends Access> = A extends readonly (infer Kind extends AccessKind)[]
  ? Extract<KnownCaller, { kind: Kind }> | ('operator' extends Kind ? UserCaller : never)
  : AnonymousCaller

type Input<Route extends string, Q extends TSchema, B extends TSchema> = {
  params: { [Name in NamesIn<Route>]: string }
  query: Static<Q>
  body: Static<B>
}

/** The common properties of the operations of one slice. */
export interface Common<A extends Access> {
  /** Section of the API reference. */
  tag: string
  access: A
}

/** Further common properties, which are optional. */
interface Shareable {
  /** By default `/api/v1`. */
  base?: Base
  /**
   * Exempts the operation from a plan's limit on calls, since it ends, revokes or rotates
   * something, possibly for many; or finds what to end; or changes rights, which may narrow them.
   */
  isPlanFree?: true
  /** In body and query. `ignore` for device-facing routes: deployed firmware cannot be changed. */
  unknownMembers?: 'refuse' | 'ignore'
  /**
   * How retries of a POST are kept from acting twice. By default the response is stored in the
   * transaction of the change and replayed by `Idempotency-Key`; `own`: by its own mechanism.
   */
  idempotency?: 'own'
}

export type AnyRoute = `${Method} /${string}`

/** The properties of an operation besides its types. */
interface Description extends Shareable {
  /** Unique name in code, log and OpenAPI (`operationId`). */
  id: string
  /** One line for people. Without it the operation works but is not documented. */
  summary?: string
  description?: string
  /** Required of users and platform keys, in the path's workspace. */
  permission?: Permission
  /** Further permissions that the rule requires in some cases. */
  alsoNeeds?: readonly Permission[]
  /** Path parameter; a user whose own id it is needs no permission. */
  selfParam?: string
  /**
   * Users must have proved the password or a second factor within the last minutes: for what would
   * give the holder of a stolen access token more, or for longer, than the token does.
   */
  needsFreshProof?: true
  /** The document in which a person pays may call it, with a credential that opens little else. */
  takesPaymentToken?: true
  /** By default `read` for GET and `write` otherwise. */
  bucket?: Bucket
  /**
   * `rule`: the body names who is counted, so the rule takes the points. By default they are taken
   * for the caller, or an unauthenticated caller's address, before the body is read. That also
   * happens if it is larger than any that is accepted, since nothing else bounds how many arrive.
   */
  limitedBy?: 'rule'
  /** Whether devices that await approval or were rejected may call it. */
  unapproved?: 'refuse' | 'allow'
  /**
   * The response may contain a secret, ours or a customer's, so that it is never compressed. Only
   * responses to GET are compressed at all.
   */
  mayHoldSecrets?: true
  /** Set if the response has an ETag although no change takes it as a precondition. */
  hasEtag?: true
  /** Its failures besides those of the gate, the schemas and the cursor of a list. */
  fails?: readonly FailureCode[]
  /** An example request body for the API reference. */
  example?: unknown
}

interface Details<
  Services,
  A extends Access,
  Route extends string,
  Q extends TSchema,
  B extends TSchema,
  R extends Returns,
> extends Description {
  /** Method and path, below the base. `path-params.ts` has the meaning of its `:name`s. */
  route: Route
  query?: Q
  body?: B
  returns: R
  /**
   * The created resource in a 201: its path below the base, with members of the body as `{member}`,
   * and its revision, if it has one that `run` does not return.
   */
  created?: { location: `/${string}`; revision?: 1 }
  /** Asked before the stored response is repeated; by default it always is. */
  mayRepeat?: (services: Services, body: ResponseBody<R>) => Promise<boolean>
  /** The response as server-sent events, if the client asks for them. */
  live?: LiveForm<RequestContext<Services, CallerOf<A>>, Input<Route, Q, B>>
  /** The response as a document, if the client asks for its media type. */
  document?: DocumentForm<RequestContext<Services, CallerOf<A>>, Input<Route, Q, B>>
  run(
    context: RequestContext<Services, CallerOf<A>>,
    input: Input<Route, Q, B>,
  ): Promise<OperationResponse<R> | Result<OnlyBody<R>>>
}

export type Definition<
  Services,
  A extends Access,
  Route extends string,
  Q extends TSchema,
  B extends TSchema,
  R extends Returns,
> = Common<A> & Details<Services, A, Route, Q, B, R>

/**
 * Whether a plan's limit on calls may refuse the operation. These operations are exempt: the ones
 * that revoke or end something or find it for that purpose, the ones that devices need to
 * reconnect, and the ones that pay for a larger plan.
 */
export const isPlanLimited = (
  operation: Pick<Operation, 'bucket' | 'isPlanFree' | 'method' | 'permission' | 'tag'>,
): boolean => {
  const { bucket, isPlanFree, method, permission = '', tag } = operation
  if (isPlanFree || (bucket !== 'read' && bucket !== 'write')) return false
  return method !== 'DELETE' && tag !== 'Billing' && !permission.startsWith('billing.')
}

/** Members of a description that have a default. */
type Defaulted = 'base' | 'alsoNeeds' | 'bucket' | 'unknownMembers' | 'unapproved' | 'fails'

/** An operation after type checking: generic types are erased. */
export interface Operation<Services = never>
  extends Common<Access>,
    Omit<Description, Defaulted>,
    Required<Pick<Description, Defaulted>> {
  method: Method
  path: string
  params: Params
  query?: TSchema
  body?: TSchema
  returns: Returns
  /** Whether a 201 has the path of what was created. */
  hasLocation: boolean
  mayRepeat?: MayRepeat<Services>
  /** Request and response are NDJSON streams of rows, shaped like `body` and `returns`. */
  rows?: RowFormat
  /** The response is a stream of rows, shaped like `returns`. */
  stream?: StreamOptions
  live?: LiveForm<RequestContext<Services, Caller>, UntypedInput>
  document?: DocumentForm<RequestContext<Services, Caller>, UntypedInput>
  run(
    context: RequestContext<Services, Caller>,
    input: UntypedInput & { format?: StreamFormat },
  ): Promise<UntypedReply>
}

export interface UntypedInput {
  params: Record<string, string>
  query: unknown
  body: unknown
}

/** The failures that an operation names; a list with pages may get a cursor of another list. */
const failsOf = (named: readonly FailureCode[], query: object = {}): readonly FailureCode[] =>
  'properties' in query && 'cursor' in (query.properties as object)
    ? [...named, 'invalid_cursor']
    : named

/** Creates the typed `operation` function for a set of services. */
export const operationOf =
  <Services>() =>
  <
    const A extends Access,
    const Route extends AnyRoute,
    Q extends TSchema,
    B extends TSchema,
    const R extends Returns,
  >(
    definition: Definition<Services, A, Route, Q, B, R>,
  ): Operation<Services> => {
    const { route, created, ...rest } = definition
    const [method, path] = route.split(' ') as [Method, string]
    const [onlyStatus] = Object.keys(definition.returns).map(Number)
    return {
      base: BASE_PATH,
      params: paramsIn(path, definition.unknownMembers === 'ignore'),
      alsoNeeds: [],
      bucket: method === 'GET' ? 'read' : 'write',
      unknownMembers: 'refuse',
      unapproved: 'refuse',
      hasLocation: created !== undefined,
      ...rest,
      method,
      path,
      fails: failsOf(rest.fails ?? [], rest.query),
      mayRepeat: definition.mayRepeat as MayRepeat<Services> | undefined,
      async run(context, input) {
        const result: unknown = await definition.run(context as never, input as never)
        const reply = replyOf(result, onlyStatus as number)
        if (created === undefined || reply.status !== 201) return reply
        const { status, body, ...extra } = reply
        const location = expandPath(created.location, body)
        return respond(status, body, { ...created, ...extra, location })
      },
    }
  }

/** Creates the same function for operations that have something in common. */
export const operationGroupOf =
  <Services>() =>
  <const Shared extends Access>(common: Common<Shared> & Shareable) =>
  <
    const Route extends AnyRoute,
    Q extends TSchema,
    B extends TSchema,
    const R extends Returns,
    const A extends Access = Shared,
  >(
    definition: Partial<Common<A>> & Details<Services, A, Route, Q, B, R>,
  ): Operation<Services> =>
    operationOf<Services>()({ ...common, ...definition } as Definition<Services, A, Route, Q, B, R>)

/** The route of an operation, with `:name` parameters. */
export const routeOf = ({ base, path }: Pick<Operation, 'base' | 'path'>): string => base + path

/** The common properties of the console's operations for operators. */
export const forOperators = {
  tag: 'Installation',
  access: ['operator'],
  base: CONSOLE_BASE,
  isPlanFree: true,
  idempotency: 'own',
} as const

/** Operations that only operators of the installation may call. */
export const isForOperators = ({ access }: Pick<Operation, 'access'>): boolean =>
  access.includes('operator')

/** Operations on one's own account and sessions. */
export const isOwnAccountPath = (path: string): boolean => path.startsWith('/auth/')

/** By convention, the first path parameter is the workspace. */
export const WORKSPACE_PARAM = 'id'
export const isWorkspacePath = (path: string): boolean => path.startsWith('/workspaces/:id')
