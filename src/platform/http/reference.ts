/**
 * The API reference: the OpenAPI document, an interactive page, and a page for each failure.
 * Everything is served from here; a content security policy keeps the pages from contacting other
 * hosts.
 */
import type { ApiReferenceConfiguration } from '@scalar/fastify-api-reference'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { catalogue, Failure, type FailureCode } from '../errors/errors.ts'
import { errorIndex, errorPage } from './error-pages.ts'
import { openapiDocument } from './openapi.ts'
import type { Described } from './openapi-failures.ts'
import { BASE_PATH } from './operation.ts'

const DAY = 86_400

/** The page has an inline script and generates styles at run time. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const errorPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** Disables everything that would contact other hosts or advertise third-party services. */
const configuration: Partial<ApiReferenceConfiguration> = {
  url: `${BASE_PATH}/openapi.json`,
  pageTitle: 'Mooring API reference',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
  orderSchemaPropertiesBy: 'preserve',
}

const isCode = (text: string): text is FailureCode => Object.hasOwn(catalogue, text)

function serveErrors(app: FastifyInstance): void {
  app.get(`${BASE_PATH}/errors`, (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': errorPolicy, 'cache-control': 'max-age=3600' })
      .send(errorIndex()),
  )
  app.get<{ Params: { code: string } }>(`${BASE_PATH}/errors/:code`, (request, reply) => {
    const { code } = request.params
    if (!isCode(code)) throw new Failure('not_found')
    return reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': errorPolicy, 'cache-control': 'max-age=3600' })
      .send(errorPage(code))
  })
}

const PREFIX = `${BASE_PATH}/reference`

/** The page's script has four megabytes, so it is loaded on first use. */
async function openPages(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const pages = Fastify()
  await pages.register(scalar, { routePrefix: PREFIX, configuration })
  await pages.ready()
  return pages
}

interface Page {
  status: number
  headers: Record<string, string>
  payload: Buffer
}

async function openPage(inner: FastifyInstance, path: string): Promise<Page> {
  const { statusCode, headers, rawPayload } = await inner.inject(path)
  const { 'content-type': type, location } = headers
  return {
    status: statusCode,
    headers: {
      ...(type !== undefined && { 'content-type': type }),
      ...(typeof location === 'string' && { location }),
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'cache-control': path.endsWith('.js') ? `max-age=${DAY}` : 'no-cache',
    },
    payload: rawPayload,
  }
}

function servePages(app: FastifyInstance): void {
  let pages: Promise<FastifyInstance> | undefined
  // Shared by all responses: a copy for each slow client would add up to gigabytes.
  const opened = new Map<string, Page>()
  // A failed load may succeed later.
  const evict = (error: unknown): never => {
    pages = undefined
    throw error
  }
  const serve = async (path: string, reply: FastifyReply): Promise<FastifyReply> => {
    const inner = await (pages ??= openPages().catch(evict))
    const page = opened.get(path) ?? (await openPage(inner, path))
    if (page.status < 400) opened.set(path, page)
    return reply.code(page.status).headers(page.headers).send(page.payload)
  }
  for (const path of ['', '/', '/js/scalar.js'].map((below) => PREFIX + below)) {
    app.get(path, (_request, reply) => serve(path, reply))
  }
  app.addHook('onClose', async () => {
    await pages?.then(
      (inner) => inner.close(),
      () => {},
    )
  })
}

/**
 * A plugin for `createServer`. The document uses relative paths, so it is correct behind any proxy.
 */
export function createReference(
  operations: readonly Described[],
  tags: Readonly<Record<string, string>>,
): (app: FastifyInstance) => void {
  let document: Buffer | undefined
  return (app) => {
    app.get(`${BASE_PATH}/openapi.json`, (_request, reply) => {
      document ??= Buffer.from(JSON.stringify(openapiDocument(operations, { tags })))
      return (
        reply
          .type('application/json; charset=utf-8')
          // Browser tools read it cross-origin; it contains no secrets.
          .headers({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache' })
          .send(document)
      )
    })
    serveErrors(app)
    servePages(app)
  }
}
