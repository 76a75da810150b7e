/**
 * The admin API of EMQX as its documents describe it, where it matters to a revocation: sessions on
 * several nodes, pages, an API key, and a deletion that is answered before it has happened. The
 * versions differ in whether there is a cache of what hooks answered (since 5.9).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

export interface EmqxClient {
  clientid: string
  username: string
  node: string
  connected: boolean
  connected_at: string
  ip_address: string
  proto_ver: number
}

export interface EmqxCall {
  method: string
  path: string
  body: unknown
}

export interface EmqxServer {
  url: string
  clients: Map<string, EmqxClient>
  calls: EmqxCall[]
  /** By how much its clock is wrong. */
  clockMs: number
  /** How often a client that was deleted is still shown. */
  lag: number
  /** Responds in place of EMQX if it returns something: the status and the body. */
  instead: ((call: EmqxCall) => [number, string] | 'silence' | undefined) | undefined
  stop(): Promise<void>
}

export const API_KEY = { username: 'key', password: 'secret of the key' }

const notFound: [number, object] = [404, { code: 'CLIENTID_NOT_FOUND', message: 'not found' }]

class Emqx implements EmqxServer {
  url = ''
  lag = 0
  clockMs = 0
  readonly clients = new Map<string, EmqxClient>()
  readonly calls: EmqxCall[] = []
  instead: EmqxServer['instead']
  readonly #hasCache: boolean
  readonly #leaving = new Map<string, number>()
  readonly #server: Server

  constructor(hasCache: boolean) {
    this.#hasCache = hasCache
    this.#server = createServer((request, response) => void this.#handle(request, response))
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const { port } = this.#server.address() as { port: number }
    this.url = `http://127.0.0.1:${port}/api/v5`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const path = (request.url ?? '').replace('/api/v5', '')
    const method = request.method ?? ''
    const call = { method, path, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
    this.calls.push(call)
    const instead = this.instead?.(call)
    if (instead === 'silence') return
    if (instead !== undefined) {
      response.writeHead(instead[0]).end(instead[1])
      return
    }
    const key = `Basic ${Buffer.from(`${API_KEY.username}:${API_KEY.password}`).toString('base64')}`
    const [status, body] =
      request.headers.authorization === key
        ? this.#respond(call)
        : [401, { code: 'BAD_API_KEY_OR_SECRET' }]
    const date = new Date(Date.now() + this.clockMs).toUTCString()
    response.writeHead(status, { 'content-type': 'application/json', date })
    response.end(body === undefined ? '' : JSON.stringify(body))
  }

  #respond({ method, path }: EmqxCall): [number, object?] {
    const url = new URL(path, 'http://emqx')
    if (url.pathname === '/clients' && method === 'GET') return this.#list(url.searchParams)
    if (url.pathname === '/authentication/node_cache/reset' && method === 'POST') {
      return this.#hasCache ? [204] : [404, { code: 'NOT_FOUND' }]
    }
    if (url.pathname === '/publish' && method === 'POST') return [202, { id: 'x' }]
    const [, clientid] = /^\/clients\/([^/]+)$/.exec(url.pathname) ?? []
    const client = this.clients.get(decodeURIComponent(clientid ?? ''))
    if (client === undefined) return notFound
    if (method === 'DELETE') {
      this.#leaving.set(client.clientid, this.lag)
      if (this.lag === 0) this.clients.delete(client.clientid)
      return [204]
    }
    return this.#show(client)
  }

  #show(client: EmqxClient): [number, object] {
    const left = this.#leaving.get(client.clientid)
    if (left === 0) this.clients.delete(client.clientid)
    else if (left !== undefined) this.#leaving.set(client.clientid, left - 1)
    return left === 0 ? notFound : [200, client]
  }

  #list(query: URLSearchParams): [number, object] {
    const page = Number(query.get('page') ?? 1)
    const limit = Number(query.get('limit') ?? 100)
    const username = query.get('username')
    const all = [...this.clients.values()].filter(
      (one) => (username ?? one.username) === one.username,
    )
    const data = all.slice((page - 1) * limit, page * limit)
    const hasnext = page * limit < all.length
    return [200, { data, meta: { page, limit, count: all.length, hasnext } }]
  }
}

export async function startEmqxServer(version: '5.3' | '6.2'): Promise<EmqxServer> {
  const server = new Emqx(version === '6.2')
  await server.listen()
  return server
}
