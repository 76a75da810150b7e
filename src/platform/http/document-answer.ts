/** Responds with an operation's document, such as a PDF, if the client prefers it to JSON. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CallOptions, callOf } from './call.ts'
import type { Operation } from './operation.ts'
import { likedBest } from './stream-format.ts'

/** Whether `Accept` prefers the document to JSON. */
export const wantsDocument = <Services>(
  { document }: Operation<Services>,
  accept: string | undefined,
): boolean =>
  document !== undefined && likedBest(accept, ['application/json', document.type]) === document.type

export async function answerDocument<Services>(
  operation: Operation<Services>,
  options: CallOptions<Services>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { params, context } = callOf(operation, options, request, reply)
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
