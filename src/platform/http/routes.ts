/** Registers each operation as a Fastify route: gate, limits, validation, run, response. */
import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { roleIn } from '../access/holding.ts'
import { type Caller, callerKey } from '../access/principal.ts'
import { Failure } from '../errors/errors.ts'
import { type Coding, compress } from '../lib/compression.ts'
import { codingOf, COMPRESSED_FROM, isCompressed, VARY } from './content-coding.ts'
import { entityTag, unlessKnown } from './entity-tag.ts'
import { toFailure } from './failures.ts'
import {
  admitAgain,
  gateHook,
  type GateOptions,
  isOutOfScope,
  noteOutOfScope,
  type Authorized,
  type Refusal,
  stillAdmitted,
  requestInfo,
} from './gate-hook.ts'
import {
  type RunIdempotent,
  fingerprintOf,
  requireUnguessable,
  encryptToOf,
  type StoredResponse,
} from './idempotency.ts'
import { sendLive } from './live-stream.ts'
import { EVENT_STREAM } from './live-form.ts'
import type { LiveStreams } from './live-streams.ts'
import { type Operation, type RequestContext, type RequestInfo, routeOf } from './operation.ts'
import { readRowBody, type RowFormat, rowTypesOf } from './row-body.ts'
import { serializerOf } from './serialization.ts'
import {
  formatOf,
  likedBest,
  type StreamChunk,
  streamFormats,
  type StreamOptions,
} from './stream-format.ts'
import { sendResults, sendStream } from './streams.ts'
import { bodyCheck, queryCheck } from './validation.ts'
import { scopeOf } from './gate.ts'

function servicesOf<Services>(options: RouteOptions<Services>, auth: Authorized): Services {
  const scope = scopeOf(auth.caller, auth.workspaceId)
  return scope === undefined ? options.services : options.within(scope)
}

export interface RouteOptions<Services> extends GateOptions {
  services: Services
  /** The same services, with a database connection that can see this workspace only. */
  within(workspaceId: string): Services
  runIdempotent: RunIdempotent<Services>
  /** The open server-sent event streams. */
  live: LiveStreams
  /** Called for each internal failure with its cause. */
  onFailure(error: unknown, status: number, traceId: string): void
}

/** A request of an operation. */
interface Call<Services> {
  operation: Operation<Services>
  options: RouteOptions<Services>
  request: FastifyRequest
  reply: FastifyReply
}

/** The argument of an operation that streams its response. */
function argumentOf<Services>({ operation, options, request, reply }: Call<Services>) {
  const auth = request.auth as Authorized
  const { caller, params, workspaceId } = auth
  const info = requestInfo(operation, request, reply)
  const services = servicesOf(options, auth)
  return { params, context: { ...services, caller, request: info, workspaceId } }
}

/**
 * Fastify would give an empty text a media type, and every response to HEAD a length, which has to
 * be that of the response to GET or none (RFC 9110 section 8.6).
 */
function sendNothing(reply: FastifyReply): FastifyReply {
  if (reply.request.method !== 'HEAD') return reply.send()
  reply.hijack()
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders).end()
  return reply
}

/** Whether `Accept` prefers the document to JSON. */
const wantsDocument = <Services>(
  { document }: Operation<Services>,
  accept: string | undefined,
): boolean =>
  document !== undefined && likedBest(accept, ['application/json', document.type]) === document.type

