/**
 * Rate limits by bucket. A single process counts in memory; processes that share a database count
 * there.
 */
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import { type Failure, limited } from '../errors/errors.ts'
import { addressBlocks } from '../lib/address-block.ts'
import type { LimitState } from './limit-headers.ts'
import type { Bucket } from './operation.ts'

/** Resources that mobile identities without a device create, counted by workspace and address. */
export type UnboundLimit = 'moid_sessions' | 'moid_claims'

/**
 * `failures` counts refused credentials per address; `claim` counts wrong codes per device.
 * The `…_of_workspace` bound the total of a workspace.
 */
export type LimitName =
  | Bucket
  | 'failures'
  | 'claim'
  | UnboundLimit
  | `${UnboundLimit}_of_workspace`
  | 'moid_calls_of_workspace'

export interface Limit {
  /** Requests per window. */
  points: number
  seconds: number
}

export type Limits = Readonly<Record<LimitName, Limit>>

/** Creates the counter of one limit; the composition root chooses its store. */
export type CounterFactory = (name: LimitName, limit: Limit) => RateLimiterAbstract

export interface RateLimits {
  /**
   * Takes one point. `points` overrides the bucket's limit for keys with their own.
   * @throws Failure rate_limited
   */
  consume(name: LimitName, key: string, points?: number): Promise<LimitState | undefined>
  /**
   * Takes one point of each block of an address, the narrowest first.
   * @param scope what is counted of the address, if not everything: the account, the workspace
   * @returns the state that is closest to its limit
   * @throws Failure rate_limited
   */
  consumeFrom(name: LimitName, address: string, scope?: string): Promise<LimitState | undefined>
  /** Gives back the points that `consumeFrom` took. */
  returnTo(name: LimitName, address: string, scope?: string): Promise<void>
  /** The refusal if a limit is exhausted, without taking a point. */
  refusalOf(name: LimitName, key: string): Promise<Failure | undefined>
}

const toState = (name: LimitName, limit: Limit, result: RateLimiterRes) => ({
  name,
  limit,
  remaining: Math.max(0, result.remainingPoints),
  resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
})

/** @param isOwn whether the limit belongs to the caller's key */
function limitFailure(state: ReturnType<typeof toState>, isOwn: boolean): Failure {
  const { name, limit, resetSeconds } = state
  const detail = `The limit ${name} of ${limit.points} requests in ${limit.seconds} s is used up; it is free again in ${resetSeconds} s.`
  return limited(
    'rate_limited',
    { name, value: limit.points, resetSeconds, windowSeconds: limit.seconds },
    { detail, ...(isOwn && { rule: 'rate_per_min' }) },
  )
}

export function createRateLimits(limits: Limits, factory: CounterFactory): RateLimits {
  const counters = new Map<string, RateLimiterAbstract>()
  const counterOf = (name: LimitName, limit: Limit): RateLimiterAbstract => {
    const id = `${name}:${limit.points}`
    let counter = counters.get(id)
    if (counter === undefined) counters.set(id, (counter = factory(name, limit)))
    return counter
  }
  const scaled = (name: LimitName, budget: number): Limit => ({
    points: limits[name].points * budget,
    seconds: limits[name].seconds,
  })
  const take = async (
    name: LimitName,
    key: string,
    limit: Limit,
    isOwn: boolean,
  ): Promise<LimitState> => {
    try {
      return toState(name, limit, await counterOf(name, limit).consume(key))
    } catch (result) {
      if (result instanceof Error) throw result
      throw limitFailure(toState(name, limit, result as RateLimiterRes), isOwn)
    }
  }
  return {
    consume(name, key, points) {
      const isOwn = points !== undefined
      return take(name, key, isOwn ? { ...limits[name], points } : limits[name], isOwn)
    },
    async consumeFrom(name, address, scope = 'address') {
      let tightest: LimitState | undefined
      for (const { name: block, budget } of addressBlocks(address)) {
        const state = await take(name, `${scope}:${block}`, scaled(name, budget), false)
        if (tightest === undefined || state.remaining < tightest.remaining) tightest = state
      }
      return tightest
    },
    async returnTo(name, address, scope = 'address') {
      for (const { name: block, budget } of addressBlocks(address)) {
        const limit = scaled(name, budget)
        await counterOf(name, limit).reward(`${scope}:${block}`)
      }
    },
    async refusalOf(name, key) {
      const limit = limits[name]
      const found = await counterOf(name, limit).get(key)
      if (found === null || found.consumedPoints < limit.points) return undefined
      return limitFailure(toState(name, limit, found), false)
    },
  }
}

/** For `MOORING_RATE_LIMITS=off`. */
export const noRateLimits: RateLimits = {
  consume: () => Promise.resolve(undefined),
  consumeFrom: () => Promise.resolve(undefined),
  returnTo: () => Promise.resolve(),
  refusalOf: () => Promise.resolve(undefined),
}
