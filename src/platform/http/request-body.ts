/**
 * Reads request bodies: JSON as a whole, rows as a stream. Anything else is refused before it is
 * read, unless there is no body.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Failure } from '../errors/errors.ts'
import { MalformedJson, parseJson } from '../lib/json.ts'
import { CSV, isCsv } from './csv.ts'
import { NDJSON } from './ndjson.ts'

const BODY_TIMEOUT_MS = 30_000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** See `JsonOptions`. */
    isExact?: boolean
    /** Media types of a body that is a stream of rows; they count even if there are none. */
    rowTypes?: readonly string[] | undefined
  }
}

const JSON_TYPE = /^application\/json(?: *; *charset="?utf-8"?)?$/i

const isRows = (type: string): boolean => type.toLowerCase().startsWith(NDJSON) || isCsv(type)

/** Whether a request has no body, by its headers (RFC 9112 section 6.3). */
function isBodiless({ headers }: IncomingMessage): boolean {
  const empty = headers['content-length'] === '0' || headers['content-length'] === undefined
  return empty && headers['transfer-encoding'] === undefined
}

/** Bodies must be uncompressed JSON in UTF-8. */
function requireJson({ headers, raw }: FastifyRequest): void {
  if (isBodiless(raw)) return
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) throw new Failure('unsupported_media_type')
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw new Failure('unsupported_media_type')
}

/** Where the type of a body was refused, says which ones the route takes. */
export function nameMediaTypes(failure: Failure, { routeOptions }: FastifyRequest): Failure {
  if (failure.code !== 'unsupported_media_type') return failure
  const { rowTypes = ['application/json'] } = routeOptions.config
  const detail = `The body must be ${rowTypes.join(' or ')} by its Content-Type, uncompressed, in UTF-8.`
  return new Failure(failure.code, { ...failure.options, detail })
}

/**
 * Fails a body that takes too long to arrive. Streams have the request's own limit, since they are
 * processed as they arrive.
 */
function limitBodyTime(raw: IncomingMessage, ms: number): void {
  if (raw.complete || isRows(raw.headers['content-type'] ?? '')) return
  const timer = setTimeout(() => {
    // Nobody listens if the body is not read because the request has been answered already.
    if (raw.listenerCount('error') > 0) raw.emit('error', new Failure('request_timeout'))
  }, ms)
  // The connection keeps the process alive, not this timer.
  timer.unref()
  const clear = (): void => clearTimeout(timer)
  raw.once('end', clear).once('close', clear)
}

/** @param timeoutMs time limit for receiving a body that is not a stream; 30 s by default */
export function readBodies(app: FastifyInstance, timeoutMs = BODY_TIMEOUT_MS): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      requireJson(request)
      const bytes = body as Buffer
      const { isExact = false } = request.routeOptions.config
      done(null, bytes.length === 0 ? undefined : parseJson(bytes, { isExact }))
    } catch (error) {
      const malformed = error instanceof MalformedJson
      done(malformed ? new Failure('malformed_json', { detail: error.message }) : (error as Error))
    }
  })
  app.addContentTypeParser([NDJSON, CSV], (request, payload, done) => {
    const { 'content-encoding': encoding, 'content-type': type = '' } = request.headers
    const isPlain = encoding === undefined || encoding === 'identity'
    if (isPlain && isRows(type)) done(null, payload)
    else done(new Failure('unsupported_media_type'))
  })
  app.addHook('preParsing', ({ raw, routeOptions }, _reply, payload, done) => {
    // Clients such as curl and fetch name a type of their own even if they send nothing.
    if (isBodiless(raw) && routeOptions.config.rowTypes === undefined)
      delete raw.headers['content-type']
    limitBodyTime(raw, timeoutMs)
    done(null, payload)
  })
}
