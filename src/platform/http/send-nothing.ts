/** Answers without a body: to what is known already, and to HEAD of what is a stream. */
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'

/**
 * Fastify would give an empty text a media type, and every response to HEAD a length, which has to
 * be that of the response to GET or none (RFC 9110 section 8.6).
 */
export function sendNothing(reply: FastifyReply): FastifyReply {
  if (reply.request.method !== 'HEAD') return reply.send()
  reply.hijack()
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders).end()
  return reply
}
