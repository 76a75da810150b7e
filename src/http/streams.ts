/** Answers that are streams: results of rows that come in, and exports. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { abandonRest, NDJSON, writeRows } from './ndjson.ts'
import { type StreamChunk, type StreamFormat, streamFormats } from './stream-format.ts'

/** A client that takes nothing for so long is let go, and with it what its stream holds. */
const STALL_MS = 60_000

type Serialize = (row: unknown) => string

const rowSerializer = (reply: FastifyReply): Serialize =>
  reply.getSerializationFunction('200') as Serialize

/** Rows as they come, for as long as `still` lets them. */
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
 * Answers a stream of rows with a stream of results.
 * @param still rejects when the caller may not go on.
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
 * Sends a stream as the answer. It waits for the first chunk, so that what fails before it is still
 * answered as a problem.
 * @param onBroken told what ended the stream before its end.
 */
export async function sendStream(
  reply: FastifyReply,
  chunks: AsyncIterable<StreamChunk<unknown>>,
  options: {
    format: StreamFormat
    filename: string
    /** Rejects when the caller may not go on. */
    still: () => Promise<void>
    onBroken: (error: unknown) => void
  },
): Promise<FastifyReply> {
  const { type, extension } = streamFormats[options.format]
  const serialize = rowSerializer(reply)
  const source = chunks[Symbol.asyncIterator]()
  let ahead: IteratorResult<StreamChunk<unknown>> | undefined = await source.next()
  // Not a generator: one that was never started could not end its source.
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
  // Who has gone away before the first chunk is not there to be told of.
  if (raw.destroyed) body.destroy()
  return reply
    .code(200)
    .header('content-type', `${type}; charset=utf-8`)
    .header('content-disposition', `attachment; filename="${options.filename}.${extension}"`)
    .send(body)
}
