/** How responses name a limit: draft-ietf-httpapi-ratelimit-headers, and the older headers. */

export const LIMIT_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const

/** A limit, and what remains of it for one caller. */
export interface LimitState {
  name: string
  limit: { points: number; seconds?: number | undefined }
  remaining: number
  resetSeconds: number
}

export function limitHeaders(state: LimitState): Record<string, string> {
  const { name, limit, remaining, resetSeconds } = state
  const window = limit.seconds === undefined ? '' : `;w=${limit.seconds}`
  return {
    'ratelimit-policy': `"${name}";q=${limit.points}${window}`,
    ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
    'x-ratelimit-limit': String(limit.points),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetSeconds),
  }
}
