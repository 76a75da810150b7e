/** Limits wrong claim codes per caller, and words the refusals. */
import {
  callerKey,
  type DeviceCaller,
  type MoidCaller,
} from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { Failure, type FailureCode } from '../../../platform/errors/errors.ts'
import { KeyedSemaphore } from '../../../platform/lib/semaphore.ts'
import type { ClaimStatus } from './store.ts'

const COUNTED: readonly FailureCode[] = [
  'claim_code_unknown',
  'claim_code_expired',
  'claim_code_used',
]

/**
 * Concurrent attempts of one caller could all pass the limit before any counts, so they are
 * serialized. Each of several processes does so on its own, which allows one excess attempt each.
 */
const tries = new KeyedSemaphore({ concurrency: 1 })

/**
 * Runs one attempt of a caller at a time, outside any transaction, since counting may need its own
 * connection.
 * @param attempt called with the refusal if the caller has no attempts left: it throws that before
 *   looking up a code
 * @throws Failure rate_limited if none are left
 */
export function tryCode<T>(
  {
    rateLimits,
    caller,
    nodeId,
  }: Pick<Context<DeviceCaller | MoidCaller>, 'rateLimits' | 'caller' | 'nodeId'>,
  attempt: (refusal: Failure | undefined) => Promise<T>,
): Promise<T> {
  const key = callerKey(caller)
  return tries.run(`${nodeId} ${key}`, async () => {
    const refusal = await rateLimits.refusalOf('claim', key)
    try {
      return await attempt(refusal)
    } catch (error) {
      if (error instanceof Failure && COUNTED.includes(error.code)) {
        await rateLimits.consume('claim', key)
      }
      throw error
    }
  })
}

/** Why a code cannot be bound. */
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
