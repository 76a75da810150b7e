/**
 * A stand-in for Stripe on loopback, for the real library to talk to: customers, set-up and payment
 * intents, methods, refunds and disputes, idempotency keys and signed events, as Stripe documents
 * them. It knows what money has moved, and can be made to fail.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { defer } from './cleanup.ts'
import { type StripeResponse, type Form, refuse, StripeObjects } from './stripe-objects.ts'

const STRIPE_SECRET = 'sk_test_standin'
export const STRIPE_WEBHOOK_SECRET = 'whsec_standin'

/** The fault of a request instead of, or after, its normal handling. */
export type Fault =
  /** It is done, and the response never comes. */
  | 'lost'
  /** Nothing is done, and the connection is closed. */
  | 'cut'
  /** It is done, and answered with a 500 that is kept for its idempotency key. */
  | 'broken'

interface Kept {
  request: string
  reply: StripeResponse | undefined
}

export interface StripeStandIn {
  /** For MOORING_STRIPE_API_BASE. */
  url: string
  environment: Record<string, string>
  objects: StripeObjects
  /** Requests as `POST /v1/…`, in order. */
  requests: string[]
  /** The next requests that match meet a fault, so many of them. */
  fail(pattern: RegExp, fault: Fault, times?: number): void
  /** Milliseconds that every confirmation takes. */
  slow(ms: number): void
}

const ERROR_TYPE = 'invalid_request_error'

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** `a[b]=c` as members of an object; lists keep their numbers as names. */
function formOf(text: string): Form {
  const form: Form = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const names = name.split(/[[\]]+/).filter((part) => part !== '')
    let place: Record<string, unknown> = form
    for (const part of names.slice(0, -1)) {
      place = (place[part] ??= {}) as Record<string, unknown>
    }
    place[names.at(-1) ?? ''] = value
  }
  return form
}

class StandIn {
  readonly objects = new StripeObjects()
  readonly requests: string[] = []
  readonly #kept = new Map<string, Kept>()
  readonly #busy = new Set<string>()
  #faults: { pattern: RegExp; fault: Fault; times: number }[] = []
  #confirmMs = 0

  fail(pattern: RegExp, fault: Fault, times = 1): void {
    this.#faults.push({ pattern, fault, times })
  }

  slow(ms: number): void {
    this.#confirmMs = ms
  }

  #faultOf(what: string): Fault | undefined {
    const found = this.#faults.find(({ pattern, times }) => times > 0 && pattern.test(what))
    if (found !== undefined) found.times -= 1
    return found?.fault
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const text = await bodyOf(request)
    const { pathname, searchParams } = new URL(url, 'http://stripe')
    const what = `${method} ${pathname}`
    this.requests.push(what)
    const fault = this.#faultOf(what)
    if (fault === 'cut') return void request.socket.destroy()
    const reply = await this.#respond(
      { what, form: formOf(method === 'GET' ? searchParams.toString() : text) },
      text,
      headers,
      fault,
    )
    if (fault === 'lost') return void request.socket.destroy()
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      'request-id': `req_${randomBytes(6).toString('hex')}`,
    })
    response.end(JSON.stringify(reply.body))
  }

  async #respond(
    { what, form }: { what: string; form: Form },
    text: string,
    headers: IncomingMessage['headers'],
    fault: Fault | undefined,
  ): Promise<StripeResponse> {
    if (headers.authorization !== `Bearer ${STRIPE_SECRET}`) {
      return refuse(401, ERROR_TYPE, 'Invalid API Key provided')
    }
    const key = headers['idempotency-key']
    if (!what.startsWith('POST') || typeof key !== 'string') return this.#run(what, form)
    const request = `${what}\n${text}`
    const kept = this.#kept.get(key)
    if (kept !== undefined) {
      if (kept.request !== request) {
        return refuse(
          400,
          'idempotency_error',
          'Keys for idempotent requests can only be used once',
        )
      }
      // Still at work on the first request with this key.
      return (
        kept.reply ?? refuse(409, 'idempotency_error', 'in use', { code: 'idempotency_key_in_use' })
      )
    }
    const entry: Kept = { request, reply: undefined }
    this.#kept.set(key, entry)
    const done = await this.#run(what, form)
    entry.reply = fault === 'broken' ? refuse(500, 'api_error', 'Sorry') : done
    // A request that could not begin is not kept.
    if (done.status === 429) this.#kept.delete(key)
    return entry.reply
  }

  /** One request at a time may change an intent. */
  async #run(what: string, form: Form): Promise<StripeResponse> {
    const [, intent] = /^POST \/v1\/payment_intents\/(\w+)\/confirm$/.exec(what) ?? []
    if (intent === undefined) return this.objects.run(what, form)
    if (this.#busy.has(intent)) {
      return refuse(429, ERROR_TYPE, 'in use by another request', { code: 'lock_timeout' })
    }
    this.#busy.add(intent)
    try {
      if (this.#confirmMs > 0) await new Promise((done) => setTimeout(done, this.#confirmMs))
      return this.objects.run(what, form)
    } finally {
      this.#busy.delete(intent)
    }
  }
}

export async function startStripe(t: Pick<TestContext, 'after'>): Promise<StripeStandIn> {
  const standIn = new StandIn()
  const server = createServer((request, response) => {
    standIn.handle(request, response).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { type: 'api_error', message: String(error) } }))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  defer(t, () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => void server.close(() => resolve()))
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    environment: {
      MOORING_STRIPE_SECRET_KEY: STRIPE_SECRET,
      MOORING_STRIPE_WEBHOOK_SECRET: STRIPE_WEBHOOK_SECRET,
      MOORING_STRIPE_PUBLISHABLE_KEY: 'pk_test_standin',
      MOORING_STRIPE_API_BASE: url,
    },
    objects: standIn.objects,
    requests: standIn.requests,
    fail: (pattern, fault, times) => standIn.fail(pattern, fault, times),
    slow: (ms) => standIn.slow(ms),
  }
}
