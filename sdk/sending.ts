/** Sends requests: address, credential, body, and the retries that cannot act twice. */
import type { CallOptions } from './calls.ts'
import { errorOf, type MooringError } from './error.ts'
import type { OperationInfo } from './schema.ts'

/** A credential, or a function that returns the present one. It is called for each attempt. */
export type Secret = string | (() => string | Promise<string>)

export interface ClientOptions {
  /** Scheme and authority of the service, such as `https://mooring.example.com`. */
  baseUrl: string
  /** Access token of a user or a phone, or HTTP token of a device. */
  token?: Secret
  /** Platform key of a backend. */
  apiKey?: Secret
  /** Provision key of a factory. */
  provisionKey?: Secret
  fetch?: typeof fetch
  /** How often a request is repeated after a failure that may pass; by default 3 times. */
  retries?: number
  /** A refusal that asks to wait longer is not retried; by default 60 seconds. */
  maxRetryAfterSeconds?: number
}

/** The input of any operation. */
export interface AnyInput extends CallOptions {
  params?: Readonly<Record<string, string | number>>
  query?: object
  body?: unknown
}

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 10_000

/** Resolves after the time. @throws the reason of the signal, when it is aborted */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

/** Grows with each attempt; random, so that many clients do not return at once. */
export const delayMs = (attempt: number): number =>
  Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + Math.random() / 2)

/** 32 hexadecimal digits. `randomUUID` is missing in pages without TLS. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

function addressOf({ base, path }: OperationInfo, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.append(name, String(value))
  }
  const text = search.toString()
  return `${base}${filled}${text && `?${text}`}`
}

function contentOf({ sends }: OperationInfo, { body }: AnyInput): { type?: string; body?: Blob } {
  if (body === undefined) return {}
  if (sends !== 'rows') {
    return { type: 'application/json', body: new Blob([JSON.stringify(body)]) }
  }
  const lines: string[] = []
  for (const row of body as Iterable<unknown>) lines.push(`${JSON.stringify(row)}\n`)
  return { type: 'application/x-ndjson', body: new Blob(lines) }
}

function headersOf(info: OperationInfo, input: AnyInput, type: string | undefined): Headers {
  const headers = new Headers({
    accept: info.returns === 'rows' ? 'application/x-ndjson' : 'application/json',
    ...(type !== undefined && { 'content-type': type }),
    ...input.headers,
  })
  if (info.idempotencyKey && !headers.has('idempotency-key')) {
    headers.set('idempotency-key', newKey())
  }
  return headers
}

const resolve = (secret: Secret): string | Promise<string> =>
  typeof secret === 'string' ? secret : secret()

/** The function that adds the client's credential to a request. */
function credentialOf({ token, apiKey, provisionKey }: ClientOptions) {
  const given = [token, apiKey, provisionKey].filter((each) => each !== undefined)
  if (given.length > 1) throw new TypeError('a client has one credential, in one header')
  return async (headers: Headers): Promise<void> => {
    if (token !== undefined) headers.set('authorization', `Bearer ${await resolve(token)}`)
    if (apiKey !== undefined) headers.set('x-api-key', await resolve(apiKey))
    if (provisionKey !== undefined) headers.set('service-auth-code', await resolve(provisionKey))
  }
}

/** Whether another attempt may succeed. @param isRepeatable also if the first one took effect */
function mayPass({ status, code }: MooringError, isRepeatable: boolean): boolean {
  // Refused before it took effect.
  if (status === 429) return true
  // An earlier attempt, whose response was lost, is still running.
  if (code === 'idempotency_in_progress') return true
  return isRepeatable && (status === 502 || status === 503 || status === 504)
}

/** How long a client keeps trying. */
export interface RetryLimits {
  retries: number
  maxRetryAfterSeconds: number
}

export const retryLimitsOf = ({
  retries = 3,
  maxRetryAfterSeconds = 60,
}: Partial<RetryLimits>): RetryLimits => ({ retries, maxRetryAfterSeconds })

/**
 * Sends a request, and `read` reads its response: a response that breaks off is a failure of the
 * network, too.
 * @throws MooringError for a refused request; after a failure of the network, what `fetch` throws
 */
export type Send = <T>(
  info: OperationInfo,
  input: AnyInput,
  read: (response: Response) => T | Promise<T>,
  retryLimits?: RetryLimits,
) => Promise<T>

export function createSend(options: ClientOptions): Send {
  const { baseUrl } = options
  const usual = retryLimitsOf(options)
  // In a browser it may be a path.
  const { location } = globalThis as { location?: { href: string } }
  if (!URL.canParse(baseUrl, location?.href)) {
    throw new TypeError(`baseUrl is no URL: ${baseUrl}`)
  }
  const origin = baseUrl.endsWith('/') ? baseUrl.slice(0, -1) : baseUrl
  const request = options.fetch ?? ((url, init) => fetch(url, init))
  const authenticate = credentialOf(options)

  return async (info, input, read, { retries, maxRetryAfterSeconds } = usual) => {
    const { signal } = input
    const url = origin + addressOf(info, input)
    const { type, body } = contentOf(info, input)
    const headers = headersOf(info, input, type)
    const isRepeatable = info.method === 'GET' || headers.has('idempotency-key')
    const init = { method: info.method, headers, ...(body && { body }), ...(signal && { signal }) }

    async function once() {
      const response = await request(url, init)
      if (!response.ok && response.status !== 304) return { refusal: await errorOf(response) }
      return { value: await read(response) }
    }

    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted()
      await authenticate(headers)
      const result = await once().catch((error: unknown) => {
        if (signal?.aborted || !isRepeatable || attempt >= retries) throw error
        return undefined
      })
      if (result?.refusal === undefined) {
        if (result !== undefined) return result.value
        await sleep(delayMs(attempt), signal)
        continue
      }
      const { refusal } = result
      const { retryAfter } = refusal
      const isFinal = attempt >= retries || !mayPass(refusal, isRepeatable)
      if (isFinal || (retryAfter ?? 0) > maxRetryAfterSeconds) throw refusal
      await sleep(
        (retryAfter ?? 0) * 1000 + delayMs(retryAfter === undefined ? attempt : 0),
        signal,
      )
    }
  }
}
