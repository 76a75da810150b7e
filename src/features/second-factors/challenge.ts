/**
 * The step between a correct password and a second factor. Its token is valid for that step only,
 * for five minutes and five attempts, and opens at most one session.
 */
import type { Keyring } from '../../access/keyring.ts'
import {
  mintRefreshToken,
  newSessionSalt,
  readRefreshToken,
  verifyRefreshToken,
} from '../../access/refresh-tokens.ts'
import type { Db, Transaction } from '../../database/connect.ts'
import { newUuid } from '../../lib/ids.ts'
import { rejected } from './second-factor.ts'
import * as store from './store.ts'

export { CHALLENGE_SECONDS } from './store.ts'

/** A challenge is never refreshed, so its token has one generation. */
const GENERATION = 1

/**
 * @param version `sign_in_version` of the account when its password was verified
 * @returns the token; undefined if the account has changed since
 */
export async function openChallenge(
  keyring: Keyring,
  trx: Transaction,
  userId: string,
  version: number,
): Promise<string | undefined> {
  const challenge = { id: newUuid(), userId, version, salt: newSessionSalt() }
  if (!(await store.insertChallenge(trx, challenge))) return undefined
  return mintRefreshToken(keyring, 'mfa', challenge.id, challenge.salt, GENERATION)
}

/**
 * Counts an attempt before its code is checked.
 * @returns undefined for an invalid token, or without attempts left
 */
export async function takeChallengeTry(
  services: { db: Db; autonomousDb: Db; keyring: Keyring },
  mfaToken: string,
): Promise<{ challengeId: string; userId: string } | undefined> {
  const token = readRefreshToken('mfa', mfaToken)
  if (token === undefined) return undefined
  const { sessionUuid: challengeId } = token
  const challenge = await store.findOpenChallenge(services.db, challengeId)
  const good =
    challenge !== undefined && verifyRefreshToken(services.keyring, 'mfa', token, challenge.salt)
  if (!good || !(await store.countChallengeTry(services.autonomousDb, challengeId))) {
    return undefined
  }
  return { challengeId, userId: challenge.user_id }
}

/** Consumes the challenge. @throws Failure mfa_code_rejected if another request was faster */
export async function closeChallenge(trx: Transaction, challengeId: string): Promise<void> {
  if (!(await store.closeChallenge(trx, challengeId))) throw rejected()
}

/** Deletes unfinished sign-ins. */
export const pruneChallenges = (db: Db): Promise<void> => store.pruneExpiredChallenges(db)
