/**
 * The routes `POST /hooks/{broker}/…` on Node's HTTP server directly: a reconnecting fleet calls
 * them thousands of times a second, and the framework's routing, hooks and body parsing cost more
 * than the answer (docs/decisions/0052).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterwards } from '../../../platform/lib/soon.ts'
import { disturb, type Disturbance } from './disturbance.ts'
import { emqxHooks } from './emqx.ts'
import type { Answer, Hook } from './hook.ts'
import { type BrokerHookOptions, HookDesk, type Question } from './hook-desk.ts'
import { mosquittoHooks } from './mosquitto.ts'
import { nanomqHooks } from './nanomq.ts'
import { rabbitmqHooks } from './rabbitmq.ts'
import { vernemqHooks } from './vernemq.ts'

/** Handles the request; returns false if it is not for a hook. */
export type HookListener = (request: IncomingMessage, response: ServerResponse) => boolean

const hooks: ReadonlyMap<string, Hook> = new Map(
  [...emqxHooks, ...rabbitmqHooks, ...mosquittoHooks, ...nanomqHooks, ...vernemqHooks].map(
    (hook) => [hook.path, hook],
  ),
)

/** Brokers that only look at the status of the answer, or may be configured to. */
const goByStatus: ReadonlySet<string> = new Set(['nanomq', 'mosquitto-go-auth'])

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

function send(response: ServerResponse, { status, type, body }: Answer): void {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { 'content-type': type, 'content-length': length })
  response.end(body)
}

function give(response: ServerResponse, hook: Hook, answer: Answer | Disturbance): void {
  if (typeof answer === 'string') void disturb(response, answer, goByStatus.has(hook.kind))
  else send(response, answer)
}

export function createHookListener(options: BrokerHookOptions): HookListener {
  const desk = new HookDesk(options)
  return (request, response) => {
    const [, brokerName = '', path = ''] = ADDRESS.exec(request.url ?? '') ?? []
    const hook = hooks.get(path)
    if (request.method !== 'POST' || hook === undefined) return false
    const { headers } = request
    const broker = desk.authenticate(hook, brokerName, headers.authorization)
    const answer = (body: Buffer | undefined): void => {
      const question: Question = {
        hook,
        broker,
        contentType: headers['content-type'],
        hookName: headerOf(headers['vernemq-hook']),
        address: request.socket.remoteAddress,
        body,
      }
      void afterwards(desk.answer(question), (given) => give(response, hook, given))
    }
    // The body of an unknown caller is not buffered: many of them could exhaust memory.
    if (broker === undefined) answer(undefined)
    else collect(request, hook.bodyLimit, answer)
    return true
  }
}
