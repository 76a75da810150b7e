/** The failures of each operation as responses of the OpenAPI document. */
import { STATUS_CODES } from 'node:http'
import Type from 'typebox'
import { type AccessKind, callerKindOf } from '../access/principal.ts'
import { catalogue, type FailureCode } from '../errors/errors.ts'
import type { Problem } from './failures.ts'
import type { Json, SchemaComponents } from './openapi-schemas.ts'
import {
  BASE_PATH,
  CONSOLE_BASE,
  isForOperators,
  isOwnAccountPath,
  isPlanLimited,
  isWorkspacePath,
  type Operation,
} from './operation.ts'
import { LIMIT_HEADERS } from './limit-headers.ts'

export type Described = Omit<Operation, 'run'>

export const ProblemSchema = Type.Object(
  {
    type: Type.String({
      format: 'uri-reference',
      description: 'The URL of a page that explains this error.',
    }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'A message for people.' }),
    instance: Type.String({ description: 'The path of the request.' }),
    code: Type.String({
      description: 'The error code. Its meaning never changes; base decisions on it.',
    }),
    message: Type.String({ description: 'Repeats `detail`.' }),
    trace_id: Type.String({ description: 'Identifies the request in the log of the service.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({
            description:
              'JSON Pointer (RFC 6901) into the body, or `/query/…`, `/header/…` and the name.',
          }),
          message: Type.String(),
        }),
      ),
    ),
    limit: Type.Optional(
      Type.Object({
        name: Type.String(),
        value: Type.Integer(),
        use: Type.Optional(Type.Integer({ description: 'The used amount.' })),
        reset_seconds: Type.Optional(Type.Integer()),
      }),
    ),
    rule: Type.Optional(
      Type.String({ description: 'The setting of the key or device that caused the refusal.' }),
    ),
  },
  { title: 'Problem', description: 'RFC 9457, `application/problem+json`.' },
)

/** The failures of any request, whatever its operation is. */
const ofRequests: readonly FailureCode[] = [
  'invalid_request',
  'expectation_failed',
  'request_header_too_large',
  'request_timeout',
]

const ofBodies: readonly FailureCode[] = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
]

const ofIdempotencyKey: readonly FailureCode[] = [
  'idempotency_in_progress',
  'idempotency_key_reused',
]

/** Whether an operation accepts `Idempotency-Key`; with an own rule, its failure codes decide. */
export const takesIdempotencyKey = (operation: Described): boolean =>
  operation.method === 'POST' &&
  (operation.idempotency !== 'own' || operation.fails.includes('idempotency_key_reused'))

const isOfWorkspace = (kind: AccessKind): boolean => callerKindOf(kind) !== 'user'

/** The failures of an operation at the gate, apart from unknown ids of the path. */
export function gateCodes(operation: Described): FailureCode[] {
  const { access, path, permission, unapproved } = operation
  const codes: FailureCode[] = ['ambiguous_credentials', 'rate_limited', 'misdirected_request']
  if (operation.base === CONSOLE_BASE) codes.push('cross_site_request')
  if (access !== 'public') {
    codes.push('credential_missing', 'credential_rejected', 'wrong_credential_kind')
  }
  if (access.includes('device') && unapproved === 'refuse') codes.push('device_not_approved')
  if (isWorkspacePath(path)) codes.push('workspace_not_found')
  // A user who names no workspace has none.
  const hasWorkspace = isWorkspacePath(path) || (access !== 'public' && access.some(isOfWorkspace))
  if (hasWorkspace && isPlanLimited(operation)) codes.push('plan_limit_reached')
  if (permission !== undefined) codes.push('permission_denied')
  const isForUsers = access !== 'public' && access.some((kind) => !isOfWorkspace(kind))
  if (isForUsers && !isOwnAccountPath(path)) codes.push('password_change_required', 'mfa_required')
  if (isForOperators(operation)) codes.push('operator_required')
  if (operation.needsFreshProof) codes.push('fresh_authentication_required')
  return codes
}

/** The failures of an operation itself, unknown ids of the path included. */
export const ownCodes = ({ params, fails }: Described): FailureCode[] => [
  ...Object.values(params).map(({ missing }) => missing),
  ...fails,
]

/** All codes an operation can respond with: its own, and those of the request pipeline. */
export function failureCodesOf(operation: Described): FailureCode[] {
  const codes: FailureCode[] = [...ofRequests, ...gateCodes(operation)]
  // Also if the operation needs no body: one that is sent is read, and must be JSON.
  if (operation.method !== 'GET') codes.push(...ofBodies)
  if (takesIdempotencyKey(operation)) codes.push(...ofIdempotencyKey)
  if (operation.live !== undefined) codes.push('too_many_streams')
  return [...new Set([...codes, ...ownCodes(operation), 'internal_error', 'unavailable'] as const)]
}

