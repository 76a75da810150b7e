/** Verifies passwords uniformly, so that responses do not reveal which accounts exist. */
import { canonicalEmail } from '../../access/passwords.ts'
import type { Services } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { INSTALLATION, type Origin } from '../../events/event.ts'
import { record } from '../../events/record.ts'
import { createKeyedTurns } from '../../lib/keyed-turns.ts'
import {
  accountResource,
  createCountedSearch,
  replaceHash,
  type SignInRow,
} from '../accounts/account.ts'
import {
  passwordTarget,
  refuseAttempt,
  RESERVE_TRY,
  returnAttempt,
  type Target,
  tooManyAttempts,
} from '../attempts/attempt.ts'

/**
 * Concurrent attempts per account. An attempt counts as failed until it succeeds, so without this
 * bound many correct passwords at once would look like guessing.
 */
const CONCURRENT_TRIES = 4
const WAITING_TRIES = 100

const turns = createKeyedTurns(CONCURRENT_TRIES, WAITING_TRIES, () => tooManyAttempts(1))

const findCounted = createCountedSearch(RESERVE_TRY)

type ProofServices = Pick<Services, 'db' | 'autonomousDb' | 'keyring' | 'passwords' | 'rateLimits'>

/**
 * The account with this address and password. An unknown address, a wrong password and a disabled
 * account take the same steps and get the same response.
 * @throws Failure invalid_credentials, initial_password_expired, too_many_attempts, rate_limited
 */
export async function provePassword(
  services: ProofServices,
  origin: Origin,
  address: string,
  password: string,
): Promise<SignInRow> {
  const email = canonicalEmail(address) ?? address
  const target = passwordTarget(services.keyring, email)
  const key = target.subject.toString('base64url')
  await services.rateLimits.consume('auth', `account:${key}`)
  return turns.run(key, () => checkPassword(services, origin, target, email, password))
}

async function checkPassword(
  services: ProofServices,
  origin: Origin,
  target: Target,
  email: string,
  password: string,
): Promise<SignInRow> {
  const { db, autonomousDb, passwords } = services
  const found = await findCounted(autonomousDb, [target.subject, target.factor], email)
  if (!found.isCounted) return refuseAttempt(autonomousDb, target)
  const { account } = found
  let good: boolean
  try {
    good = await passwords.verify(account?.password_hash, password)
  } catch (error) {
    // The attempt was not checked; nobody should be locked out because we are busy.
    await returnAttempt(autonomousDb, target)
    throw error
  }
  if (account === undefined || !good || account.status !== 'active') {
    await noteRefusal(autonomousDb, origin, account)
    throw new Failure('invalid_credentials')
  }
  if (account.initial_password_expired) {
    await noteRefusal(autonomousDb, origin, account)
    throw new Failure('initial_password_expired')
  }
  if (!passwords.needsRehash(account.password_hash)) return account
  const renewed = await passwords.hash(password)
  await replaceHash(db, account.id, account.password_hash, renewed)
  return account
}

/** Records a refused sign-in outside the request's transaction, which is rolled back. */
async function noteRefusal(
  autonomousDb: Services['autonomousDb'],
  origin: Origin,
  account: SignInRow | undefined,
): Promise<void> {
  await record(autonomousDb, origin, {
    workspaceId: INSTALLATION,
    action: 'session.refused',
    ...(account && { resource: accountResource(account.id) }),
  })
}
