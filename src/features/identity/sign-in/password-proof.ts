/** Verifies passwords uniformly, so that responses do not reveal which accounts exist. */
import type { Services } from '../../../context.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { isJoined } from '../../../platform/database/sql.ts'
import { KeyedSemaphore } from '../../../platform/lib/semaphore.ts'
import {
  countedSearch,
  noteRefusedSignIn,
  replaceHash,
  type SignInRow,
} from '../accounts/account.ts'
import {
  passwordTarget,
  refuseAttempt,
  RESERVE_PASSWORD_TRY,
  returnAttempt,
  type Source,
  type Target,
  tooManyAttempts,
} from '../attempts/attempt.ts'

/**
 * Concurrent attempts of a source at an account. An attempt counts as failed until it succeeds, so
 * without this bound many correct passwords at once would look like guessing.
 */
const CONCURRENT_TRIES = 4
const WAITING_TRIES = 100

const turns = new KeyedSemaphore({
  concurrency: CONCURRENT_TRIES,
  queueLimit: WAITING_TRIES,
  refuse: () => tooManyAttempts(1),
})

const findCounted = countedSearch(RESERVE_PASSWORD_TRY)

type ProofServices = Pick<Services, 'db' | 'autonomousDb' | 'keyring' | 'passwords'>

export interface GivenPassword {
  /** In canonical form, if it has one. */
  email: string
  password: string
  source: Source
}

export interface CheckedPassword {
  /** The active account with this address and password, if there is one. */
  account: SignInRow | undefined
  /** Whether a password is enough: other sources have not used up the attempts at it. */
  isEnough: boolean
  target: Target<'password'>
}

/**
 * Checks a password. An unknown address, a wrong password and a disabled account take the same
 * steps and get the same result.
 * @throws Failure initial_password_expired, too_many_attempts
 */
export async function checkPassword(
  services: ProofServices,
  origin: Origin,
  { email, password, source }: GivenPassword,
): Promise<CheckedPassword> {
  const target = passwordTarget(services.keyring, email, source)
  return turns.run(Buffer.concat(target.keys.sources).toString('base64url'), async () => {
    const { db, autonomousDb, passwords } = services
    const found = await findCounted.first(autonomousDb, { ...target.keys, email })
    if (found === undefined) return refuseAttempt(autonomousDb, target)
    const { in_budget: isEnough, ...row } = found
    const account = isJoined<SignInRow>(row, 'id') ? row : undefined
    const unchecked = (): Promise<void> => returnAttempt(autonomousDb, target, isEnough)
    const isRight = await verify(passwords, account, password, unchecked)
    if (account === undefined || !isRight || account.status !== 'active') {
      await noteRefusedSignIn(autonomousDb, origin, account?.id)
      return { account: undefined, isEnough, target }
    }
    if (account.initial_password_expired) {
      await noteRefusedSignIn(autonomousDb, origin, account.id)
      if (isEnough) throw new Failure('initial_password_expired')
      // Where a password is not enough, nobody learns that it was right.
      return { account: undefined, isEnough, target }
    }
    if (passwords.needsRehash(account.password_hash)) {
      const renewed = await passwords.hash(password)
      await replaceHash.run(db, { id: account.id, from: account.password_hash, to: renewed })
    }
    return { account, isEnough, target }
  })
}

async function verify(
  passwords: Services['passwords'],
  account: SignInRow | undefined,
  password: string,
  unchecked: () => Promise<void>,
): Promise<boolean> {
  try {
    return await passwords.verify(account?.password_hash, password)
  } catch (error) {
    // The attempt was not checked; nobody should be locked out because we are busy.
    await unchecked()
    throw error
  }
}

/**
 * The caller's own account and the counts that this success clears. Attempts of its session count
 * for themselves.
 * @throws Failure invalid_credentials, initial_password_expired, too_many_attempts
 */
export async function proveOwnPassword(
  services: ProofServices,
  origin: Origin,
  { email, password, session }: { email: string; password: string; session: string },
): Promise<{ account: SignInRow; target: Target }> {
  const given = { email, password, source: { session } }
  const { account, target } = await checkPassword(services, origin, given)
  if (account === undefined) throw new Failure('invalid_credentials')
  return { account, target }
}
