/** Creates the configured rate limits and their counters. */
import type { QueryConfig } from 'pg'
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible'
import type { Config } from '../platform/config/config.ts'
import type { Database } from '../platform/database/connect.ts'
import { HOUR_S, MINUTE_S } from '../platform/lib/time.ts'
import {
  type CounterFactory,
  createRateLimits,
  type Limits,
  noRateLimits,
  type RateLimits,
} from '../platform/http/rate-limit.ts'

const limitsOf = (config: Config): Limits => ({
  auth: { points: config.limitAuth, seconds: MINUTE_S },
  read: { points: config.limitRead, seconds: MINUTE_S },
  write: { points: config.limitWrite, seconds: MINUTE_S },
  provision: { points: config.limitProvision, seconds: MINUTE_S },
  safety: { points: config.limitSafety, seconds: MINUTE_S },
  failures: { points: 100, seconds: MINUTE_S },
  claim: { points: 5, seconds: 600 },
  moid_sessions: { points: config.limitMoidSessions, seconds: HOUR_S },
  moid_sessions_of_workspace: { points: config.limitMoidSessionsOfWorkspace, seconds: HOUR_S },
  moid_claims: { points: config.limitMoidClaims, seconds: HOUR_S },
  moid_claims_of_workspace: { points: config.limitMoidClaimsOfWorkspace, seconds: HOUR_S },
  moid_calls_of_workspace: { points: config.limitMoidCallsOfWorkspace, seconds: MINUTE_S },
})

/**
 * The pool as the library uses it. While the database does not answer, it fails at once instead of
 * after a timeout, and the counter in memory is used.
 * @param prepared false if a pooler shares sessions, which does not support named statements
 */
const storeOf = ({ counters, availability }: CounterStore, prepared: boolean) => ({
  async query({ name, text, values }: QueryConfig) {
    availability.requireAvailable()
    return counters.query({ text, ...(prepared && name && { name }), ...(values && { values }) })
  },
})

type CounterStore = Pick<Database, 'counters' | 'availability'>

/** @param isShared whether other processes use the database, so that they must count together */
export function rateLimitsOf(
  config: Config,
  database: CounterStore,
  isShared: boolean,
): RateLimits {
  if (config.rateLimits === 'off') return noRateLimits
  const store = config.rateLimitStore
  const inMemory = store === 'memory' || (store === 'auto' && !isShared)
  const storeClient = storeOf(database, config.databasePrepared === 'on')
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
