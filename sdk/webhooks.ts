/** Verifies webhooks (Standard Webhooks 1.0.0), on servers, edge functions and in browsers. */
import type { Event } from './schema.ts'

/** The request is not from the service, was changed on its way, or is too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

export interface SignedRequest {
  /** `whsec_…`; several while a new one is deployed. */
  secret: string | readonly string[]
  /** The headers of the request: `Headers`, or an object with names in lower case, as in Node. */
  headers: Pick<Headers, 'get'> | Readonly<Record<string, string | string[] | undefined>>
  /** As it was received, not parsed and serialized again. */
  body: string | Uint8Array
  /** Seconds by which the clocks may differ and a delivery may be old; by default 300. */
  toleranceSeconds?: number
}

const PREFIX = 'whsec_'

function headerOf({ headers }: SignedRequest, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : (headers as Readonly<Record<string, string | string[] | undefined>>)[name]
  if (typeof value !== 'string') throw new WebhookError(`the header ${name} is missing`)
  return value
}

/** @returns undefined for text that is not base64 */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function keyOf(secret: string) {
  const bytes = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret)
  if (bytes === undefined) throw new TypeError('a webhook secret has the form whsec_…')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function checkAge(timestamp: string, toleranceSeconds: number): void {
  const age = Date.now() / 1000 - Number(/^\d+$/.test(timestamp) ? timestamp : Number.NaN)
  if (Math.abs(age) <= toleranceSeconds) return
  throw new WebhookError('the timestamp is missing, too old or in the future')
}

/** Whether one of the signatures is by one of the secrets; compares in constant time. */
async function isSigned(
  secrets: readonly string[],
  signatures: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const found = signatures
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .map((each) => fromBase64(each.slice('v1,'.length)))
  for (const secret of secrets) {
    const key = await keyOf(secret)
    for (const signature of found) {
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, content))) return true
    }
  }
  return false
}

/**
 * The event of a webhook request. The same `id` may come again: remember those of the last days.
 * @throws WebhookError if the request is not authentic
 */
export async function verifyWebhook(request: SignedRequest): Promise<Event> {
  const { secret, body, toleranceSeconds = 300 } = request
  const id = headerOf(request, 'webhook-id')
  const timestamp = headerOf(request, 'webhook-timestamp')
  const signatures = headerOf(request, 'webhook-signature')
  checkAge(timestamp, toleranceSeconds)
  const encoder = new TextEncoder()
  const head = encoder.encode(`${id}.${timestamp}.`)
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  const content = new Uint8Array(head.length + bytes.length)
  content.set(head)
  content.set(bytes, head.length)
  if (!(await isSigned([secret].flat(), signatures, content))) {
    throw new WebhookError('no signature matches')
  }
  return JSON.parse(new TextDecoder().decode(bytes)) as Event
}
