/**
 * HTTP client for brokers' admin APIs: idempotent calls with a timeout and a few retries; responses
 * are bounded and parsed as JSON.
 */
import { request as requestHttp } from 'node:http'
import { type RequestOptions, request as requestHttps } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { BrokerFailure } from './failure.ts'
import type { ResponseMetadata } from './older-sessions.ts'

export interface HttpApiOptions {
  /** The broker's name, for failures. */
  broker: string
  /** `http://…` or `https://…`, with the path prefix of all calls. */
  url: string
  username: string
  password: string
  /** PEM of the CA to trust, if it is not one of the system's. */
  ca?: string | undefined
  timeoutMs?: number
  attempts?: number
}

export interface HttpCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the URL, already percent-encoded. */
  path: string
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** Accepted statuses; any other is a failure. */
  expect: readonly number[]
}

export interface HttpResponse extends ResponseMetadata {
  status: number
  /** Undefined if the response has no body. */
  body: unknown
}

const TIMEOUT_MS = 3_000
const ATTEMPTS = 3
const PAUSE_MS = 100
const MAX_RESPONSE_BYTES = 16 * 2 ** 20

/** Worth retrying: the broker recovers in a moment, or another node responds. */
const isPassing = (status: number): boolean => status === 429 || status >= 500

export class HttpApi {
  readonly #options: HttpApiOptions
  readonly #authorization: string

  constructor(options: HttpApiOptions) {
    this.#options = options
    const { username, password } = options
    this.#authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  }

  /**
   * Calls, and retries if there is no response, so the call must be idempotent. Throws
   * `BrokerFailure` for anything but an accepted status.
   */
  async call(call: HttpCall): Promise<HttpResponse> {
    const { attempts = ATTEMPTS } = this.#options
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= attempts
      try {
        const result = await this.#once(call)
        if (call.expect.includes(result.status)) return result
        if (isLast || !isPassing(result.status)) throw this.#refused(call, result)
      } catch (error) {
        const passes = error instanceof BrokerFailure && error.kind !== 'refused'
        if (isLast || !passes) throw error
      }
      await wait(PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()))
    }
  }

  #failure(kind: 'unreachable' | 'slow' | 'malformed', { method, path }: HttpCall, why: string) {
    return new BrokerFailure(this.#options.broker, kind, `${method} ${path} ${why}`)
  }

  #refused({ method, path }: HttpCall, { status }: HttpResponse): BrokerFailure {
    const hint =
      status === 401 || status === 403 ? '; see its admin user name, password and rights' : ''
    const what = `${method} ${path} got the response ${status}${hint}`
    return new BrokerFailure(this.#options.broker, 'refused', what)
  }

  async #once(call: HttpCall): Promise<HttpResponse> {
    const sentAt = performance.now()
    const { status, text, date } = await this.#send(call)
    const metadata = { status, sentAt, receivedAt: performance.now(), date }
    if (text === '') return { ...metadata, body: undefined }
    try {
      return { ...metadata, body: JSON.parse(text) as unknown }
    } catch {
      // The error page of a proxy is not parsed.
      if (!call.expect.includes(status)) return { ...metadata, body: undefined }
      throw this.#failure('malformed', call, 'got a response that is not JSON')
    }
  }

  #send(call: HttpCall): Promise<{ status: number; text: string; date: number | undefined }> {
    const { url, ca, timeoutMs = TIMEOUT_MS } = this.#options
    const target = new URL(url.replace(/\/$/, '') + call.path)
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const options: RequestOptions = {
      method: call.method,
      headers: {
        accept: 'application/json',
        authorization: this.#authorization,
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        }),
        ...call.headers,
      },
      signal: AbortSignal.timeout(timeoutMs),
      ...(ca !== undefined && { ca }),
    }
    const send = target.protocol === 'https:' ? requestHttps : requestHttp
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        const isSlow = error.name === 'AbortError' || error.name === 'TimeoutError'
        const why = isSlow ? `got no response within ${timeoutMs} ms` : `failed: ${error.message}`
        reject(this.#failure(isSlow ? 'slow' : 'unreachable', call, why))
      }
      const request = send(target, options, (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          chunks.push(chunk)
          if (size > MAX_RESPONSE_BYTES) response.destroy(new Error('The response is too long.'))
        })
        response.on('error', fail)
        response.on('end', () => {
          const date = Date.parse(response.headers.date ?? '')
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString(),
            date: Number.isNaN(date) ? undefined : date,
          })
        })
      })
      request.on('error', fail)
      request.end(body)
    })
  }
}
