/** The HTTP server: Fastify, the routes of all operations, and a single error path. */
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { Failure, type FailureCode, invalid } from '../errors/errors.ts'
import type { HttpConnections } from './connections.ts'
import { failureHeaders, type Problem, toFailure, toProblem } from './failures.ts'
import { takeRandomBytes } from '../lib/random.ts'
import { type LiveLimits, LiveStreams } from './live-streams.ts'
import type { Operation } from './operation.ts'
import { abandonRest } from './ndjson.ts'
import { nameMediaTypes, readBodies } from './request-body.ts'
import { createRoutes, type RouteOptions } from './routes.ts'
import { serializerOf } from './serialization.ts'
import { traceRequests } from './tracing.ts'
import { readTraceparent } from '../trace/trace-context.ts'
import type { Tracer } from '../trace/tracer.ts'
import { respondUnroutable, collectRoutes, isLost, unroutable } from './unroutable.ts'

const BODY_LIMIT = 1_048_576
const STREAM_TIMEOUT_MS = 1_800_000

export interface ServerOptions<Services> extends Omit<RouteOptions<Services>, 'live'> {
  operations: readonly Operation<Services>[]
  /** Scheme and authority under which callers reach the service. */
  origin(): string
  /** Routes that are not plain operations: streams, long polls, the API reference. */
  plugins: readonly ((app: FastifyInstance) => void)[]
  /** Addresses or networks (CIDR) of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[]
  /** Time limit for receiving a body that is not a stream; 30 s by default. */
  bodyTimeoutMs?: number
  tls: { cert: Buffer; key: Buffer } | undefined
  /** Makes the server, and bounds its connections. */
  connections: HttpConnections
  /** Whether connections are closed after their next response, because the service will stop. */
  isEnding?: () => boolean
  /** Called after each response with its status and duration. */
  onResponse?: (status: number, seconds: number) => void
  /** The same with what the request was, for a log of all of them. */
  onServed?: ((request: ServedRequest) => void) | undefined
  /** Called for each problem that is sent. */
  onProblem?: (code: FailureCode) => void
  /** Records spans of some requests; without it none. */
  tracer?: Tracer | undefined
  /** Limits of server-sent event streams. */
  liveLimits: LiveLimits
}

const LISTENER = {
  headersTimeout: 10_000,
  // Effectively the limit of streams: a million rows on a busy machine take a while.
  requestTimeout: STREAM_TIMEOUT_MS,
  keepAliveTimeout: 65_000,
  // Node answers a request without `Host` with an empty body; ours is a problem document.
  requireHostHeader: false,
} as const

/** A response that was sent, and what it was for. */
export interface ServedRequest {
  method: string
  /** Without the query, which may contain secrets. */
  path: string
  status: number
  /** From the headers of the request to the end of the response. */
  seconds: number
  request_id: string
  trace_id: string
  address: string
  /** The kind of the credential; undefined without a valid one. */
  caller_kind: string | undefined
  /** UUID; undefined outside of workspaces. */
  workspace_id: string | undefined
}

const servedOf = (request: FastifyRequest, reply: FastifyReply): ServedRequest => ({
  method: request.method,
  path: pathOf(request),
  status: reply.statusCode,
  seconds: reply.elapsedTime / 1_000,
  request_id: request.id,
  trace_id: request.traceId,
  address: request.ip,
  caller_kind: request.auth?.caller.kind,
  workspace_id: request.auth?.workspaceId || undefined,
})

/** The caller's trace id if it sent a valid one, otherwise a new one. */
const traceIdOf = (header: unknown): string =>
  readTraceparent(header)?.traceId ?? takeRandomBytes(16).toString('hex')

declare module 'fastify' {
  interface FastifyRequest {
    traceId: string
  }
}

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] as string

