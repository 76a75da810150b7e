/**
 * Sends one webhook to an address that has been checked. Whatever the receiver does, the request is
 * bounded in time and in bytes read, and follows no redirects. Connections are reused only if the
 * caller asks for it, and only to the checked address.
 */
import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as TlsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Target } from './target.ts'

export type SendFailure = 'unreachable' | 'slow' | 'malformed' | 'tls'

export interface SendResult {
  /** Undefined if there was no response. */
  status: number | undefined
  /** Why there was no response. */
  failure: SendFailure | undefined
  /** The beginning of the response body. */
  body: string
  /** The receiver's `Retry-After`, in seconds. */
  retryAfter: number | undefined
  tookMs: number
}

export interface SendOptions {
  /** For the whole exchange, from connecting to the end of the response. */
  timeoutMs: number
  /** From `keepingAgent`, for the same target; without it the connection is closed afterwards. */
  agent?: Agent
  /** Aborts the request when the process stops. */
  signal?: AbortSignal
}

/** Limit for reading a response body. */
const MAX_BODY = 65_536
/** How much of it is kept. */
const KEPT_BODY = 1_024
const MAX_HEADERS = 16_384
const MAX_RETRY_AFTER_S = 86_400
const TLS_ERROR = /^(?:ERR_TLS_|ERR_SSL_|CERT_|EPROTO|DEPTH_|SELF_SIGNED|UNABLE_TO_)/

/** Resolves every name to the checked address. */
const pinned =
  ({ address, family }: Target): LookupFunction =>
  (_host, options, done) => {
    if (options.all === true) done(null, [{ address, family }])
    else done(null, address, family)
  }

/** Keeps connections to one target alive; the caller must destroy it. */
export const keepingAgent = ({ url }: Target): Agent =>
  url.protocol === 'http:' ? new Agent({ keepAlive: true }) : new TlsAgent({ keepAlive: true })

function open(
  target: Target,
  headers: Record<string, string>,
  signal: AbortSignal,
  agent: Agent | undefined,
): ClientRequest {
  const options = {
    method: 'POST',
    headers,
    signal,
    agent: agent ?? (false as const),
    lookup: pinned(target),
    maxHeaderSize: MAX_HEADERS,
  }
  const { url } = target
  return url.protocol === 'http:' ? requestHttp(url, options) : requestHttps(url, options)
}

function failureOf(error: unknown): SendFailure {
  const { code = '', name = '' } = error as { code?: string; name?: string }
  if (name === 'AbortError' || name === 'TimeoutError' || code === 'ABORT_ERR') return 'slow'
  if (TLS_ERROR.test(code)) return 'tls'
  return code.startsWith('HPE_') ? 'malformed' : 'unreachable'
}

/**
 * Reads the beginning of the body. If it is too long, the rest stays unread and the connection is
 * closed.
 */
async function readBeginning(response: IncomingMessage, into: SendResult): Promise<void> {
  const kept: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of response) {
      if (length < KEPT_BODY) kept.push(chunk as Buffer)
      length += (chunk as Buffer).length
      if (length >= MAX_BODY) break
    }
  } finally {
    into.body = Buffer.concat(kept).subarray(0, KEPT_BODY).toString('utf8')
  }
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
function retryAfterOf({ headers }: IncomingMessage): number | undefined {
  const text = headers['retry-after']
  if (text === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : Math.ceil((Date.parse(text) - Date.now()) / 1000)
  return seconds >= 0 ? Math.min(seconds, MAX_RETRY_AFTER_S) : undefined
}

const firstResponseTo = (request: ClientRequest, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('response', resolve).on('error', reject).end(body)
  })

/** One request. @returns whether a kept connection turned out to be closed already */
async function attempt(
  request: ClientRequest,
  body: string,
  result: SendResult,
): Promise<{ wasStale: boolean }> {
  try {
    const response = await firstResponseTo(request, body)
    result.status = response.statusCode
    result.retryAfter = retryAfterOf(response)
    await readBeginning(response, result)
    if (!response.complete) request.destroy()
  } catch (error) {
    request.destroy()
    // The status counts, even if the body never ends.
    if (result.status !== undefined) return { wasStale: false }
    result.failure = failureOf(error)
    return { wasStale: request.reusedSocket && result.failure === 'unreachable' }
  }
  return { wasStale: false }
}

export async function sendWebhook(
  target: Target,
  headers: Record<string, string>,
  body: string,
  { timeoutMs, agent, signal: stop }: SendOptions,
): Promise<SendResult> {
  const begun = performance.now()
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = stop === undefined ? timeout : AbortSignal.any([timeout, stop])
  const length = String(Buffer.byteLength(body))
  const all = { 'content-type': 'application/json', 'content-length': length, ...headers }
  const result: SendResult = {
    status: undefined,
    failure: undefined,
    body: '',
    retryAfter: undefined,
    tookMs: 0,
  }
  const { wasStale } = await attempt(open(target, all, signal, agent), body, result)
  if (wasStale) {
    // The receiver had closed the kept connection, which says nothing about this webhook.
    result.failure = undefined
    await attempt(open(target, all, signal, undefined), body, result)
  }
  result.tookMs = Math.round(performance.now() - begun)
  return result
}

/** Only 2xx is success; redirects are failures. */
export const isDelivered = ({ status = 0 }: SendResult): boolean => status >= 200 && status < 300
