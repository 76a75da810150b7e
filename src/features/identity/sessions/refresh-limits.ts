/**
 * The limits of refreshing. A valid token counts for its session, a rejected one for the address,
 * so that callers behind one address can neither use up each other's limit nor guess.
 */
import { Failure } from '../../../platform/errors/errors.ts'
import type { LimitName, RateLimits } from '../../../platform/http/rate-limit.ts'
import type { RequestInfo } from '../../../platform/http/operation.ts'

interface Counted {
  rateLimits: RateLimits
  request: Pick<RequestInfo, 'address' | 'showLimit'>
}

/** @throws Failure rate_limited */
export async function countRefresh(
  { rateLimits, request }: Counted,
  bucket: LimitName,
  sessionId: string,
): Promise<void> {
  request.showLimit(await rateLimits.consume(bucket, `session:${sessionId}`))
}

/**
 * A browser without a session asks on every start, so that counts as reading.
 * @throws Failure refresh_token_rejected, rate_limited
 */
export async function countMissing({ rateLimits, request }: Counted): Promise<never> {
  request.showLimit(await rateLimits.consumeFrom('read', request.address))
  throw new Failure('refresh_token_rejected')
}

/** @throws Failure refresh_token_rejected, or rate_limited after too many of them */
export async function rejectRefresh({ rateLimits, request }: Counted): Promise<never> {
  request.showLimit(await rateLimits.consumeFrom('failures', request.address))
  throw new Failure('refresh_token_rejected')
}
