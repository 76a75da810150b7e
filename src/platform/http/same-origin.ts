/**
 * Keeps pages of other origins from calling the operations of the console, which act by a cookie.
 * The cookie itself is `SameSite=Strict`; but other names of the same site are other origins.
 */
import type { FastifyRequest } from 'fastify'
import { Failure } from '../errors/errors.ts'

type Sent = Pick<FastifyRequest, 'headers' | 'host' | 'method' | 'protocol'>

/**
 * Browsers send `Sec-Fetch-Site` over HTTPS and on the local host; elsewhere `Origin` tells, except
 * of a GET, which changes nothing and whose response no other origin may read.
 */
function isSameOrigin({ headers, host, method, protocol }: Sent): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  if (headers.origin !== undefined) return headers.origin === `${protocol}://${host}`
  return method === 'GET' || method === 'HEAD'
}

/** @throws Failure cross_site_request */
export function requireSameOrigin(request: Sent): void {
  if (!isSameOrigin(request)) throw new Failure('cross_site_request')
}
