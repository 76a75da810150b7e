/**
 * The step between a correct password and a second factor. Its token is valid for that step only,
 * for five minutes and five attempts, and opens at most one session.
 */
import type { AnyContext } from '../../../context.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import {
  issueRefreshToken,
  newSessionSalt,
  readRefreshToken,
  verifyRefreshToken,
} from '../../../platform/access/refresh-tokens.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { rejected } from './second-factor.ts'
import * as store from './store.ts'

export { CHALLENGE_SECONDS } from './store.ts'

/** A challenge is never refreshed, so its token has one generation. */
const GENERATION = 1

export interface ProvenPassword {
  userId: string
  /** `sign_in_version` of the account when its password was verified. */
  version: number
  /** UUID of the workspace through whose domain the password was sent, or null. */
  limitedTo: string | null
}

/**
 * @returns the token; undefined if the account has changed since, or is not a member of the
 * domain's workspace
 */
export async function openChallenge(
  keyring: Keyring,
  trx: Transaction,
  proven: ProvenPassword,
): Promise<string | undefined> {
  const [id, salt] = [newUuid(), newSessionSalt()]
  const isOpen = await store.insertChallenge.any(trx, { id, salt, ...proven })
  return isOpen ? issueRefreshToken(keyring, 'mfa', id, salt, GENERATION) : undefined
}

/** The workspace of both steps. Undefined if they came through domains of different ones. */
function workspaceOfSteps(
  first: string | null,
  second: string | undefined,
): string | null | undefined {
  if (first === null || second === undefined) return first ?? second ?? null
  return first === second ? first : undefined
}

/**
 * Counts an attempt before its code is checked.
 * @returns undefined for an invalid token, or without attempts left
 */
export async function takeChallengeTry(
  services: AnyContext,
  mfaToken: string,
): Promise<{ challengeId: string; userId: string; limitedTo: string | null } | undefined> {
  const token = readRefreshToken('mfa', mfaToken)
  if (token === undefined) return undefined
  const { sessionUuid: challengeId } = token
  const challenge = await store.findOpenChallenge.first(services.db, { id: challengeId })
  const good =
    challenge !== undefined && verifyRefreshToken(services.keyring, 'mfa', token, challenge.salt)
  if (!good || !(await store.countChallengeTry.any(services.autonomousDb, { id: challengeId }))) {
    return undefined
  }
  const { hostWorkspaceId } = services.request
  const limitedTo = workspaceOfSteps(challenge.limited_to, hostWorkspaceId)
  return limitedTo === undefined ? undefined : { challengeId, userId: challenge.user_id, limitedTo }
}

/** Consumes the challenge. @throws Failure mfa_code_rejected if another request was faster */
export async function closeChallenge(trx: Transaction, challengeId: string): Promise<void> {
  if (!(await store.closeChallenge.any(trx, { id: challengeId }))) throw rejected()
}

/** Deletes unfinished sign-ins. */
export const deleteOldChallenges = (db: Db): Promise<void> => store.deleteExpiredChallenges.run(db)
