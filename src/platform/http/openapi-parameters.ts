/** Parameters and headers in the OpenAPI document. */
import { formatId, idPattern, sentIdPattern } from '../lib/ids.ts'
import { type Described, takesIdempotencyKey } from './openapi-failures.ts'
import type { Json, SchemaComponents } from './openapi-schemas.ts'
import { LIMIT_HEADERS } from './limit-headers.ts'

const EXAMPLE_UUID = '0197c7a1-5a3e-7c4e-8f12-3b6d9e0a5c71'

const text: Json = { type: 'string' }
const count: Json = { type: 'integer' }

export const headers: Json = {
  'X-Request-Id': {
    description: 'Identifies the request in the log of the service.',
    schema: text,
  },
  ETag: {
    description:
      'Revision and digest of the response, for `If-Match` and `If-None-Match`. Send it ' +
      'back unchanged.',
    schema: text,
  },
  Location: { description: 'Path of the created resource.', schema: text },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response to an earlier request.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: count },
  'WWW-Authenticate': { description: 'The required credential (RFC 9110).', schema: text },
  'RateLimit-Policy': {
    description: 'Name, quota `q` and window `w` in seconds (IETF draft).',
    schema: text,
  },
  RateLimit: { description: 'Remaining quota `r`, and seconds `t` until the reset.', schema: text },
  'X-RateLimit-Limit': { description: 'Number of requests allowed in one window.', schema: count },
  'X-RateLimit-Remaining': {
    description: 'Number of requests remaining in the window.',
    schema: count,
  },
  'X-RateLimit-Reset': { description: 'Seconds until the window resets.', schema: count },
}

/** Without examples, which the reference page would send with every request it tries. */
export const parameters: Json = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A value that you choose, such as a UUID. Repeating the request with it within 24 hours returns the first response again.',
    schema: { type: 'string', minLength: 1, maxLength: 257 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The request takes effect only if the resource still has the revision of this ETag, such as `"3-Yp1Xb7Qe0cVh9sKd"`.',
    schema: text,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description:
      'ETags of responses that you have. If the response would match one of them, it is 304 without a body.',
    schema: text,
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description:
      'Server-sent events: the last `id` received. A stream with a history continues after it, and ignores the query parameter `after`; the stream of a state sends the state only if it has changed since then.',
    schema: text,
  },
}

function pathParameters({ path, params }: Described): Json[] {
  return [...path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => {
    const place = { name, in: 'path', required: true }
    const param = params[name]
    if (param === undefined) return { ...place, schema: text }
    const { prefix } = param
    if (prefix === undefined) return { ...place, schema: { type: 'integer', minimum: 1 } }
    const schema = {
      type: 'string',
      pattern: (param.isSentByDevices ? sentIdPattern : idPattern)(prefix),
    }
    return { ...place, schema, example: formatId(prefix, EXAMPLE_UUID) }
  })
}

/** The fields of a filter with their operators, as data. */
export const FILTER_FORMS = 'x-filter'

function queryParameters({ query }: Described, schemas: SchemaComponents): Json[] {
  const { properties = {}, required = [] } = (query ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const short = 'filter' in properties ? `Short for \`${name} = …\` in \`filter\`.` : undefined
    const { description = short, [FILTER_FORMS]: forms, ...schema } = property
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description !== undefined && { description }),
      ...(forms !== undefined && { [FILTER_FORMS]: forms }),
      schema: schemas.use(schema),
    }
  })
}

/** Path, query and header parameters of an operation, in this order. */
export function parametersOf(
  operation: Described,
  schemas: SchemaComponents,
  hasRevision: HasRevision,
): Json[] {
  const named = (name: string): Json => ({ $ref: `#/components/parameters/${name}` })
  const found = [...pathParameters(operation), ...queryParameters(operation, schemas)]
  if (takesIdempotencyKey(operation)) found.push(named('IdempotencyKey'))
  if (operation.fails.includes('precondition_failed') && operation.method !== 'GET') {
    found.push(named('IfMatch'))
  }
  if (isConditional(operation, hasRevision)) found.push(named('IfNoneMatch'))
  if (operation.live !== undefined) found.push(named('LastEventId'))
  return found
}

const withoutNames = (path: string): string => path.replaceAll(/:[a-z_]+/g, ':')

/** Whether a response has an ETag. */
export type HasRevision = (operation: Described, status: string) => boolean

/**
 * A resource has an ETag if a change of it accepts a precondition: where it is read, changed or
 * created, and in any other response that contains it. Few operations say so themselves.
 */
export function revisions(operations: readonly Described[]): HasRevision {
  const paths = new Set(
    operations
      .filter(({ fails }) => fails.includes('precondition_failed'))
      .map(({ path }) => withoutNames(path)),
  )
  const views = new Set(
    operations
      .filter(({ method, path }) => method === 'GET' && paths.has(withoutNames(path)))
      .map(({ returns }) => returns[200]),
  )
  return ({ path, returns, query, hasEtag }, status) => {
    if (hasEtag) return status === '200'
    const { properties = {} } = (query ?? {}) as { properties?: Json }
    // List pages have none, even if their members accept preconditions.
    if (status === '204' || 'cursor' in properties) return false
    const place = status === '201' ? `${path}/:id` : path
    return paths.has(withoutNames(place)) || views.has(returns[Number(status)])
  }
}

/** Whether an operation supports 304. */
export const isConditional = (operation: Described, hasRevision: HasRevision): boolean =>
  operation.method === 'GET' && hasRevision(operation, '200')

export function responseHeaders(
  operation: Described,
  status: string,
  hasRevision: HasRevision,
): Json {
  const names = ['X-Request-Id', ...LIMIT_HEADERS]
  if (hasRevision(operation, status)) names.push('ETag')
  if (operation.hasLocation && status === '201') names.push('Location')
  if (takesIdempotencyKey(operation)) names.push('Idempotent-Replayed')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
