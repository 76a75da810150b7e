/**
 * Known devices: a token from signing in, which a client presents when it signs in again. It gives
 * no access. It only keeps the attempts of this device apart from those of everyone else, so that
 * nobody can lock its owner out (OWASP: device cookies).
 *
 * A token belongs to the session that it came with: it ends when that is revoked, 30 days after it
 * was signed out or ran out, and with every change of the account's password or authenticator.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import {
  issueRefreshToken,
  readRefreshToken,
  verifyRefreshToken,
} from '../../../platform/access/refresh-tokens.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { RateLimits } from '../../../platform/http/rate-limit.ts'
import type { RequestInfo } from '../../../platform/http/operation.ts'
import * as store from './store.ts'

/** @param version `sign_in_version` of the account */
export const issueKnownDeviceToken = (
  keyring: Keyring,
  session: { id: string; salt: Buffer },
  version: number,
): string => issueRefreshToken(keyring, 'device', session.id, session.salt, version)

/**
 * Where an attempt to sign in comes from.
 * @param isOwner whether it is an attempt at the account that the token belongs to
 */
export async function sourceOf(
  { db, keyring, request }: { db: Db; keyring: Keyring; request: { address: string } },
  knownDeviceToken: string | undefined,
  isOwner: (account: { user_id: string; email: string }) => boolean,
): Promise<{ address: string } | { session: string }> {
  const { address } = request
  const token =
    knownDeviceToken === undefined ? undefined : readRefreshToken('device', knownDeviceToken)
  const row = token && (await store.findKnownDevice.first(db, { id: token.sessionUuid }))
  if (token === undefined || row === undefined || !isOwner(row)) return { address }
  const isValid =
    token.generation === row.sign_in_version &&
    verifyRefreshToken(keyring, 'device', token, row.salt)
  return isValid ? { session: token.sessionUuid } : { address }
}

interface Counted {
  rateLimits: RateLimits
  request: Pick<RequestInfo, 'showLimit'>
}

/**
 * Counts a request to sign in: that of a known device for itself, others for their address unless
 * they succeed, so that colleagues behind one address do not use up each other's attempts.
 * @throws Failure rate_limited
 */
export async function withinLimitOf<Result>(
  { rateLimits, request }: Counted,
  source: { address: string } | { session: string },
  work: () => Promise<Result>,
): Promise<Result> {
  if ('session' in source) {
    request.showLimit(await rateLimits.consume('auth', `device:${source.session}`))
    return work()
  }
  request.showLimit(await rateLimits.consumeFrom('auth', source.address))
  const result = await work()
  await rateLimits.returnTo('auth', source.address)
  return result
}
