/** Makes a Fastify route of each operation: gate, limits, validation, run, answer. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { type Caller, callerKey } from '../access/principal.ts'
import { Failure, type FailureCode } from '../errors.ts'
import {
  type Admission,
  admit,
  type Authenticate,
  challenge,
  demandPermission,
  readParams,
} from './gate.ts'
import {
  type AnswerOnce,
  demandUnguessable,
  fingerprintOf,
  sealToOf,
  type StoredAnswer,
} from './idempotency.ts'
import {
  BASE_PATH,
  type Operation,
  type RequestContext,
  type RequestInfo,
  WORKSPACE_PARAM,
} from './operation.ts'
import { limitHeaders, type RateLimits } from './rate-limit.ts'
import { abandonRest, NDJSON, readRows, type RowLimits, writeRows } from './ndjson.ts'
import { requestInfo } from './request-info.ts'
import { bodyCheck, queryCheck } from './validation.ts'

export interface RouteOptions<Services> {
  services: Services
  authenticate: Authenticate
  rateLimits: RateLimits
  answerOnce: AnswerOnce<Services>
  /** Told of each refusal by the gate, for the audit log. */
  onRefused(refusal: Refusal): void
}

export interface Refusal {
  operationId: string
  code: FailureCode
  /** Undefined when the credential is unknown, or there is none. */
  caller: Caller | undefined
  /** UUID of the workspace that the caller belongs to and was refused in; '' for all others. */
  workspaceId: string
  request: Pick<RequestInfo, 'id' | 'address'>
}

interface Passed extends Admission {
  params: Record<string, string>
  workspaceId: string
}

declare module 'fastify' {
  interface FastifyRequest {
    passed: Passed | undefined
  }
}

async function demandPoints<Services>(
  operation: Operation<Services>,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  limits: RateLimits,
): Promise<void> {
  const key = caller.kind === 'anonymous' ? `address:${request.ip}` : callerKey(caller)
  const own = caller.kind === 'provision-key' ? caller.ratePerMin : null
  const state = await limits.consume(operation.bucket, key, own ?? undefined)
  if (state !== undefined) reply.headers(limitHeaders(state))
}

/** The gate as a hook: everything that is decided before the body is read. */
function gateHook<Services>(operation: Operation<Services>, options: RouteOptions<Services>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    let caller: Caller | undefined
    let params: Record<string, string> = {}
    const { rawHeaders } = request.raw
    try {
      const admission = await admit(
        operation,
        rawHeaders,
        request.ip,
        options.authenticate,
        (known) => {
          caller = known
        },
      )
      await demandPoints(operation, request, reply, admission.caller, options.rateLimits)
      params = readParams(operation, request.params as Record<string, string>)
      const workspaceId = demandPermission(operation, admission.caller, params)
      request.passed = { ...admission, params, workspaceId }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const { code } = error
      options.onRefused({
        operationId: operation.id,
        code,
        caller,
        // Only who may see a workspace can lack a permission in it; others name it at will.
        workspaceId: code === 'permission_denied' ? (params[WORKSPACE_PARAM] ?? '') : '',
        request: { id: request.id, address: request.ip },
      })
      if (error.status === 401) reply.header('www-authenticate', challenge(operation, code))
      if (code === 'credential_rejected') await countRejection(request, options.rateLimits)
      throw error
    }
  }
}

/** Guessing is limited by its failures: a good credential from the same address goes on working. */
async function countRejection(request: FastifyRequest, limits: RateLimits): Promise<void> {
  await limits.consume('failures', `address:${request.ip}`)
}

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
  const { caller } = request.passed as Passed
  if (info.idempotencyKey === undefined || operation.idempotency === 'own') {
    return run(options.services)
  }
  const anonymous = caller.kind === 'anonymous'
  if (anonymous) demandUnguessable(info.idempotencyKey)
  const slot = {
    scope: `${anonymous ? 'public' : callerKey(caller)} ${operation.id}`,
    key: info.idempotencyKey,
    fingerprint: fingerprintOf(operation.method, request.url, request.body),
    sealTo: sealToOf(caller, info.credential, info.idempotencyKey),
  }
  const { replayed, answer } = await options.answerOnce(options.services, slot, run)
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
  const { caller, params, workspaceId } = request.passed as Passed
  const info = requestInfo(operation, request, reply)
  const context = { ...options.services, caller, request: info, workspaceId }
  const body = readRows(request.body as Readable, checkRow, operation.rows as RowLimits)
  const answer = await operation.run(context, {
    params,
    query: request.query,
    body,
  })
  const serialize = reply.getSerializationFunction('200') as (row: unknown) => string
  const results = writeRows(answer.body as AsyncIterable<unknown[]>, serialize)
  reply.raw.once('finish', () => abandonRest(request.raw))
  return reply.code(200).type(NDJSON).send(Readable.from(results))
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
        if (operation.method !== 'GET') checkBody(request.body === undefined ? {} : request.body)
        const { status, headers, body } = await answerRequest(operation, options, request, reply)
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
