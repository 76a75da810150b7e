/** Sends streamed responses: results of uploaded rows, and exports. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { abandonRest, NDJSON, writeRows } from './ndjson.ts'
import { type StreamChunk, type StreamFormat, streamFormats } from './stream-format.ts'

/** Disconnects a client that has read nothing for this long, to free what its stream holds. */
const STALL_MS = 60_000

type Serialize = (row: unknown) => string

const rowSerializer = (reply: FastifyReply): Serialize =>
  reply.getSerializationFunction('200') as Serialize

/** Passes rows through as long as `still` resolves. */
async function* whileAdmitted<Rows>(
  results: AsyncIterable<Rows>,
  still: () => Promise<void>,
): AsyncGenerator<Rows> {
  for await (const rows of results) {
    await still()
    yield rows
  }
}

/**
 * Responds to a stream of rows with a stream of results.
 * @param still rejects once the caller has lost its right
 */
export function sendResults(
  request: FastifyRequest,
  reply: FastifyReply,
  results: AsyncIterable<unknown[]>,
  still: () => Promise<void>,
): FastifyReply {
  const lines = writeRows(whileAdmitted(results, still), rowSerializer(reply))
  reply.raw.once('finish', () => abandonRest(request.raw))
  return reply.code(200).type(NDJSON).send(Readable.from(lines))
}

const textOf = (chunk: StreamChunk<unknown>, serialize: Serialize): string =>
  typeof chunk === 'string' ? chunk : chunk.map((row) => `${serialize(row)}\n`).join('')

/**
 * Sends a stream. Waits for the first chunk, so that an early failure is still sent as a problem.
 * @param onBroken called with the error that ended the stream early
 */
export async function sendStream(
  reply: FastifyReply,
  chunks: AsyncIterable<StreamChunk<unknown>>,
  options: {
    format: StreamFormat
    filename: string
    /** Rejects once the caller has lost its right. */
    still: () => Promise<void>
    onBroken: (error: unknown) => void
  },
): Promise<FastifyReply> {
  const { type, extension } = streamFormats[options.format]
  const serialize = rowSerializer(reply)
  const source = chunks[Symbol.asyncIterator]()
  let ahead: IteratorResult<StreamChunk<unknown>> | undefined = await source.next()
  // Not a generator: a generator that was never started could not close its source.
  const texts: AsyncIterator<string> = {
    async next() {
      try {
        for (;;) {
          const { done, value } = ahead ?? (await source.next())
          ahead = undefined
          await options.still()
          if (done === true) return { done, value: undefined }
          const text = textOf(value, serialize)
          if (text !== '') return { done: false, value: text }
        }
      } catch (error) {
        options.onBroken(error)
        throw error
      }
    },
    async return() {
      await source.return?.()
      return { done: true, value: undefined }
    },
  }
  const { raw } = reply
  const body = Readable.from({ [Symbol.asyncIterator]: () => texts }, { highWaterMark: 1 })
  raw.setTimeout(STALL_MS, () => raw.destroy())
  // A client that left before the first chunk never emits `close`.
  if (raw.destroyed) body.destroy()
  return reply
    .code(200)
    .header('content-type', `${type}; charset=utf-8`)
    .header('content-disposition', `attachment; filename="${options.filename}.${extension}"`)
    .send(body)
}
