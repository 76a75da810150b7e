/** Builds the `RequestInfo` of a request. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookiesOf } from './cookies.ts'
import { readIfMatch } from './entity-tag.ts'
import { readIdempotencyKey } from './idempotency.ts'
import { limitHeaders } from './limit-headers.ts'
import { CONSOLE_BASE, type Operation, type RequestInfo } from './operation.ts'

/** @throws Failure invalid_request for a malformed `Idempotency-Key` */
export function requestInfo(
  operation: Pick<Operation, 'base' | 'method'>,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestInfo {
  const { headers } = request
  const key =
    operation.method === 'POST' ? readIdempotencyKey(headers['idempotency-key']) : undefined
  return {
    id: request.id,
    traceId: request.traceId,
    address: request.ip,
    userAgent: headers['user-agent']?.slice(0, 200) ?? '',
    credential: request.auth?.credential ?? '',
    hostWorkspaceId: request.auth?.hostWorkspaceId,
    ifMatch: readIfMatch(headers['if-match']),
    idempotencyKey: key,
    cookies: operation.base === CONSOLE_BASE ? cookiesOf(request, reply, CONSOLE_BASE) : undefined,
    showLimit: (state) => {
      if (state !== undefined) void reply.headers(limitHeaders(state))
    },
    links: new Map(),
    onClose: (listener) => void reply.raw.once('close', listener),
  }
}
