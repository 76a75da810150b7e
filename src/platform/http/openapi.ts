/**
 * Generates the OpenAPI 3.1 document from the operations, deterministically. Operations without a
 * summary are omitted.
 */
import type { TSchema } from 'typebox'
import {
  freshProofSentence,
  holdersOfPermissions,
  permissionSentence,
  securityOf,
  securitySchemes,
} from './openapi-access.ts'
import {
  createFailureResponses,
  type Described,
  type FailureResponses,
} from './openapi-failures.ts'
import {
  responseHeaders,
  type HasRevision,
  headers,
  isConditional,
  parameters,
  parametersOf,
  revisions,
} from './openapi-parameters.ts'
import { createSchemaComponents, type Json, type SchemaComponents } from './openapi-schemas.ts'
import { isJsonObject } from '../lib/json.ts'
import { CSV } from './csv.ts'
import { EVENT_STREAM } from './live-form.ts'
import { NDJSON } from './ndjson.ts'
import { BASE_PATH } from './operation.ts'
import { streamFormats } from './stream-format.ts'

/** `CreateApiKey` for `createApiKey`: the types of an operation in generated clients. */
const typeName = ({ id }: Described): string => id.charAt(0).toUpperCase() + id.slice(1)

/** The schema of the body, as it is shown; undefined if the operation takes none. */
export function bodySchema(operation: Described, schemas: SchemaComponents): unknown {
  const { body, unknownMembers } = operation
  if (body === undefined) return undefined
  const closed = unknownMembers === 'refuse' ? { additionalProperties: false } : {}
  return schemas.use({ ...closed, ...body }, typeName(operation))
}

/** Whether a request must have a body. */
export function needsBody({ body, rows }: Described): boolean {
  const { required = [] } = (body ?? {}) as { required?: string[] }
  return required.length > 0 || rows !== undefined
}

export const resultSchema = (
  operation: Described,
  schema: TSchema,
  schemas: SchemaComponents,
): unknown => schemas.use(schema, `${typeName(operation)}Result`)

export interface OpenapiOptions {
  /** Scheme and authority of the service; without it, the document contains relative paths only. */
  origin?: string
  /** Descriptions of the tags. */
  tags?: Readonly<Record<string, string>>
}

const API_VERSION = '1.0.0'
const EXAMPLE_ORIGIN = 'https://mooring.example.com'

const description = `Control plane for connected devices.

**Credentials.** There are five kinds. Each operation names the kinds that it accepts. Send exactly one credential, in exactly one header. Secrets are returned only once.

**Permissions.** \`x-permission\` of an operation names what users and platform keys need, and \`x-also-needs\` what some requests need in addition. \`x-roles\` of this document lists who holds each permission.

**Failures** are problems (RFC 9457, \`application/problem+json\`). Base decisions on \`code\`: its meaning never changes. The \`type\` of a problem is the URL of a page that explains it.

**Lists** accept \`limit\` and \`cursor\`, and return \`{"items": […], "next_cursor": …}\`. To read the next page, pass \`next_cursor\` as \`cursor\`. It is null on the last page.

**Retries.** A POST with an \`Idempotency-Key\` takes effect once, however often it is sent within 24 hours.

**Concurrent changes.** Send the \`ETag\` of the resource that you read as \`If-Match\`. If the resource has changed since, the request has no effect (412). Send it as \`If-None-Match\` when you read again. If the response would be the same, you get 304 without a body.

**Limits.** \`RateLimit\` shows the remaining quota. After a 429, wait for the number of seconds in \`Retry-After\`.

**Ids** have a prefix that names their kind. A resource that the caller may not see is a 404. Members may be added within v1; ignore members that you do not know.

**Times** are RFC 3339. Responses use UTC with milliseconds. Requests may use any time zone, in the years 0001 to 9999 of UTC; a leap second is read as the following second. Write a \`+\` in a query as \`%2B\`.`

const responseDescriptions: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created.',
  204: 'Success. There is no body.',
  304: 'Not modified: the ETag matches `If-None-Match`. There is no body.',
}

interface Parts {
  schemas: SchemaComponents
  failures: FailureResponses
  hasRevision: HasRevision
}

const mediaType = ({ rows }: Described): string =>
  rows === undefined ? 'application/json' : NDJSON

/** A message stream, whose message schema OpenAPI can only describe in words. */
function liveOf({ live }: Described): Json {
  if (live === undefined) return {}
  const { title = 'object' } = live.message as { title?: string }
  const description = `Server-sent events. \`data\` of each is JSON of the schema \`${title}\`.`
  return { [EVENT_STREAM]: { schema: { type: 'string', description } } }
}

/** The document representation of a response. */
const documentOf = ({ document }: Described): Json =>
  document === undefined ? {} : { [document.type]: { schema: { type: 'string' } } }

