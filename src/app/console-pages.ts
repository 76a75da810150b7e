/**
 * Serves the built console below `/console/`. Every path that is no file gets the page, whose
 * script decides what to show. The policy forbids other hosts, inline scripts and inline styles.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../platform/errors/errors.ts'
import { BASE_PATH, CONSOLE_BASE } from '../platform/http/operation.ts'
import type { StaticContent } from '../platform/http/static-content.ts'
import { unroutable } from '../platform/http/unroutable.ts'

const PREFIX = '/console'
const PAGE = 'index.html'
const PAYMENT_PAGE = 'pay.html'

/** Directives of every document. */
const common = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

const policy = [
  ...common,
  "script-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const STRIPE_SCRIPTS = 'https://js.stripe.com https://*.js.stripe.com'

/** Names and IPv4 addresses: a policy cannot name an IPv6 address. */
const HOST = /^[\w.-]+(?::\d{1,5})?$/

/**
 * The policy of the document in which people pay. It runs the script of Stripe, whose form cannot
 * do with Trusted Types. The paths of this service that the script can reach are those at which a
 * credential in a header counts, so never the one at which the session's cookie is exchanged for a
 * token. See docs/decisions/0100-payment-document.md.
 * @param host of the request; without a scheme, that of the document holds
 */
const paymentPolicy = (host: string): string =>
  [
    ...common,
    `script-src 'self' ${STRIPE_SCRIPTS}`,
    `frame-src ${STRIPE_SCRIPTS} https://hooks.stripe.com`,
    HOST.test(host)
      ? `connect-src ${host}${BASE_PATH}/ ${host}${CONSOLE_BASE}/config https://api.stripe.com`
      : "connect-src 'none'",
    "worker-src 'none'",
    "form-action 'none'",
  ].join('; ')

const headers = { 'cross-origin-resource-policy': 'same-origin' }

/** Headers of documents. For scripts, styles and fonts they would mean nothing. */
const documentHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'permissions-policy':
    'camera=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self), publickey-credentials-create=(self), publickey-credentials-get=(self)',
}

/** No other window of this origin and this document ever hold each other: all responses isolate. */
const paymentHeaders = (host: string) => ({
  ...documentHeaders,
  'content-security-policy': paymentPolicy(host),
  'cross-origin-opener-policy': 'noopener-allow-popups',
})

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
  more: Readonly<Record<string, string>> = {},
): Promise<FastifyReply> {
  void reply.headers({ ...headers, 'cache-control': cache })
  if (isDocument) void reply.headers({ ...documentHeaders, ...more })
  return content.send(request, reply)
}

const prefersHtml = ({ headers: { accept } }: FastifyRequest): boolean =>
  accept?.includes('text/html') === true

/** For programs there is nothing at this path; the failure says where the API begins. */
const noRoute = (path: string): Failure => unroutable(path, () => [])

/**
 * A plugin for `createServer`. Without files there is no console.
 * @param takesCards whether the form of Stripe is needed
 */
export const serveConsole =
  (files: ConsoleFiles, takesCards: boolean) =>
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
    app.get(`${PREFIX}/pay/*`, (request, reply) => {
      const more = takesCards ? paymentHeaders(request.host) : {}
      return send(request, reply, files.get(PAYMENT_PAGE) ?? page, more)
    })
    app.get<{ Params: { '*': string } }>(`${PREFIX}/*`, (request, reply) => {
      const name = request.params['*']
      const file = name === PAYMENT_PAGE ? undefined : files.get(name)
      if (file !== undefined) return send(request, reply, file)
      // An asset of an earlier build, or an operation that does not exist, is no page.
      if (name.startsWith('assets/') || name.startsWith('api/')) throw new Failure('not_found')
      return send(request, reply, page)
    })
  }
