/**
 * Serves the built console below `/console/`. Every path that is no file gets the page, whose
 * script decides what to show. The policy forbids other hosts, inline scripts and inline styles.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../errors/errors.ts'
import { BASE_PATH } from './operation.ts'
import type { StaticContent } from './static-content.ts'
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

const headers = { 'cross-origin-resource-policy': 'same-origin' }

/** Of documents. For scripts, styles and fonts they would mean nothing. */
const documentHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy':
    'camera=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self), publickey-credentials-create=(self), publickey-credentials-get=(self)',
}

export interface ConsoleFile {
  content: StaticContent
  /** `Cache-Control`. */
  cache: string
  /** Whether a browser shows it by itself. */
  isDocument: boolean
}

/** The files of the console by their path below `/console/`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, cache, isDocument }: ConsoleFile,
): Promise<FastifyReply> {
  void reply.headers({ ...headers, 'cache-control': cache })
  if (isDocument) void reply.headers(documentHeaders)
  return content.send(request, reply)
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
