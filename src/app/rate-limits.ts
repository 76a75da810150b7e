/** Creates the configured rate limits and their counters. */
import type { Pool, QueryConfig } from 'pg'
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible'
import type { Config } from '../config.ts'
import {
  type CounterFactory,
  createRateLimits,
  type Limits,
  noRateLimits,
  type RateLimits,
} from '../http/rate-limit.ts'

const MINUTE = 60

const limitsOf = (config: Config): Limits => ({
  auth: { points: config.limitAuth, seconds: MINUTE },
  read: { points: config.limitRead, seconds: MINUTE },
  write: { points: config.limitWrite, seconds: MINUTE },
  provision: { points: config.limitProvision, seconds: MINUTE },
  safety: { points: config.limitSafety, seconds: MINUTE },
  failures: { points: 100, seconds: MINUTE },
  claim: { points: 5, seconds: 600 },
})

/** The library uses named statements, which a session-sharing pooler does not support. */
const withoutNames = (pool: Pool) => ({
  query: ({ text, values }: QueryConfig) => pool.query({ text, ...(values && { values }) }),
})

/** @param isShared whether other processes use the database, so that they must count together */
export function rateLimitsOf(config: Config, pool: Pool, isShared: boolean): RateLimits {
  if (config.rateLimits === 'off') return noRateLimits
  const store = config.rateLimitStore
  const inMemory = store === 'memory' || (store === 'auto' && !isShared)
  const storeClient = config.databasePrepared === 'on' ? pool : withoutNames(pool)
  const factory: CounterFactory = (name, { points, seconds }) => {
    const settings = { points, duration: seconds, keyPrefix: name }
    if (inMemory) return new RateLimiterMemory(settings)
    return new RateLimiterPostgres({
      ...settings,
      storeClient,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      // A limit must not refuse because its counter is unavailable; the request itself will fail.
      insuranceLimiter: new RateLimiterMemory(settings),
    })
  }
  return createRateLimits(limitsOf(config), factory)
}
