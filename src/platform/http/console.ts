/**
 * Serves the built console below `/console/`. Every path that is no file gets the page, whose script
 * decides what to show. The policy forbids other hosts, inline scripts and inline styles.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../errors/errors.ts'
import { BASE_PATH } from './operation.ts'

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

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

interface File {
  type: string
  plain: Buffer
  /** Compressed by the build; undefined if that would not help. */
  brotli: Buffer | undefined
  etag: string
  cache: string
}

const readIf = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** All files of the folder, by their path below `/console/`. Empty if there is no such folder. */
function readFiles(folder: string): Map<string, File> {
  const files = new Map<string, File>()
  if (!existsSync(folder)) return files
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path).replaceAll(sep, '/')
    const plain = readFileSync(path)
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
    // Their names contain a hash of their contents.
    const cache = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    files.set(name, { type, plain, brotli: readIf(`${path}.br`), etag, cache })
  }
  return files
}

const takesBrotli = ({ headers: sent }: FastifyRequest): boolean =>
  /(^|,)\s*br\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[\d.]+\s*)?(,|$)/.test(sent['accept-encoding'] ?? '')

function send(request: FastifyRequest, reply: FastifyReply, file: File): FastifyReply {
  const { type, plain, brotli, etag, cache } = file
  void reply.headers({ ...headers, 'cache-control': cache, etag })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  void reply.type(type)
  if (brotli === undefined || !takesBrotli(request)) return reply.send(plain)
  return reply.header('content-encoding', 'br').send(brotli)
}

const prefersHtml = ({ headers: { accept } }: FastifyRequest): boolean =>
  accept?.includes('text/html') === true

/**
 * A plugin for `createServer`.
 * @param folder of the build; undefined or without a build, there is no console
 */
export const serveConsole =
  (folder: string | undefined) =>
  (app: FastifyInstance): void => {
    app.get('/', (request, reply) => {
      if (folder === undefined || !prefersHtml(request)) throw new Failure('not_found')
      return reply.redirect(`${PREFIX}/`)
    })
    app.get(BASE_PATH, (request, reply) => {
      if (!prefersHtml(request)) throw new Failure('not_found')
      return reply.redirect(`${BASE_PATH}/reference`)
    })
    if (folder === undefined) return
    const files = readFiles(folder)
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