/** A response by media type: a stream has one for each of its formats. */
function contentOf(operation: Described, schema: unknown): Json {
  const { formats } = operation.stream ?? {}
  if (formats === undefined) {
    return { [mediaType(operation)]: { schema }, ...liveOf(operation), ...documentOf(operation) }
  }
  return Object.fromEntries(
    formats.map((format) => [
      streamFormats[format].type,
      { schema: format === 'ndjson' ? schema : { type: 'string' } },
    ]),
  )
}

/** An example row as CSV, for members that are text. */
function tableOf(example: unknown): string {
  const texts = Object.entries((example ?? {}) as Json).filter(
    ([, value]) => typeof value === 'string',
  )
  return [0, 1].map((at) => `${texts.map((pair) => pair[at]).join(',')}\n`).join('')
}

function requestBody(operation: Described, { schemas }: Parts): Json | undefined {
  const { example, rows } = operation
  const schema = bodySchema(operation, schemas)
  if (schema === undefined) return undefined
  return {
    required: needsBody(operation),
    ...(rows && {
      description: `One JSON object of this schema per line, at most ${rows.rows} lines.`,
    }),
    content: {
      [mediaType(operation)]: { schema, ...(example !== undefined && { example }) },
      ...(rows?.csv && { [CSV]: { schema: { type: 'string' }, example: tableOf(example) } }),
    },
  }
}

function responsesOf(operation: Described, parts: Parts): Json {
  const { schemas, hasRevision } = parts
  const entry = (status: string, like: string, content?: Json): [string, Json] => [
    status,
    {
      description: responseDescriptions[status] ?? 'Success.',
      headers: responseHeaders(operation, like, hasRevision),
      ...(content && { content }),
    },
  ]
  const good = Object.entries(operation.returns).map(([status, schema]) =>
    entry(
      status,
      status,
      schema === null ? undefined : contentOf(operation, resultSchema(operation, schema, schemas)),
    ),
  )
  return Object.fromEntries([
    ...good,
    ...(isConditional(operation, hasRevision) ? [entry('304', '200')] : []),
  ])
}

function operationObject(operation: Described, parts: Parts): Json {
  const { id, tag, summary, permission, alsoNeeds, bucket } = operation
  const descriptions = [
    operation.description,
    permissionSentence(operation),
    freshProofSentence(operation),
  ]
  const found = parametersOf(operation, parts.schemas, parts.hasRevision)
  const body = requestBody(operation, parts)
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: descriptions.filter((each) => each !== undefined).join('\n\n') || `${summary}.`,
    security: securityOf(operation),
    ...(permission !== undefined && { 'x-permission': permission }),
    ...(alsoNeeds.length > 0 && { 'x-also-needs': alsoNeeds }),
    'x-rate-limit': bucket,
    ...(found.length > 0 && { parameters: found }),
    ...(body && { requestBody: body }),
    responses: { ...responsesOf(operation, parts), ...parts.failures.of(operation) },
  }
}

function pathsOf(operations: readonly Described[], parts: Parts): Json {
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:([a-z_]+)/g, '{$1}')
    const methods = (paths[path] ??= {})
    methods[operation.method.toLowerCase()] = operationObject(operation, parts)
  }
  return paths
}

const tagsOf = (
  operations: readonly Described[],
  descriptions: OpenapiOptions['tags'] = {},
): Json[] =>
  [...new Set(operations.map(({ tag }) => tag))].map((name) => ({
    name,
    ...(descriptions[name] !== undefined && { description: descriptions[name] }),
  }))

/** @throws Error if two different schemas have the same name */
export function openapiDocument(all: readonly Described[], options: OpenapiOptions = {}): Json {
  const { origin, tags } = options
  const operations = all.filter(({ summary }) => summary !== undefined)
  const schemas = createSchemaComponents()
  const failures = createFailureResponses(schemas, origin ?? EXAMPLE_ORIGIN)
  const paths = pathsOf(operations, { schemas, failures, hasRevision: revisions(all) })
  return {
    openapi: '3.1.1',
    info: {
      title: 'Mooring',
      version: API_VERSION,
      summary: 'The API of a control plane for connected devices.',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${origin ?? ''}${BASE_PATH}` }],
    tags: tagsOf(operations, tags),
    'x-roles': holdersOfPermissions,
    paths,
    components: {
      schemas: schemas.all(),
      headers,
      parameters,
      responses: failures.responses(),
      examples: failures.examples(),
      securitySchemes,
    },
  }
}

/** JSON without spaces, in which each member of the outer levels has a line of its own. */
function inLines(value: unknown, levels: number): string {
  if (!isJsonObject(value) || levels === 0) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${inLines(member, levels - 1)}`,
  )
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n}`
}

/** The document as text: one line for each member of an operation or component, for comparing. */
export const openapiText = (document: object): string => `${inLines(document, 4)}
`
