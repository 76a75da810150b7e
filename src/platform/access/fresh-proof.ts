/**
 * Anyone who holds a stolen access token has what it opens until it expires, and must not be able
 * to make more of it: some changes need a fresh proof of the password or a second factor.
 */
import { Failure } from '../errors/errors.ts'
import type { Caller } from './principal.ts'

/** For how long a proof counts as fresh. */
export const FRESH_PROOF_SECONDS = 600

/** @throws Failure fresh_authentication_required; callers that are no users are not asked */
export function requireFreshProof(caller: Caller, now: number): void {
  if (caller.kind !== 'user') return
  if (now - caller.authenticatedAt < FRESH_PROOF_SECONDS * 1000) return
  throw new Failure('fresh_authentication_required')
}
