/**
 * Uses of a passkey: to sign in, and to prove again, in an open session, that its person is there.
 * A signature cannot be guessed, so failures lock out nobody; requests are limited as those with a
 * password are.
 */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { verifySignedCredential } from '../../../platform/access/webauthn.ts'
import { type AnyContext, type Context, originOf } from '../../../context.ts'
import type { Transaction } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { formatId, uuidToBytes } from '../../../platform/lib/ids.ts'
import { INSTALLATION, type Origin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import {
  type AccountRow,
  accountResource,
  lockToUse,
  noteRefusedSignIn,
} from '../accounts/account.ts'
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
  type ReadChallenge,
  readChallenge,
  useChallenge,
} from './challenge.ts'
import { findDescriptors } from './passkey.ts'
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
 * What the browser needs to sign in with whichever passkey the person chooses.
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

interface Verified {
  passkey: Passkey
  challenge: ReadChallenge
  signatures: number
}

/** @param passkey the one that the request names, if there is one */
async function verify(
  context: AnyContext,
  use: ChallengeUse,
  passkey: Passkey | undefined,
  given: ProvePasskey,
): Promise<Verified | undefined> {
  const party = requireRelyingParty(context)
  const challenge = readChallenge(context, use, given)
  if (passkey === undefined || challenge === undefined) return undefined
  const { public_key: publicKey } = passkey
  const signatures = await verifySignedCredential(party, challenge.text, given, publicKey)
  return signatures === undefined ? undefined : { passkey, challenge, signatures }
}

const findPasskey = ({ db }: AnyContext, { id }: ProvePasskey): Promise<Passkey | undefined> =>
  store.findByCredential.first(db, { credentialId: Buffer.from(id, 'base64url') })

/**
 * Consumes challenge and signature in one transaction with `work`.
 * @throws Failure passkey_rejected if another request was faster, the passkey is gone or may have
 *   been copied, or the account is disabled
 */
async function withPasskey<Result>(
  context: AnyContext,
  origin: Origin,
  { passkey, challenge, signatures }: Verified,
  work: (trx: Transaction, account: AccountRow) => Promise<Result>,
): Promise<Result> {
  const { id, user_id: userId } = passkey
  let isOutdated = false
  try {
    return await context.db.transaction(async (trx) => {
      const account = await lockToUse.first(trx, { id: userId })
      if (account?.status !== 'active' || !(await useChallenge(trx, challenge))) throw rejected()
      isOutdated = !(await store.usePasskey.any(trx, { id, signatures }))
      if (isOutdated) throw rejected()
      return work(trx, account)
    })
  } catch (error) {
    if (isOutdated) {
      await record(context.autonomousDb, origin, {
        workspaceId: INSTALLATION,
        action: 'passkey.refused',
        resource: accountResource(userId),
        detail: { passkey_id: formatId('pky', id) },
      })
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
      const verified = await verify(context, SIGN_IN, passkey, given)
      if (verified === undefined || given.user_handle !== handle) throw rejected()
      return await openVerified(context, verified, lifetimeSeconds)
    } catch (error) {
      if (isRejection(error)) {
        await noteRefusedSignIn(context.autonomousDb, originOf(context), userId)
      }
      throw error
    }
  })
}

function openVerified(
  context: AnyContext,
  verified: Verified,
  lifetimeSeconds: number | null,
): Promise<SignedIn> {
  const { id: passkeyId, user_id: userId } = verified.passkey
  const actor = { kind: 'user', id: formatId('usr', userId) } as const
  const origin: Origin = { ...originOf(context), actor }
  return withPasskey(context, origin, verified, async (trx, account) => {
    const session = await openSession(context, trx, origin, {
      userId,
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
  const origin = originOf(context)
  try {
    const passkey = await findPasskey(context, given)
    const own = passkey?.user_id === userId ? passkey : undefined
    const verified = await verify(context, proofIn(caller), own, given)
    if (verified === undefined) throw rejected()
    return await withPasskey(context, origin, verified, async (trx, account) => {
      const { sign_in_version: version } = account
      const user = { userId, sessionId, version, mfa: false, passkeyId: verified.passkey.id }
      const token = await authenticateAgain(context, trx, origin, user)
      if (token === undefined) throw new Failure('credential_rejected')
      return token
    })
  } catch (error) {
    if (isRejection(error)) await noteRefusal(autonomousDb, origin, userId, 'passkey')
    throw error
  }
}
