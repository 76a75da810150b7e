/**
 * The routes `POST /hooks/{broker}/…` on Node's HTTP server directly: a reconnecting fleet calls
 * them thousands of times a second, and the framework's routing, hooks and body parsing cost more
 * than the response (docs/decisions/0052).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { andThen } from '../../../platform/lib/maybe-promise.ts'
import type { HookResponse, Hook, HookFault } from './hook.ts'
import { type BrokerHookOptions, HookHandler, type HookRequest } from './hook-handler.ts'

/** Handles the request; returns false if it is not for a hook. */
export type HookListener = (request: IncomingMessage, response: ServerResponse) => boolean

/** Longer than any broker waits. */
const HANG_MS = 30_000

const ADDRESS = /^\/hooks\/([^/?]+)\/([^?]+)/

const headerOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

/** Calls back with the whole body, or undefined if it exceeds `limit` bytes. */
function collect(
  request: IncomingMessage,
  limit: number,
  done: (body: Buffer | undefined) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  const take = (chunk: Buffer): void => {
    size += chunk.length
    if (size <= limit) {
      chunks.push(chunk)
      return
    }
    // Drains the rest.
    request.off('data', take).off('end', end).resume()
    done(undefined)
  }
  const end = (): void => done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
  request.on('data', take).on('end', end)
}

function send(response: ServerResponse, { status, type, body }: HookResponse): void {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { 'content-type': type, 'content-length': length })
  response.end(body)
}

/** Sends an invalid response that no broker can interpret as permission. */
async function injectFault(response: ServerResponse, hook: Hook, fault: HookFault): Promise<void> {
  const status = hook.allowsByStatus ? 503 : 200
  if (fault === 'hang') await sleep(HANG_MS, undefined, { ref: false })
  if (fault === 'hang' || fault === 'drop') response.destroy()
  else if (fault === 'error') {
    response.writeHead(500, { 'content-type': 'text/plain' }).end('a deliberate error')
  } else if (fault === 'empty') response.writeHead(status).end()
  else response.writeHead(status, { 'content-type': 'application/json' }).end('{"result":')
}

function respond(response: ServerResponse, hook: Hook, result: HookResponse | HookFault): void {
  if (typeof result === 'string') void injectFault(response, hook, result)
  else send(response, result)
}

export function createHookListener(options: BrokerHookOptions): HookListener {
  const handler = new HookHandler(options)
  const routes = new Map(
    options.kinds.flatMap(({ name: kind, hooks }) =>
      hooks.map((hook) => [hook.path, { kind, hook }] as const),
    ),
  )
  return (request, response) => {
    const [, brokerName = '', path = ''] = ADDRESS.exec(request.url ?? '') ?? []
    const route = routes.get(path)
    if (request.method !== 'POST' || route === undefined) return false
    const { kind, hook } = route
    const { headers } = request
    const broker = handler.authenticate(kind, brokerName, headers.authorization)
    const handle = (body: Buffer | undefined): void => {
      const asked: HookRequest = {
        hook,
        broker,
        contentType: headers['content-type'],
        header: hook.header === undefined ? undefined : headerOf(headers[hook.header]),
        address: request.socket.remoteAddress,
        body,
      }
      void andThen(handler.handle(asked), (given) => respond(response, hook, given))
    }
    // The body of an unknown caller is not buffered: many of them could exhaust memory.
    if (broker === undefined) handle(undefined)
    else collect(request, hook.bodyLimit, handle)
    return true
  }
}
