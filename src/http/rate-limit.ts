/**
 * Rate limits by bucket, with the headers of draft-ietf-httpapi-ratelimit-headers. A single process
 * counts in memory; processes that share a database count there.
 */
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import { Failure } from '../errors.ts'
import type { Bucket } from './operation.ts'

/** `failures` counts refused credentials per address; `claim` counts wrong codes per device. */
export type LimitName = Bucket | 'failures' | 'claim'

export interface Limit {
  /** Requests per window. */
  points: number
  seconds: number
}

export type Limits = Readonly<Record<LimitName, Limit>>

/** Creates the counter of one limit; the composition root chooses its store. */
export type CounterFactory = (name: LimitName, limit: Limit) => RateLimiterAbstract

export interface LimitState {
  name: LimitName
  limit: Limit
  remaining: number
  resetSeconds: number
}

export interface RateLimits {
  /**
   * Takes one point. `points` overrides the bucket's limit for keys with their own.
   * @throws Failure rate_limited
   */
  consume(name: LimitName, key: string, points?: number): Promise<LimitState | undefined>
  /** Whether a limit is exhausted, without taking a point. */
  isSpent(name: LimitName, key: string): Promise<boolean>
}

const toState = (name: LimitName, limit: Limit, result: RateLimiterRes): LimitState => ({
  name,
  limit,
  remaining: Math.max(0, result.remainingPoints),
  resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
})

/** @param isOwn whether the limit belongs to the caller's key */
function limitFailure(state: LimitState, isOwn: boolean): Failure {
  const { name, limit, resetSeconds } = state
  return new Failure('rate_limited', {
    detail: `The limit ${name} of ${limit.points} requests in ${limit.seconds} s is used up; it is free again in ${resetSeconds} s.`,
    retryAfterSeconds: resetSeconds,
    limit: { name, value: limit.points, reset_seconds: resetSeconds },
    ...(isOwn && { rule: 'rate_per_min' }),
  })
}

export function createRateLimits(limits: Limits, factory: CounterFactory): RateLimits {
  const counters = new Map<string, RateLimiterAbstract>()
  const counterOf = (name: LimitName, limit: Limit): RateLimiterAbstract => {
    const id = `${name}:${limit.points}`
    let counter = counters.get(id)
    if (counter === undefined) counters.set(id, (counter = factory(name, limit)))
    return counter
  }
  return {
    async consume(name, key, points) {
      const limit = points === undefined ? limits[name] : { ...limits[name], points }
      try {
        return toState(name, limit, await counterOf(name, limit).consume(key))
      } catch (result) {
        if (result instanceof Error) throw result
        throw limitFailure(toState(name, limit, result as RateLimiterRes), points !== undefined)
      }
    },
    async isSpent(name, key) {
      const found = await counterOf(name, limits[name]).get(key)
      return found !== null && found.consumedPoints >= limits[name].points
    },
  }
}

/** For `MOORING_RATE_LIMITS=off`. */
export const noRateLimits: RateLimits = {
  consume: () => Promise.resolve(undefined),
  isSpent: () => Promise.resolve(false),
}

export function limitHeaders(state: LimitState): Record<string, string> {
  const { name, limit, remaining, resetSeconds } = state
  return {
    'ratelimit-policy': `"${name}";q=${limit.points};w=${limit.seconds}`,
    ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
    'x-ratelimit-limit': String(limit.points),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetSeconds),
  }
}
