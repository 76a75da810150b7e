/** Wrong claim codes: how often one caller may try, and what it is told. */
import { callerKey, type DeviceCaller, type MoidCaller } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { Failure, type FailureCode } from '../../errors.ts'
import { KeyedQueue } from '../../lib/keyed-queue.ts'
import type { ClaimStatus } from './store.ts'

const COUNTED: readonly FailureCode[] = [
  'claim_code_unknown',
  'claim_code_expired',
  'claim_code_used',
  'too_many_attempts',
]

/**
 * Together, the tries of one caller could all pass the limit before any of them counts. Each of
 * several processes that share a database takes them in turn; what they overshoot is one try each.
 */
const tries = new KeyedQueue()

/**
 * Runs one try of a caller at a time, outside of any transaction, since counting may need a
 * connection of its own.
 * @param attempt told whether the caller has tries left; without, it throws too_many_attempts
 *   before it looks a code up.
 * @throws Failure rate_limited when there are none left.
 */
export function tryCode<T>(
  {
    rateLimits,
    caller,
    nodeId,
  }: Pick<Context<DeviceCaller | MoidCaller>, 'rateLimits' | 'caller' | 'nodeId'>,
  attempt: (hasTries: boolean) => Promise<T>,
): Promise<T> {
  const key = callerKey(caller)
  return tries.run(`${nodeId} ${key}`, async () => {
    const isSpent = await rateLimits.isSpent('claim', key)
    try {
      return await attempt(!isSpent)
    } catch (error) {
      if (error instanceof Failure && COUNTED.includes(error.code)) {
        await rateLimits.consume('claim', key)
      }
      throw error
    }
  })
}

/** Why a code can't be bound. */
export function wrongCode(status: ClaimStatus | undefined): Failure {
  switch (status) {
    case undefined:
      return new Failure('claim_code_unknown')
    case 'expired':
    case 'cancelled':
      return new Failure('claim_code_expired')
    default:
      return new Failure('claim_code_used')
  }
}
