/** Content that is the same for everybody: kept in memory once, and compressed once. */
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Coding, compressWell } from '../lib/compression.ts'
import { codingOf, VARY } from './content-coding.ts'

const isText = (type: string): boolean => /^text\/|javascript|json|xml/.test(type)

export class StaticContent {
  readonly plain: Buffer
  readonly #type: string
  readonly #digest: string
  readonly #compressed = new Map<Coding, Promise<Buffer>>()

  /** @param brotli compressed by a build, if it was */
  constructor(type: string, plain: Buffer, brotli?: Buffer) {
    this.#type = type
    this.plain = plain
    this.#digest = hash('sha256', plain, 'base64url').slice(0, 22)
    if (brotli !== undefined) this.#compressed.set('br', Promise.resolve(brotli))
  }

  #in(coding: Coding): Promise<Buffer> {
    let found = this.#compressed.get(coding)
    if (found === undefined) {
      found = compressWell(this.plain, coding)
      this.#compressed.set(coding, found)
    }
    return found
  }

  /** Sends the content, or 304 if the client has it. The caller sets all other headers. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const isCompressed = isText(this.#type)
    const coding = isCompressed ? codingOf(request.headers['accept-encoding']) : undefined
    // Each coding is a representation of its own, which a strong tag has to distinguish.
    const etag = `"${this.#digest}${coding === undefined ? '' : `-${coding}`}"`
    void reply.header('etag', etag)
    if (isCompressed) void reply.header('vary', VARY)
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    void reply.type(this.#type)
    if (coding === undefined) return reply.send(this.plain)
    return reply.header('content-encoding', coding).send(await this.#in(coding))
  }
}
