/** An HTTP proxy in front of a service that refuses requests, or loses their responses. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { defer } from '../support/cleanup.ts'

interface Refusal {
  status: number
  headers?: Record<string, string>
  body?: string
}

/**
 * The fate of a request: `pass`; `lose`: the service handles it, but the response is lost; `cut`:
 * the connection breaks within the body; `hang`: no byte of the body comes.
 */
export type Fate = 'pass' | 'lose' | 'cut' | 'hang' | Refusal

export interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  atMs: number
}

function handle(answer: IncomingMessage, response: ServerResponse, fate: Fate): void {
  if (fate === 'lose') {
    answer.resume().on('end', () => response.destroy())
    return
  }
  const headers = { ...answer.headers }
  // A response that breaks off must not look complete, and a hanging one has no length.
  delete headers['content-length']
  response.writeHead(answer.statusCode ?? 0, headers)
  response.flushHeaders()
  if (fate === 'hang') return
  if (fate === 'pass') {
    answer.pipe(response)
    return
  }
  answer.once('data', (bytes: Buffer) => {
    response.write(bytes.subarray(0, bytes.length - 1), () => response.destroy())
  })
}

/** @param fates of the first requests; later ones pass */
export async function startFront(
  t: Pick<TestContext, 'after'>,
  origin: string,
  fates: readonly Fate[],
): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming
    const fate = fates[seen.length] ?? 'pass'
    seen.push({ method, url, headers, atMs: performance.now() })
    if (typeof fate === 'object') {
      incoming.resume()
      response.writeHead(fate.status, fate.headers).end(fate.body)
      return
    }
    const onward = request(new URL(url, origin), { method, headers, agent: false })
    onward.on('response', (answer) => {
      response.on('close', () => answer.destroy())
      handle(answer, response, fate)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  defer(t, () => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}
