/**
 * Uses of a passkey: to sign in, and to prove again, in an open session, that its person is there.
 * A signature cannot be guessed, so failures lock out nobody; requests are limited as those with a
 * password are.
 */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { verifySignedCredential } from '../../../platform/access/webauthn.ts'
import { type AnyContext, type Context, originAs, originOf } from '../../../context.ts'
import type { Transaction } from '../../../platform/database/connect.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import { uuidToBytes } from '../../../platform/lib/ids.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { type AccountRow, lockToUse, noteRefusedSignIn } from '../accounts/account.ts'
import { noteRefusal } from '../mfa/second-factor.ts'
import { sourceOf, withinLimitOf } from '../sessions/known-device.ts'
import {
  type AccessToken,
  authenticateAgain,
  openSession,
  type SignedIn,
} from '../sessions/session.ts'
import {
  CHALLENGE_SECONDS,
  type ChallengeUse,
  issueChallenge,
  readChallenge,
  useChallenge,
} from './challenge.ts'
import { findDescriptors, recordOfPasskey } from './passkey.ts'
import { requireRelyingParty } from './relying-party.ts'
import type { PasskeyRequest, PasskeySignIn, ProvePasskey } from '../../common/passkey-shapes.ts'
import * as store from './store.ts'

const SIGN_IN = { purpose: 'sign-in' } as const
const proofIn = ({ sessionId }: UserCaller) => ({ purpose: 'proof', sessionId }) as const

const rejected = (): Failure => new Failure('passkey_rejected')

function optionsOf(
  context: AnyContext,
  use: ChallengeUse,
  allowCredentials: PasskeyRequest['allowCredentials'],
): PasskeyRequest {
  return {
    rpId: requireRelyingParty(context).id,
    challenge: issueChallenge(context, use),
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: 'required',
    allowCredentials,
  }
}

/** A page at the domain of a workspace has another host name than the passkeys. */
function requireOwnHost({ request }: AnyContext): void {
  if (request.hostWorkspaceId !== undefined) throw new Failure('passkeys_unavailable')
}

/**
 * The options with which the browser signs in by any passkey that the person chooses.
 * @throws Failure passkeys_unavailable
 */
export function beginPasskeySignIn(context: AnyContext): PasskeyRequest {
  requireOwnHost(context)
  return optionsOf(context, SIGN_IN, [])
}

/** @throws Failure passkeys_unavailable */
export async function beginPasskeyProof(context: Context<UserCaller>): Promise<PasskeyRequest> {
  const { db, caller } = context
  return optionsOf(context, proofIn(caller), await findDescriptors(db, caller.userId))
}

type Passkey = NonNullable<Awaited<ReturnType<typeof store.findByCredential.first>>>

const findPasskey = ({ db }: AnyContext, { id }: ProvePasskey): Promise<Passkey | undefined> =>
  store.findByCredential.first(db, { credentialId: Buffer.from(id, 'base64url') })

interface Proven {
  /** The origin of the person. */
  origin: Origin
  account: AccountRow
  passkeyId: string
}

/**
 * Verifies a signature, and consumes it and its challenge in one transaction with `work`.
 * @param passkey the one that the request names, if it may be used
 * @throws Failure passkey_rejected if it is wrong, another request was faster, the passkey is gone
 *   or may have been copied, or the account is disabled
 */
async function withPasskey<Result>(
  context: AnyContext,
  use: ChallengeUse,
  passkey: Passkey | undefined,
  given: ProvePasskey,
  work: (trx: Transaction, proven: Proven) => Promise<Result>,
): Promise<Result> {
  const party = requireRelyingParty(context)
  const challenge = readChallenge(context, use, given)
  if (passkey === undefined || challenge === undefined) throw rejected()
  const { id: passkeyId, user_id: userId, public_key: publicKey } = passkey
  const signatures = await verifySignedCredential(party, challenge.text, given, publicKey)
  if (signatures === undefined) throw rejected()
  const origin = originAs(context, userId)
  let isOutdated = false
  try {
    return await context.db.transaction(async (trx) => {
      const account = await lockToUse.first(trx, { id: userId })
      if (account?.status !== 'active' || !(await useChallenge(trx, challenge))) throw rejected()
      isOutdated = !(await store.usePasskey.any(trx, { id: passkeyId, signatures }))
      if (isOutdated) throw rejected()
      return work(trx, { origin, account, passkeyId })
    })
  } catch (error) {
    if (isOutdated) {
      await recordOfPasskey(context.autonomousDb, origin, userId, 'passkey.refused', passkeyId)
    }
    throw error
  }
}

const isRejection = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'passkey_rejected'

/**
 * Opens a session in which both factors count as proved.
 * @param lifetimeSeconds after which the session ends, however often it is refreshed; null: 90 days
 * @throws Failure passkey_rejected, passkeys_unavailable, rate_limited
 */
export async function signInWithPasskey(
  context: AnyContext,
  given: PasskeySignIn,
  knownDeviceToken: string | undefined,
  lifetimeSeconds: number | null,
): Promise<SignedIn> {
  requireOwnHost(context)
  const passkey = await findPasskey(context, given)
  const userId = passkey?.user_id
  const source = await sourceOf(context, knownDeviceToken, (owner) => owner.user_id === userId)
  return withinLimitOf(context, source, async () => {
    try {
      const handle = userId === undefined ? '' : uuidToBytes(userId).toString('base64url')
      const own = given.user_handle === handle ? passkey : undefined
      return await withPasskey(context, SIGN_IN, own, given, async (trx, proven) => {
        const { origin, account, passkeyId } = proven
        const session = await openSession(context, trx, origin, {
          userId: account.id,
          version: account.sign_in_version,
          mfa: false,
          passkeyId,
          userAgent: context.request.userAgent,
          limitedTo: null,
          lifetimeSeconds,
        })
        if (session === undefined) throw rejected()
        return session
      })
    } catch (error) {
      if (isRejection(error)) {
        await noteRefusedSignIn(context.autonomousDb, originOf(context), userId)
      }
      throw error
    }
  })
}

/**
 * Proves in an open session that its person is there.
 * @throws Failure passkey_rejected, passkeys_unavailable
 */
export async function provePasskey(
  context: Context<UserCaller>,
  given: ProvePasskey,
): Promise<AccessToken> {
  const { autonomousDb, caller } = context
  const { userId, sessionId } = caller
  try {
    const passkey = await findPasskey(context, given)
    const own = passkey?.user_id === userId ? passkey : undefined
    return await withPasskey(context, proofIn(caller), own, given, async (trx, proven) => {
      const { origin, account, passkeyId } = proven
      const user = { userId, sessionId, version: account.sign_in_version, mfa: false, passkeyId }
      return found(await authenticateAgain(context, trx, origin, user), 'credential_rejected')
    })
  } catch (error) {
    if (isRejection(error)) {
      await noteRefusal(autonomousDb, originOf(context), userId, 'passkey')
    }
    throw error
  }
}
