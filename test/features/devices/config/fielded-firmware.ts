/** A device as fielded firmware behaves when it fetches its configuration: refused responses. */
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'

type Members = Record<string, unknown>

export const MAX_CHUNKS = 256

/** How the firmware ends a request: with a configuration, or the code of a refusal. */
export type Fetched = { text: Buffer; chunks: number; encoding: string } | { code: unknown }

class Refused extends Error {}

function require(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Refused(`the firmware refuses this: ${what}`)
}

/** Takes the messages on `config/resp` one by one. */
export class FirmwareConfigClient {
  readonly #rid: unknown
  readonly #chunkBytes: number
  readonly #maxTotalBytes: number
  readonly #parts: Buffer[] = []
  #first: Members | undefined

  /** @param request what it sent on `config/get` */
  constructor(request: { rid: unknown; want: { chunk_bytes: number; max_total_bytes: number } }) {
    this.#rid = request.rid
    this.#chunkBytes = request.want.chunk_bytes
    this.#maxTotalBytes = request.want.max_total_bytes
  }

  /** @returns undefined while chunks are missing */
  take(payload: Buffer): Fetched | undefined {
    const chunk = JSON.parse(payload.toString()) as Members
    require(chunk.rid === this.#rid, 'another request')
    if (chunk.ok !== true) {
      const { code, message, retryable } = chunk.error as Members
      require(typeof message === 'string' && typeof retryable === 'boolean', 'an error of no form')
      return { code }
    }
    this.#first ??= chunk
    const { total_chunks: total, chunk_bytes: size } = chunk
    require(Number.isInteger(total) && Number(total) >= 1, 'no chunks')
    require(Number(total) <= MAX_CHUNKS, 'too many chunks')
    require(Number(size) <= this.#chunkBytes, 'chunks larger than its buffer')
    for (const name of ['version', 'sha256', 'encoding', 'total_chunks', 'chunk_bytes']) {
      require(chunk[name] === this.#first[name], `another ${name}`)
    }
    require(chunk.content_type === 'application/json', 'content type')
    require(chunk.chunk_index === this.#parts.length, 'the order')
    const data = Buffer.from(String(chunk.data_b64), 'base64')
    const isLast = this.#parts.length + 1 === total
    require(isLast ? data.length <= Number(size) : data.length === Number(size), 'a short chunk')
    this.#parts.push(data)
    return isLast ? this.#assemble(chunk) : undefined
  }

  #assemble({ encoding, sha256 }: Members): Fetched {
    require(encoding === 'gzip' || encoding === 'identity', 'the encoding')
    const bytes = Buffer.concat(this.#parts)
    const text = encoding === 'gzip' ? gunzipSync(bytes) : bytes
    require(text.length <= this.#maxTotalBytes, 'more than it can hold')
    require(createHash('sha256').update(text).digest('hex') === sha256, 'the hash')
    return { text, chunks: this.#parts.length, encoding }
  }
}
