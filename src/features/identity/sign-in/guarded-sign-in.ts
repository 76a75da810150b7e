/**
 * Signing in while the password of an account is being guessed from many addresses. A password is
 * not enough then, except from a known device: it needs a code as well, of the authenticator, a
 * recovery code, or without an authenticator one that is mailed to the account.
 *
 * Every refusal is the same, and leaves at a fixed time, so that nobody learns here whether a
 * password was right.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { AnyContext } from '../../../context.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { normaliseCrockford, randomCrockford } from '../../../platform/lib/crockford.ts'
import type { SignInRow } from '../accounts/account.ts'
import { type Source, sourceCountsOf, type Target, tooManyForAccount } from '../attempts/attempt.ts'
import { mailPerson } from '../../mail/outbox/outbox.ts'
import { withSecondFactor } from '../mfa/second-factor.ts'
import { openSession, type SignedIn } from '../sessions/session.ts'
import * as store from './store.ts'

/** 50 random bits, in two groups of five characters. */
const CODE_CHARACTERS = 10
/** A refusal leaves a whole number of seconds after its request: more than checking takes. */
const REFUSAL_MS = 1_000

export interface GuardedSignIn {
  /** The account, if the password was right. */
  account: SignInRow | undefined
  code: string | undefined
  source: Source
  target: Target
  lifetimeSeconds: number | null
  /** When the request came, on the clock of `performance`. */
  since: number
}

const hashOf = (keyring: Keyring, userId: string, code: string): Buffer =>
  keyring.mac('sign-in-code', userId, code)

const userOf = (
  { request }: AnyContext,
  { id, sign_in_version: version }: SignInRow,
  mfa: boolean,
  lifetimeSeconds: number | null,
) => ({
  userId: id,
  version,
  mfa,
  userAgent: request.userAgent,
  limitedTo: request.hostWorkspaceId ?? null,
  lifetimeSeconds,
})

/** @returns undefined for a code that is missing or wrong */
async function signInByFactor(
  context: AnyContext,
  origin: Origin,
  account: SignInRow,
  { code, source, target, lifetimeSeconds }: GuardedSignIn,
): Promise<SignedIn | undefined> {
  if (code === undefined) return undefined
  const user = userOf(context, account, true, lifetimeSeconds)
  const given = { userId: account.id, code, source }
  try {
    return await withSecondFactor(context, origin, given, 'use', (trx) =>
      openSession(context, trx, origin, user, sourceCountsOf(target)),
    )
  } catch (error) {
    if (error instanceof Failure && error.status < 500) return undefined
    throw error
  }
}

async function mailCode(context: AnyContext, { id, email }: SignInRow): Promise<void> {
  const code = randomCrockford(CODE_CHARACTERS)
  await context.db.transaction(async (trx) => {
    const codeHash = hashOf(context.keyring, id, code)
    if (!(await store.putSignInCode.any(trx, { userId: id, codeHash }))) return
    await mailPerson(context, trx, email, 'Code for signing in', [
      'Somebody signed in with your password, while others are trying to guess it.',
      'If it was you, sign in again with this code:',
      '',
      `${code.slice(0, 5)}-${code.slice(5)}`,
      '',
      `It can be used once, for ${store.CODE_MINUTES} minutes.`,
      'If it was not you, somebody knows your password: change it.',
    ])
  })
}

/** @returns undefined for a code that is missing or wrong, after which one has been mailed */
async function signInByMail(
  context: AnyContext,
  origin: Origin,
  account: SignInRow,
  { code, target, lifetimeSeconds }: GuardedSignIn,
): Promise<SignedIn | undefined> {
  const { db, keyring } = context
  const given = code === undefined ? undefined : normaliseCrockford(code, CODE_CHARACTERS)
  const session =
    given === undefined
      ? undefined
      : await db.transaction(async (trx) => {
          const hash = hashOf(keyring, account.id, given)
          if (!(await store.useSignInCode.any(trx, { userId: account.id, codeHash: hash })))
            return undefined
          const user = userOf(context, account, false, lifetimeSeconds)
          return openSession(context, trx, origin, user, sourceCountsOf(target))
        })
  if (session === undefined) await mailCode(context, account)
  return session
}

/**
 * Opens a session if password and code are right.
 * @throws Failure too_many_attempts, whatever was wrong
 */
export async function signInGuarded(
  context: AnyContext,
  origin: Origin,
  given: GuardedSignIn,
): Promise<SignedIn> {
  const { account, since } = given
  if (account !== undefined) {
    const session = await (account.mfa
      ? signInByFactor(context, origin, account, given)
      : signInByMail(context, origin, account, given))
    if (session !== undefined) return session
  }
  await sleep(REFUSAL_MS - ((performance.now() - since) % REFUSAL_MS))
  throw tooManyForAccount()
}
