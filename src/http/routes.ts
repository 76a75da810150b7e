/** Makes a Fastify route of each operation: gate, limits, validation, run, answer. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { type Caller, callerKey } from '../access/principal.ts'
import { Failure } from '../errors.ts'
import { toFailure } from './failures.ts'
import { scopeOf } from './gate.ts'
import {
  type GateOptions,
  gateHook,
  noteOutOfScope,
  type Passed,
  stillAdmitted,
} from './gate-hook.ts'
import {
  type AnswerOnce,
  demandUnguessable,
  fingerprintOf,
  sealToOf,
  type StoredAnswer,
} from './idempotency.ts'
import { BASE_PATH, type Operation, type RequestContext, type RequestInfo } from './operation.ts'
import { requestInfo } from './request-info.ts'
import { readRowBody, type RowFormat } from './row-body.ts'
import { formatOf, type StreamChunk, type StreamOptions } from './stream-format.ts'
import { sendResults, sendStream } from './streams.ts'
import { bodyCheck, queryCheck } from './validation.ts'

export interface RouteOptions<Services> extends GateOptions {
  services: Services
  /** The same services for one workspace, to which the database shows nothing of others. */
  within(workspaceId: string): Services
  answerOnce: AnswerOnce<Services>
  /** Told of each failure that is ours, with what caused it. */
  onFailure(error: unknown, status: number, traceId: string): void
}

function servicesOf<Services>(options: RouteOptions<Services>, passed: Passed): Services {
  const scope = scopeOf(passed.caller, passed.workspaceId)
  return scope === undefined ? options.services : options.within(scope)
}

/** What an operation is called with that answers with a stream. */
function callOf<Services>(
  operation: Operation<Services>,
  options: RouteOptions<Services>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const passed = request.passed as Passed
  const { caller, params, workspaceId } = passed
  const info = requestInfo(operation, request, reply)
  const services = servicesOf(options, passed)
  return { params, context: { ...services, caller, request: info, workspaceId } }
}

const linksOf = (links: ReadonlyMap<string, string>): string =>
  [...links].map(([relation, path]) => `<${BASE_PATH}${path}>; rel="${relation}"`).join(', ')

type Run<Services> = (services: Services) => Promise<StoredAnswer>

function runner<Services>(
  operation: Operation<Services>,
  request: FastifyRequest,
  reply: FastifyReply,
  info: RequestInfo,
): Run<Services> {
  const { caller, params, workspaceId } = request.passed as Passed
  return async (services) => {
    const context = { ...services, caller, request: info, workspaceId } as RequestContext<
      Services,
      Caller
    >
    const input = { params, query: request.query, body: request.body ?? {} }
    const answer = await operation.run(context, input)
    const headers: Record<string, string> = {}
    if (answer.revision !== undefined) headers.etag = `"${answer.revision}"`
    if (answer.location !== undefined) headers.location = `${BASE_PATH}${answer.location}`
    if (info.links.size > 0) headers.link = linksOf(info.links)
    if (answer.replayed) headers['idempotent-replayed'] = 'true'
    if (answer.body === null) return { status: answer.status, headers, body: '' }
    headers['content-type'] = 'application/json; charset=utf-8'
    const serialize = reply.getSerializationFunction(String(answer.status)) as (
      body: unknown,
    ) => string
    return { status: answer.status, headers, body: serialize(answer.body) }
  }
}

async function answerRequest<Services>(
  operation: Operation<Services>,
  options: RouteOptions<Services>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<StoredAnswer> {
  const info = requestInfo(operation, request, reply)
  const run = runner(operation, request, reply, info)
  const passed = request.passed as Passed
  const { caller } = passed
  const services = servicesOf(options, passed)
  if (info.idempotencyKey === undefined || operation.idempotency === 'own') return run(services)
  const anonymous = caller.kind === 'anonymous'
  if (anonymous) demandUnguessable(info.idempotencyKey)
  const slot = {
    scope: `${anonymous ? 'public' : callerKey(caller)} ${operation.id}`,
    key: info.idempotencyKey,
    fingerprint: fingerprintOf(operation.method, request.url, request.body),
    sealTo: sealToOf(caller, info.credential, info.idempotencyKey),
  }
  const { replayed, answer } = await options.answerOnce(services, slot, run)
  if (replayed) reply.header('idempotent-replayed', 'true')
  return answer
}

/** Answers a stream of rows with a stream of results. */
async function answerRows<Services>(
  operation: Operation<Services>,
  options: RouteOptions<Services>,
  request: FastifyRequest,
  reply: FastifyReply,
  checkRow: (value: unknown) => void,
): Promise<FastifyReply> {
  const { params, context } = callOf(operation, options, request, reply)
  const body = await readRowBody(request, operation.rows as RowFormat, checkRow)
  const answer = await operation.run(context, { params, query: request.query, body })
  const still = stillAdmitted(operation, options, request)
  return sendResults(request, reply, answer.body as AsyncIterable<unknown[]>, still)
}

/** Answers with a stream, in the form that the client asks for. */
async function answerStream<Services>(
  operation: Operation<Services>,
  options: RouteOptions<Services>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { params, context } = callOf(operation, options, request, reply)
  const stream = operation.stream as StreamOptions
  const { format: asked, ...query } = request.query as { format?: string }
  const format = formatOf(stream, asked, request.headers.accept)
  const answer = await operation.run(context, { params, query, body: {}, format })
  return sendStream(reply, answer.body as AsyncIterable<StreamChunk<unknown>>, {
    format,
    filename: stream.filename,
    still: stillAdmitted(operation, options, request),
    onBroken(error) {
      const { cause, status } = toFailure(error)
      if (status >= 500) options.onFailure(cause ?? error, status, request.traceId)
    },
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
 * Registers every operation.
 * @returns which methods a path takes, for the 405 of one that it doesn't.
 */
export function createRoutes<Services>(
  app: FastifyInstance,
  operations: readonly Operation<Services>[],
  options: RouteOptions<Services>,
): (path: string) => string[] {
  app.decorateRequest('passed', undefined)
  const patterns: { pattern: RegExp; method: string }[] = []
  for (const operation of operations) {
    const url = `${BASE_PATH}${operation.path}`
    patterns.push({
      pattern: new RegExp(`^${url.replaceAll(/:[a-z_]+/g, '[^/]+')}$`),
      method: operation.method,
    })
    const checkBody = bodyCheck(operation.body, operation.unknownMembers)
    const checkQuery = queryCheck(operation.query, operation.unknownMembers)
    app.route({
      method: operation.method,
      url,
      schema: { response: responseSchemas(operation) },
      onRequest: gateHook(operation, options),
      handler: async (request, reply) => {
        checkQuery(request.query)
        // A JSON operation never sees a stream, and a stream's never a parsed body.
        if (operation.rows !== undefined) {
          if (!(request.body instanceof Readable)) throw new Failure('unsupported_media_type')
          return answerRows(operation, options, request, reply, checkBody)
        }
        if (request.body instanceof Readable) throw new Failure('unsupported_media_type')
        if (operation.stream !== undefined) {
          return answerStream(operation, options, request, reply)
        }
        if (operation.method !== 'GET') checkBody(request.body === undefined ? {} : request.body)
        const answer = answerRequest(operation, options, request, reply)
        const { status, headers, body } = await answer.catch((error: unknown) => {
          noteOutOfScope(operation, options, request, error)
          throw error
        })
        reply.code(status).headers(headers).serializer(asIs)
        return reply.send(body)
      },
    })
  }
  return (path) => [
    ...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)),
  ]
}

const asIs = (body: unknown): string => body as string