/** Additional members of the problem, by code. */
const extras: Partial<Record<FailureCode, Partial<Problem>>> = {
  invalid_request: { errors: [{ pointer: '/name', message: 'is missing' }] },
  rate_limited: { limit: { name: 'write', value: 100, reset_seconds: 12 } },
  plan_limit_reached: {
    limit: { name: 'api_calls_per_month', value: 100_000, use: 100_000, reset_seconds: 86_400 },
  },
  key_scope_denied: { rule: 'allowed_cidrs' },
  device_not_approved: { rule: 'approval' },
  device_already_registered: { rule: 'on_known_device' },
  quota_reached: { rule: 'device_quota' },
  too_many_streams: { limit: { name: 'streams_of_workspace', value: 100, reset_seconds: 10 } },
  too_many_attempts: { limit: { name: 'failed_attempts', value: 10, reset_seconds: 30 } },
}

function exampleOf(code: FailureCode, origin: string): Json {
  const { status, title, sentence } = catalogue[code]
  const problem: Problem = {
    type: `${origin}${BASE_PATH}/errors/${code}`,
    title,
    status,
    detail: sentence,
    instance: BASE_PATH,
    code,
    message: sentence,
    trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
    ...extras[code],
  }
  return { summary: title, value: problem }
}

const retried = new Set([409, 429, 503])

function headersOf(status: number): Json {
  const named = (name: string): Json => ({ [name]: { $ref: `#/components/headers/${name}` } })
  return {
    ...named('X-Request-Id'),
    ...(status === 401 && named('WWW-Authenticate')),
    ...(retried.has(status) && named('Retry-After')),
    ...(status === 429 && Object.assign({}, ...LIMIT_HEADERS.map(named))),
  }
}

/** Names of responses stand for these codes together, which most operations have. */
const SHARED: Readonly<Record<string, readonly FailureCode[]>> = {
  BadRequest: ['ambiguous_credentials', 'invalid_request'],
  Unauthenticated: ['credential_missing', 'credential_rejected'],
  Forbidden: [
    'mfa_required',
    'password_change_required',
    'permission_denied',
    'wrong_credential_kind',
  ],
  AccountForbidden: ['mfa_required', 'password_change_required', 'wrong_credential_kind'],
}
/** Names of types in generated programs should fit into a line. */
const MAX_NAME = 55

const capitalized = (text: string): string =>
  text.replaceAll(/(?:^|[ _])([a-z])/gi, (_, letter: string) => letter.toUpperCase())

/**
 * The name of a response, which is also a name in generated programs: `DeviceOrWorkspaceNotFound`.
 * A response with too many codes is named after its operation: `CreateDeviceConflict`.
 */
function nameOf(status: number, codes: readonly FailureCode[], operationId: string): string {
  let rest = codes
  const parts: string[] = []
  for (const [name, shared] of Object.entries(SHARED)) {
    if (!shared.every((code) => rest.includes(code))) continue
    parts.push(name)
    rest = rest.filter((code) => !shared.includes(code))
  }
  const name = [...parts, ...rest.map(capitalized)].join('Or')
  const folded = name.replaceAll(/NotFound(?=Or\w*NotFound)/g, '')
  if (folded.length <= MAX_NAME) return folded
  return capitalized(`${operationId} ${STATUS_CODES[status] ?? ''}`)
}

export interface FailureResponses {
  /** References to an operation's responses, by status. */
  of(operation: Described): Json
  /** The referenced responses. Operations with equal codes share one unless its name has theirs. */
  responses(): Json
  /** The referenced examples, by code. */
  examples(): Json
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1

export function createFailureResponses(
  schemas: SchemaComponents,
  origin: string,
): FailureResponses {
  const examples = new Map<FailureCode, Json>()
  const responses = new Map<string, Json>()
  const problem = schemas.use(ProblemSchema)

  const responseOf = (status: number, codes: readonly FailureCode[]): Json => ({
    description: codes.map((code) => `- \`${code}\`: ${catalogue[code].sentence}`).join('\n'),
    headers: headersOf(status),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            problem,
            { type: 'object', properties: { code: { type: 'string', enum: [...codes] } } },
          ],
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  })

  function refer(status: number, codes: readonly FailureCode[], operationId: string): Json {
    const name = nameOf(status, codes, operationId)
    const response = responseOf(status, codes)
    const present = responses.get(name)
    if (present !== undefined && JSON.stringify(present) !== JSON.stringify(response)) {
      throw new Error(`Two responses with different codes would be named ${name}.`)
    }
    responses.set(name, response)
    for (const code of codes) examples.set(code, exampleOf(code, origin))
    return { $ref: `#/components/responses/${name}` }
  }

  return {
    of(operation) {
      const codes = failureCodesOf(operation).sort((one, other) => (one < other ? -1 : 1))
      const byStatus = Map.groupBy(codes, (code) => catalogue[code].status)
      return Object.fromEntries(
        [...byStatus].map(([status, group]) => [status, refer(status, group, operation.id)]),
      )
    },
    responses: () => Object.fromEntries([...responses].sort(byName)),
    examples: () => Object.fromEntries([...examples].sort(byName)),
  }
}
