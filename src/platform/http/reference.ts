/**
 * The API reference: the OpenAPI document, an interactive page, and a page for each failure.
 * Everything is served from here; a content security policy keeps the pages from contacting other
 * hosts.
 */
import type { ApiReferenceConfiguration } from '@scalar/fastify-api-reference'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { catalogue, Failure, type FailureCode } from '../errors/errors.ts'
import { DAY_S } from '../lib/time.ts'
import { errorIndex, errorPage } from './error-pages.ts'
import { openapiDocument } from './openapi.ts'
import type { Described } from './openapi-failures.ts'
import { BASE_PATH } from './operation.ts'
import { StaticContent } from './static-content.ts'

/** The program of the page generates styles at run time. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
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
const configuration = {
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
} satisfies Partial<ApiReferenceConfiguration>

const isCode = (text: string): text is FailureCode => Object.hasOwn(catalogue, text)

const sendErrorPage = (reply: FastifyReply, page: string): FastifyReply =>
  reply
    .type('text/html; charset=utf-8')
    .headers({ 'content-security-policy': errorPolicy, 'cache-control': 'max-age=3600' })
    .send(page)

function serveErrors(app: FastifyInstance): void {
  app.get(`${BASE_PATH}/errors`, (_request, reply) => sendErrorPage(reply, errorIndex()))
  app.get<{ Params: { code: string } }>(`${BASE_PATH}/errors/:code`, (request, reply) => {
    const { code } = request.params
    if (!isCode(code)) throw new Failure('not_found')
    return sendErrorPage(reply, errorPage(code))
  })
}

const PREFIX = `${BASE_PATH}/reference`

const PROGRAM = 'js/scalar.js'
const START = 'js/start.js'

/** Our own page: that of the library has an inline script, which the policy forbids. */
const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${configuration.pageTitle}</title>
</head>
<body>
<div id="app"></div>
<script src="${PROGRAM}"></script>
<script src="${START}"></script>
</body>
</html>
`
const start = `Scalar.createApiReference('#app', ${JSON.stringify(configuration)})\n`

/** The program has four megabytes, so it is loaded on first use. */
async function loadProgram(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const pages = Fastify()
  try {
    await pages.register(scalar, { routePrefix: PREFIX, configuration })
    const { rawPayload } = await pages.inject(`${PREFIX}/${PROGRAM}`)
    return rawPayload
  } finally {
    await pages.close()
  }
}

const headersOf = (cache: string): Record<string, string> => ({
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cache-control': cache,
})

const SCRIPT = 'text/javascript; charset=utf-8'

function servePages(app: FastifyInstance): void {
  const page = new StaticContent('text/html; charset=utf-8', Buffer.from(html))
  const starter = new StaticContent(SCRIPT, Buffer.from(start))
  let program: Promise<StaticContent> | undefined
  const load = async (): Promise<StaticContent> => {
    try {
      return new StaticContent(SCRIPT, await loadProgram())
    } catch (error) {
      // A failed load may succeed later.
      program = undefined
      throw error
    }
  }
  app.get(PREFIX, (_request, reply) => reply.redirect(`${PREFIX}/`, 301))
  app.get(`${PREFIX}/`, (request, reply) =>
    page.send(request, reply.headers(headersOf('no-cache'))),
  )
  app.get(`${PREFIX}/${START}`, (request, reply) =>
    starter.send(request, reply.headers(headersOf('no-cache'))),
  )
  app.get(`${PREFIX}/${PROGRAM}`, async (request, reply) => {
    const content = await (program ??= load())
    return content.send(request, reply.headers(headersOf(`max-age=${DAY_S}`)))
  })
}

/**
 * A plugin for `createServer`. The document uses relative paths, so it is correct behind any proxy.
 */
export function createReference(
  operations: readonly Described[],
  tags: Readonly<Record<string, string>>,
): (app: FastifyInstance) => void {
  let document: StaticContent | undefined
  return (app) => {
    app.get(`${BASE_PATH}/openapi.json`, (request, reply) => {
      document ??= new StaticContent(
        'application/json; charset=utf-8',
        Buffer.from(JSON.stringify(openapiDocument(operations, { tags }))),
      )
      // Browser tools read it cross-origin; it contains no secrets.
      void reply.headers({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache' })
      return document.send(request, reply)
    })
    serveErrors(app)
    servePages(app)
  }
}
