/**
 * Serves the built console below `/console/`. Every path that is no file gets the page, whose
 * script decides what to show. The policy forbids other hosts, inline scripts and inline styles.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../errors/errors.ts'
import { BASE_PATH } from './operation.ts'
import { unroutable } from './unroutable.ts'

const PREFIX = '/console'
const PAGE = 'index.html'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const headers = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self), publickey-credentials-get=(self)',
  vary: 'Accept-Encoding',
}

export interface ConsoleFile {
  type: string
  plain: Buffer
  /** Compressed by the build; undefined if that would not help. */
  brotli: Buffer | undefined
  etag: string
  cache: string
}

/** The files of the console by their path below `/console/`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

const takesBrotli = ({ headers: sent }: FastifyRequest): boolean =>
  /(^|,)\s*br\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[\d.]+\s*)?(,|$)/.test(sent['accept-encoding'] ?? '')

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const { type, plain, brotli, etag, cache } = file
  void reply.headers({ ...headers, 'cache-control': cache, etag })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  void reply.type(type)
  if (brotli === undefined || !takesBrotli(request)) return reply.send(plain)
  return reply.header('content-encoding', 'br').send(brotli)
}

const prefersHtml = ({ headers: { accept } }: FastifyRequest): boolean =>
  accept?.includes('text/html') === true

/** For programs there is nothing at this path; the failure says where the API begins. */
const noRoute = (path: string): Failure => unroutable(path, () => [])

/** A plugin for `createServer`. Without files there is no console. */
export const serveConsole =
  (files: ConsoleFiles) =>
  (app: FastifyInstance): void => {
    app.get('/', (request, reply) => {
      if (files.size === 0 || !prefersHtml(request)) throw noRoute('/')
      return reply.redirect(`${PREFIX}/`)
    })
    for (const path of [BASE_PATH, `${BASE_PATH}/`]) {
      app.get(path, (request, reply) => {
        if (!prefersHtml(request)) throw noRoute(BASE_PATH)
        return reply.redirect(`${BASE_PATH}/reference`)
      })
    }
    const page = files.get(PAGE)
    if (page === undefined) return
    app.get(PREFIX, (_request, reply) => reply.redirect(`${PREFIX}/`))
    app.get(`${PREFIX}/`, (request, reply) => send(request, reply, page))
    app.get<{ Params: { '*': string } }>(`${PREFIX}/*`, (request, reply) => {
      const name = request.params['*']
      const file = files.get(name)
      if (file !== undefined) return send(request, reply, file)
      // An asset of an earlier build, or an operation that does not exist, is no page.
      if (name.startsWith('assets/') || name.startsWith('api/')) throw new Failure('not_found')
      return send(request, reply, page)
    })
  }
