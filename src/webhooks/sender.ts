/**
 * Sends one webhook to an address that was judged. Whatever the receiver does, it ends in time,
 * reads little, follows nothing, and shares no connection with another sending.
 */
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Target } from './target.ts'

export type SendFailure = 'unreachable' | 'slow' | 'malformed' | 'tls'

export interface SendResult {
  /** Undefined where no answer came. */
  status: number | undefined
  /** Why none came. */
  failure: SendFailure | undefined
  /** The beginning of the answer's body. */
  body: string
  /** Seconds that the receiver asks to wait for. */
  retryAfter: number | undefined
  tookMs: number
}

const TIMEOUT_MS = 10_000
/** Of the answer; what is beyond is not read. */
const MAX_BODY = 4_096
const MAX_HEADERS = 16_384
const TLS_ERROR = /^(?:ERR_TLS_|ERR_SSL_|CERT_|EPROTO|DEPTH_|SELF_SIGNED|UNABLE_TO_)/

/** Gives the address that was judged, whatever is asked for. */
const pinned =
  ({ address, family }: Target): LookupFunction =>
  (_host, options, done) => {
    if (options.all === true) done(null, [{ address, family }])
    else done(null, address, family)
  }

function open(target: Target, headers: Record<string, string>, signal: AbortSignal): ClientRequest {
  const options = {
    method: 'POST',
    headers,
    signal,
    agent: false as const,
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

/** The beginning of the body; the rest is left unread, and the connection closed. */
async function readBeginning(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer) {
    chunks.push(chunk as Buffer)
    length += (chunk as Buffer).length
    if (length >= MAX_BODY) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY).toString('utf8')
}

function retryAfterOf({ headers }: IncomingMessage): number | undefined {
  const text = headers['retry-after']
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

const answered = (request: ClientRequest, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('response', resolve).on('error', reject).end(body)
  })

/** @param timeoutMs for all of it, from the connection to the end of the answer. */
export async function sendWebhook(
  target: Target,
  headers: Record<string, string>,
  body: string,
  timeoutMs: number = TIMEOUT_MS,
): Promise<SendResult> {
  const begun = performance.now()
  const signal = AbortSignal.timeout(timeoutMs)
  const length = String(Buffer.byteLength(body))
  const all = { 'content-type': 'application/json', 'content-length': length, ...headers }
  const result: SendResult = {
    status: undefined,
    failure: undefined,
    body: '',
    retryAfter: undefined,
    tookMs: 0,
  }
  let request: ClientRequest | undefined
  try {
    request = open(target, all, signal)
    const answer = await answered(request, body)
    result.status = answer.statusCode
    result.retryAfter = retryAfterOf(answer)
    result.body = await readBeginning(answer)
  } catch (error) {
    // The status is the receiver's word; a body that does not end takes nothing back.
    if (result.status === undefined) result.failure = failureOf(error)
  } finally {
    request?.destroy()
  }
  result.tookMs = Math.round(performance.now() - begun)
  return result
}

/** 2xx alone is success; redirects are failures like any other. */
export const isDelivered = ({ status = 0 }: SendResult): boolean => status >= 200 && status < 300
