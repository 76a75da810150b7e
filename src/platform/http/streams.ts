/** Sends streamed responses: results of uploaded rows, and exports. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { abandonRest, NDJSON } from './ndjson.ts'
import { type StreamChunk, type StreamFormat, streamFormats } from './stream-format.ts'

/** Disconnects a client that has read nothing for this long, to free what its stream holds. */
const STALL_MS = 60_000

type Serialize = (row: unknown) => string

const rowSerializer = (reply: FastifyReply): Serialize =>
  reply.getSerializationFunction('200') as Serialize

const textOf = (chunk: StreamChunk<unknown>, serialize: Serialize): string =>
  typeof chunk === 'string' ? chunk : chunk.map((row) => `${serialize(row)}\n`).join('')

/** A later failure can only be signalled by ending early. */
async function* linesOf(
  results: AsyncIterable<unknown[]>,
  still: () => Promise<void>,
  serialize: Serialize,
): AsyncGenerator<string> {
  for await (const rows of results) {
    await still()
    yield textOf(rows, serialize)
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
  const lines = linesOf(results, still, rowSerializer(reply))
  reply.raw.once('finish', () => abandonRest(request.raw))
  return reply.code(200).type(NDJSON).send(Readable.from(lines))
}

interface StreamParts<Chunk> {
  /** The chunks that follow the first, which was read already. */
  source: AsyncIterator<Chunk>
  /** Asked before each chunk: whether the caller still has its right; may also reject. */
  isAdmitted: () => Promise<boolean>
  format: (chunk: Chunk) => string
  /** Called with the error that ended the stream early. */
  onBroken: (error: unknown) => void
}

/** The body of a streamed response, which is read only as fast as the client reads. */
export function bodyOf<Chunk>(
  { raw }: FastifyReply,
  first: IteratorResult<Chunk>,
  { source, isAdmitted, format, onBroken }: StreamParts<Chunk>,
): Readable {
  let ahead: IteratorResult<Chunk> | undefined = first
  const close = async (): Promise<IteratorReturnResult<undefined>> => {
    await source.return?.()
    return { done: true, value: undefined }
  }
  // Not a generator: a generator that was never started could not close its source.
  const texts: AsyncIterator<string> = {
    async next() {
      try {
        for (;;) {
          const { done, value } = ahead ?? (await source.next())
          ahead = undefined
          const isOver = !(await isAdmitted())
          if (done === true) return { done, value: undefined }
          if (isOver) return await close()
          const text = format(value)
          if (text !== '') return { done: false, value: text }
        }
      } catch (error) {
        onBroken(error)
        throw error
      }
    },
    return: close,
  }
  const body = Readable.from({ [Symbol.asyncIterator]: () => texts }, { highWaterMark: 1 })
  raw.setTimeout(STALL_MS, () => raw.destroy())
  // A client that left before the first chunk never emits `close`.
  if (raw.destroyed) body.destroy()
  return body
}

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
  const body = bodyOf(reply, await source.next(), {
    source,
    isAdmitted: () => options.still().then(() => true),
    format: (chunk) => textOf(chunk, serialize),
    onBroken: options.onBroken,
  })
  return reply
    .code(200)
    .header('content-type', `${type}; charset=utf-8`)
    .header('content-disposition', `attachment; filename="${options.filename}.${extension}"`)
    .send(body)
}