async function handleDocument<Services>(call: Call<Services>): Promise<FastifyReply> {
  const { operation, request, reply } = call
  const { params, context } = argumentOf(call)
  const document = operation.document as NonNullable<typeof operation.document>
  const input = { params, query: request.query, body: {} }
  const { filename, bytes } = await document.run(context, input)
  return reply
    .code(200)
    .header('content-type', document.type)
    .header('content-disposition', `inline; filename="${filename}"`)
    .header('vary', 'Accept')
    .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

type RefusedRows = Pick<Refusal, 'code' | 'rule'> & { count: number }

function refusalOf(result: unknown): Omit<RefusedRows, 'count'> | undefined {
  const { code, rule } = result as { code?: unknown; rule?: unknown }
  if (!isOutOfScope(code)) return undefined
  return { code, rule: typeof rule === 'string' ? rule : undefined }
}

/** Passes results through; at the end, however it comes, reports the refusals of each setting. */
async function* noteRefusedRows(
  results: AsyncIterable<unknown[]>,
  note: (refused: RefusedRows) => void,
): AsyncGenerator<unknown[]> {
  const bySetting = new Map<string, RefusedRows>()
  try {
    for await (const part of results) {
      for (const result of part) {
        const refused = refusalOf(result)
        if (refused === undefined) continue
        const key = `${refused.code} ${refused.rule}`
        const known = bySetting.get(key)
        if (known === undefined) bySetting.set(key, { ...refused, count: 1 })
        else known.count += 1
      }
      yield part
    }
  } finally {
    for (const refused of bySetting.values()) note(refused)
  }
}

const linksOf = (base: string, links: ReadonlyMap<string, string>): string =>
  [...links].map(([relation, path]) => `<${base}${path}>; rel="${relation}"`).join(', ')

type Run<Services> = (services: Services) => Promise<StoredResponse>

function runner<Services>(
  { operation, request, reply }: Call<Services>,
  info: RequestInfo,
): Run<Services> {
  const { caller, params, workspaceId } = request.auth as Authorized
  return async (services) => {
    const context = { ...services, caller, request: info, workspaceId } as RequestContext<
      Services,
      Caller
    >
    const input = { params, query: request.query, body: request.body ?? {} }
    const response = await operation.run(context, input)
    const headers: Record<string, string> = {}
    if (response.location !== undefined) headers.location = operation.base + response.location
    if (info.links.size > 0) headers.link = linksOf(operation.base, info.links)
    if (response.replayed) headers['idempotent-replayed'] = 'true'
    if (response.body === null) return { status: response.status, headers, body: '' }
    headers['content-type'] = 'application/json; charset=utf-8'
    const serialize = reply.getSerializationFunction(String(response.status)) as (
      body: unknown,
    ) => string
    const body = serialize(response.body)
    const isLarge = body.length >= COMPRESSED_FROM && isCompressed(operation)
    const coding = isLarge ? codingOf(request.headers['accept-encoding']) : undefined
    if (isLarge) headers.vary = VARY
    if (coding !== undefined) headers['content-encoding'] = coding
    if (response.revision !== undefined) headers.etag = entityTag(response.revision, body, coding)
    const full = { status: response.status, headers, body }
    return operation.method === 'GET' ? unlessKnown(full, request.headers['if-none-match']) : full
  }
}

async function handleRequest<Services>(call: Call<Services>): Promise<StoredResponse> {
  const { operation, options, request, reply } = call
  const info = requestInfo(operation, request, reply)
  const run = runner(call, info)
  const auth = request.auth as Authorized
  const { caller } = auth
  const services = servicesOf(options, auth)
  if (info.idempotencyKey === undefined || operation.idempotency === 'own') return run(services)
  const anonymous = caller.kind === 'anonymous'
  if (anonymous) requireUnguessable(info.idempotencyKey)
  const slot = {
    scope: `${anonymous ? 'public' : callerKey(caller)} ${operation.id}`,
    key: info.idempotencyKey,
    fingerprint: fingerprintOf(operation.method, request.url, request.body),
    encryptTo: encryptToOf(caller, info.credential, info.idempotencyKey),
    ...(operation.mayRepeat && { mayRepeat: operation.mayRepeat }),
  }
  const { replayed, response } = await options.runIdempotent(services, slot, run)
  if (replayed) reply.header('idempotent-replayed', 'true')
  return response
}

/** Reports what ended a response that had started, if it is an internal failure. */
const countOwnFailures =
  ({ onFailure }: Pick<RouteOptions<never>, 'onFailure'>, { traceId }: FastifyRequest) =>
  (error: unknown): void => {
    const failure = toFailure(error)
    if (failure.status >= 500) onFailure(failure, failure.status, traceId)
  }

/** Responds to a stream of rows with a stream of results. */
async function handleRows<Services>(
  call: Call<Services>,
  checkRow: (value: unknown) => void,
): Promise<FastifyReply> {
  const { operation, options, request, reply } = call
  const { params, context } = argumentOf(call)
  const body = await readRowBody(request, operation.rows as RowFormat, checkRow)
  const response = await operation.run(context, { params, query: request.query, body })
  const results = noteRefusedRows(response.body as AsyncIterable<unknown[]>, (refusal) =>
    noteOutOfScope(operation, options, request, refusal),
  )
  return sendResults(request, reply, results, stillAdmitted(operation, options, request))
}

/** Responds with a stream in the requested format. */
async function handleStream<Services>(call: Call<Services>): Promise<FastifyReply> {
  const { operation, options, request, reply } = call
  const { params, context } = argumentOf(call)
  const stream = operation.stream as StreamOptions
  const { format: asked, ...query } = request.query as { format?: string }
  const format = formatOf(stream, asked, request.headers.accept)
  if (request.method === 'HEAD') return sendNothing(reply.type(streamFormats[format].type))
  const response = await operation.run(context, { params, query, body: {}, format })
  return sendStream(reply, response.body as AsyncIterable<StreamChunk<unknown>>, {
    format,
    filename: stream.filename,
    still: stillAdmitted(operation, options, request),
    onBroken: countOwnFailures(options, request),
  })
}

const LIVE_OR_NOT = ['application/json', EVENT_STREAM]

/** Responds with server-sent events if requested. */
async function handleLive<Services>(call: Call<Services>): Promise<FastifyReply> {
  const { operation, options, request, reply } = call
  const { params, context } = argumentOf(call)
  const live = operation.live as NonNullable<typeof operation.live>
  const lastEventId = request.headers['last-event-id']
  const { caller, workspaceId } = context
  const role = roleIn(caller, workspaceId)
  // The content of a stream follows from the rights that it began with.
  const readmit = async (): Promise<void> => {
    const present = await admitAgain(operation, options, request)
    if (roleIn(present, workspaceId) !== role) throw new Failure('permission_denied')
  }
  return sendLive(reply, {
    workspaceId,
    userId: caller.kind === 'user' ? caller.userId : undefined,
    streams: options.live,
    serialize: serializerOf(live.message),
    open: ({ signal }) =>
      live.run(
        context,
        { params, query: request.query, body: {} },
        { signal, lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined },
      ),
    readmit,
    onBroken: countOwnFailures(options, request),
  })
}

function responseSchemas(operation: Pick<Operation, 'returns'>): Record<string, TSchema> {
  const schemas: Record<string, TSchema> = {}
  for (const [status, schema] of Object.entries(operation.returns)) {
    if (schema !== null) schemas[status] = schema
  }
  return schemas
}

/**
 * Counts a request that was refused before its rule could count it, such as one with a malformed
 * body, for its address. Throws what is to be sent.
 */
async function countUncounted(
  { bucket }: Pick<Operation, 'bucket'>,
  { rateLimits }: Pick<GateOptions, 'rateLimits'>,
  request: FastifyRequest,
  error: unknown,
): Promise<never> {
  if (request.isUncounted) {
    request.isUncounted = false
    await rateLimits.consumeFrom(bucket, request.ip)
  }
  throw error
}

/** Registers all operations, and HEAD wherever there is GET. */
export function createRoutes<Services>(
  app: FastifyInstance,
  operations: readonly Operation<Services>[],
  options: RouteOptions<Services>,
): void {
  app.decorateRequest('auth', undefined)
  app.decorateRequest('isUncounted', false)
  for (const operation of operations) {
    const checkBody = bodyCheck(operation.body, operation.unknownMembers)
    const checkQuery = queryCheck(operation.query, operation.unknownMembers)
    app.route({
      method: operation.method,
      url: routeOf(operation),
      schema: { response: responseSchemas(operation) },
      config: {
        // Firmware can't be changed, and what it sends alongside its texts is ignored.
        isExact: operation.unknownMembers === 'refuse',
        rowTypes: operation.rows && rowTypesOf(operation.rows),
      },
      onRequest: gateHook(operation, options),
      // oxlint-disable-next-line typescript/no-misused-promises -- Fastify waits for it
      errorHandler: (error, request) => countUncounted(operation, options, request, error),
      handler: async (request, reply) => {
        const call = { operation, options, request, reply }
        checkQuery(request.query)
        // JSON operations never see a stream, and stream operations never a parsed body.
        if (operation.rows !== undefined) {
          if (!(request.body instanceof Readable)) throw new Failure('unsupported_media_type')
          return handleRows(call, checkBody)
        }
        if (request.body instanceof Readable) throw new Failure('unsupported_media_type')
        if (operation.stream !== undefined) return handleStream(call)
        const isLive =
          operation.live !== undefined &&
          likedBest(request.headers.accept, LIVE_OR_NOT) === EVENT_STREAM
        if (isLive && request.method === 'HEAD') return sendNothing(reply.type(EVENT_STREAM))
        if (isLive) return handleLive(call)
        if (wantsDocument(operation, request.headers.accept)) return handleDocument(call)
        if (operation.method !== 'GET') checkBody(request.body === undefined ? {} : request.body)
        request.isUncounted = false
        const response = handleRequest(call)
        const { status, headers, body } = await response.catch((error: unknown) => {
          if (error instanceof Failure && isOutOfScope(error.code)) {
            const { code } = error
            const { rule, resource } = error.options
            noteOutOfScope(operation, options, request, { code, rule, resource })
          }
          throw error
        })
        reply.code(status).headers(headers).serializer(asIs)
        if (body === '') return sendNothing(reply)
        const coding = headers['content-encoding'] as Coding | undefined
        return reply.send(coding === undefined ? body : await compress(body, coding))
      },
    })
  }
}

const asIs = (body: unknown): string => body as string
