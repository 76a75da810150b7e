/** A span for each traced request, from its headers to the end of its response. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Span, within } from '../trace/span.ts'
import { readTraceparent } from '../trace/trace-context.ts'
import type { Tracer } from '../trace/tracer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | undefined
  }
}

/** Attributes have the names of OpenTelemetry's conventions; there is no address and no query. */
function endOf(span: Span, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode, raw } = reply
  span.attributes['http.response.status_code'] = statusCode
  span.attributes['mooring.workspace_id'] = request.auth?.workspaceId || undefined
  span.attributes['mooring.caller_kind'] = request.auth?.caller.kind
  if (!raw.writableFinished) span.error = 'connection closed'
  else if (statusCode >= 500) span.error = String(statusCode)
  span.end()
}

export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    const { method, routeOptions, headers, traceId, ip } = request
    const start = {
      name: `${method} ${routeOptions.url ?? ''}`.trim(),
      kind: 'server' as const,
      attributes: {
        'http.request.method': method,
        'http.route': routeOptions.url,
        'mooring.request_id': request.id,
      },
    }
    const caller = { context: readTraceparent(headers.traceparent), address: ip }
    const span = tracer.request(start, traceId, caller)
    if (span === undefined) return done()
    request.span = span
    reply.raw.once('close', () => endOf(span, request, reply))
    within(span, done)
  })
  // Reading a body leaves the asynchronous context: its bytes are the connection's.
  app.addHook('preValidation', ({ span }, _reply, done) => {
    if (span === undefined) done()
    else within(span, done)
  })
}