const ABSOLUTE = /^https?:\/\/([^/?#]*)/i

const isHost = (name: string, at: number): boolean =>
  at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host'

/**
 * The problem with the host that a request names, if any (RFC 9112 section 3.2). The host decides
 * who is admitted, so it must not be possible to read two different ones.
 */
function hostProblem({ raw, headers: { host } }: FastifyRequest): string | undefined {
  if (host === undefined) return raw.httpVersion === '1.1' ? 'is missing' : undefined
  if (raw.rawHeaders.filter(isHost).length > 1) return 'occurs more than once'
  const [, authority = host] = ABSOLUTE.exec(raw.url ?? '') ?? []
  return authority.toLowerCase() === host.toLowerCase() ? undefined : 'differs from the target'
}

/** Whether all that the request expects is `100-continue` (RFC 9110 section 10.1.1). */
const isExpectationMet = ({ raw, headers: { expect } }: FastifyRequest): boolean =>
  expect === undefined || raw.httpVersion !== '1.1' || /^100-continue$/i.test(expect)

/** The only place that sends failures as problems. */
function sendFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  options: Pick<ServerOptions<never>, 'origin' | 'onFailure' | 'onProblem'>,
): void {
  const failure = nameMediaTypes(toFailure(error), request)
  if (failure.status >= 500) {
    options.onFailure(failure, failure.status, request.traceId)
  }
  options.onProblem?.(failure.code)
  if (request.span) request.span.attributes['mooring.problem'] = failure.code
  const problem: Problem = toProblem(failure, {
    origin: options.origin(),
    path: pathOf(request),
    traceId: request.traceId,
  })
  if (request.body instanceof Readable) reply.raw.once('finish', () => abandonRest(request.raw))
  // The body may still be arriving; a kept-alive connection would parse it as the next request.
  if (failure.status === 413 || failure.status === 408) reply.header('connection', 'close')
  void reply
    .code(failure.status)
    .headers(failureHeaders(failure))
    .header('x-request-id', request.id)
    .serializer((body: unknown) => body as string)
    .send(JSON.stringify(problem))
}

/** A year, for this host alone: a workspace's domain says nothing about its owner's other names. */
const HSTS = 'max-age=31536000'

/** Headers of every response. The client's protocol counts, if a trusted proxy reports it. */
const commonHeaders = (request: FastifyRequest): Record<string, string> => ({
  'x-request-id': request.id,
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  // A browser shows anything as a document. None may stay connected to the window that opened it.
  'cross-origin-opener-policy': 'same-origin',
  ...(request.protocol === 'https' && { 'strict-transport-security': HSTS }),
})

const newRequestId = (): string => `req_${takeRandomBytes(12).toString('base64url')}`

/** How long a client may take to read that its connection is closed. */
const CLOSING_MS = 1_000

/** Responds to malformed HTTP on the raw socket, and closes it also if the client does not. */
function refuseConnection(
  error: Error & { code?: string },
  socket: Socket,
  { connections, origin }: Pick<ServerOptions<unknown>, 'connections' | 'origin'>,
): void {
  // Inside a response that has started, a second one would be read as part of it.
  const hasBegun = connections.isResponding(socket)
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable || hasBegun) {
    socket.destroy()
    return
  }
  const failure =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT' || error.code === 'HPE_HEADER_OVERFLOW'
      ? toFailure(error)
      : new Failure('invalid_request', { detail: 'This is not a well-formed HTTP/1.1 request.' })
  const body = JSON.stringify(
    toProblem(failure, {
      origin: origin(),
      path: '',
      traceId: takeRandomBytes(16).toString('hex'),
    }),
  )
  socket.end(
    `HTTP/1.1 ${failure.status} Refused\r\nContent-Type: application/problem+json\r\n` +
      `X-Request-Id: ${newRequestId()}\r\nCross-Origin-Opener-Policy: same-origin\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  // Unread bytes would reset the connection, and the client might not get the response.
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), CLOSING_MS).unref()
  socket.once('close', () => clearTimeout(timer))
}

export function createServer<Services>(options: ServerOptions<Services>): FastifyInstance {
  const app = Fastify({
    serverFactory: (handler) => options.connections.createServer(LISTENER, options.tls, handler),
    bodyLimit: BODY_LIMIT,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: newRequestId,
    requestIdHeader: false,
    exposeHeadRoutes: true,
    // Requests that arrive during shutdown are still served.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    logger: false,
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, options),
    // Longer than a path can be: an id of any length is refused by the operation itself.
    routerOptions: { maxParamLength: 65_536 },
    frameworkErrors: (error, request, reply) => {
      request.traceId = traceIdOf(request.headers.traceparent)
      reply.headers(commonHeaders(request))
      sendFailure(request, reply, error, options)
    },
  }) as FastifyInstance

  const methodsOf = collectRoutes(app)
  app.setSerializerCompiler<TSchema>(({ schema }) => serializerOf(schema))
  app.decorateRequest('traceId', '')
  readBodies(app, options.bodyTimeoutMs)
  app.addHook('onRequest', (request, reply, done) => {
    request.traceId = traceIdOf(request.headers.traceparent)
    reply.headers(commonHeaders(request))
    if (options.isEnding?.()) reply.header('connection', 'close')
    if (!isExpectationMet(request)) return done(new Failure('expectation_failed'))
    const misnamed = hostProblem(request)
    if (misnamed !== undefined) return done(invalid('/header/host', misnamed))
    // Before its body: no rate limit bounds how many of them would be buffered.
    const lost = isLost(request)
      ? respondUnroutable(request.method, pathOf(request), methodsOf)
      : undefined
    if (lost instanceof Failure || lost === undefined) return done(lost)
    void reply.code(204).header('allow', lost.join(', ')).send()
  })
  const { onResponse, onServed, tracer } = options
  if (tracer !== undefined) traceRequests(app, tracer)
  if (onResponse !== undefined) {
    app.addHook('onResponse', (request, reply, done) => {
      onResponse(reply.statusCode, reply.elapsedTime / 1_000)
      onServed?.(servedOf(request, reply))
      done()
    })
  }
  app.setErrorHandler((error, request, reply) => sendFailure(request, reply, error, options))

  const live = new LiveStreams(options.liveLimits)
  app.addHook('preClose', (done) => {
    live.endAll()
    done()
  })
  createRoutes(app, options.operations, { ...options, live })
  for (const plugin of options.plugins) plugin(app)
  // Its hooks answer every request.
  app.setNotFoundHandler((request) => {
    throw unroutable(pathOf(request), methodsOf)
  })
  return app
}
