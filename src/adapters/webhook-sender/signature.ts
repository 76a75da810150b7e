/** Standard Webhooks 1.0.0: secrets and signature headers. */
import { createHmac } from 'node:crypto'
import { takeRandomBytes } from '../../platform/lib/random.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** The format in which receivers get it. */
export const formatSecret = (secret: Buffer): string => PREFIX + secret.toString('base64')

export const generateWebhookSecret = (): Buffer => takeRandomBytes(SECRET_BYTES)

/**
 * @param id the same for every attempt, so that receivers can deduplicate; must not contain a dot
 * @param atMs now, in milliseconds since the epoch
 * @param secrets newest first; several during the overlap of a rotation
 */
export function signedHeaders(
  id: string,
  atMs: number,
  body: string,
  secrets: readonly Buffer[],
): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1000))
  const text = `${id}.${timestamp}.${body}`
  const sign = (secret: Buffer): string =>
    `v1,${createHmac('sha256', secret).update(text).digest('base64')}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(sign).join(' '),
  }
}
