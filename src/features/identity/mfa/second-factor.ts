/**
 * Verifies second factors: authenticator codes (RFC 6238) and recovery codes. Each code works once,
 * even under concurrency, and guessing is limited per source and per account, however many sign-ins
 * are in progress.
 */
import type { UserCaller } from '../../../platform/access/principal.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import { matchTotpStep, normaliseRecoveryCode } from '../../../platform/access/totp.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { type AccountRow, recordOfAccount, lockToChange, lockToUse } from '../accounts/account.ts'
import {
  clearAttempts,
  countTotpFailures,
  reserveAttempt,
  secondFactorTarget,
  type Source,
} from '../attempts/attempt.ts'
import * as store from './store.ts'
import type { Services } from '../../../context.ts'

/**
 * After this many consecutive failures an authenticator is disabled until it is replaced; recovery
 * codes still work (NIST SP 800-63B-4 section 3.2.2).
 */
const MAX_FAILURES = 100

export type Method = 'totp' | 'recovery_code'

export type FactorServices = Pick<Services, 'db' | 'autonomousDb' | 'keyring' | 'clock'>

/** The context that an authenticator's secret is bound to. */
export const encryptedFor = (userId: string): string => `user-totp:${userId}`

/** Encrypts an authenticator's secret for its account's row. */
export const encryptTotpSecret = (keyring: Keyring, userId: string, secret: string): Buffer =>
  keyring.encrypt(Buffer.from(secret), encryptedFor(userId))

/** The matching time step, or undefined. */
export function matchEncryptedTotp(
  services: Pick<FactorServices, 'keyring' | 'clock'>,
  userId: string,
  encrypted: Buffer,
  code: string,
): number | undefined {
  const secret = services.keyring.decrypt(encrypted, encryptedFor(userId))
  if (secret === undefined) throw new Error('an authenticator is encrypted with another master key')
  return matchTotpStep(secret.toString(), code, services.clock.now())
}

/** The stored form of a recovery code: 120 random bits need no slow hash. */
export const hashRecoveryCode = (keyring: Keyring, userId: string, code: string): Buffer =>
  keyring.mac('recovery-code', userId, code)

/** The usable second factors; empty if the account has none. */
export async function findMethods(db: Db, keyring: Keyring, userId: string): Promise<Method[]> {
  const totp = await store.findTotp.first(db, { userId })
  if (totp === undefined || totp.confirmed_at === null) return []
  const failures = await countTotpFailures(db, keyring, userId)
  const { codes } = await store.countRecoveryCodes.one(db, { userId })
  return [
    ...(failures < MAX_FAILURES ? (['totp'] as const) : []),
    ...(codes > 0 ? (['recovery_code'] as const) : []),
  ]
}

/** Whether signing in requires a second factor, even if none is currently usable. */
export async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  const totp = await store.findTotp.first(db, { userId })
  return totp !== undefined && totp.confirmed_at !== null
}

/** Whether there is any: an authenticator or a passkey. */
export const hasAnyFactor = (db: Db, userId: string): Promise<boolean> =>
  store.findFactor.any(db, { userId })

export const FACTOR_FIRST =
  'The account has a second factor: prove it in this session, with a code or a passkey, before changing how the account signs in.'

/**
 * A person who knows only the password of an account with a second factor must not add another.
 * @throws Failure mfa_required unless one was proved in the session, or the account has none
 */
export async function requireProvenFactor(
  db: Db,
  { userId, mfa }: Pick<UserCaller, 'userId' | 'mfa'>,
): Promise<void> {
  if (mfa || !(await store.findFactor.any(db, { userId }))) return
  throw new Failure('mfa_required', { detail: FACTOR_FIRST })
}

export const rejected = (detail?: string): Failure =>
  new Failure('mfa_code_rejected', detail === undefined ? {} : { detail })

/** Records a refused code in a separate transaction, since the request's is rolled back. */
export async function noteRefusal(
  autonomousDb: Db,
  origin: Origin,
  userId: string,
  factor: string,
): Promise<void> {
  await recordOfAccount(autonomousDb, origin, userId, 'mfa.refused', { factor })
}

async function consume(
  services: FactorServices,
  trx: Transaction,
  userId: string,
  code: string,
  recoveryCode: string | undefined,
): Promise<boolean> {
  if (recoveryCode !== undefined) {
    const hash = hashRecoveryCode(services.keyring, userId, recoveryCode)
    return store.useRecoveryCode.any(trx, { userId, codeHash: hash })
  }
  const totp = await store.findTotp.first(trx, { userId })
  if (totp === undefined) return false
  const step = matchEncryptedTotp(services, userId, totp.sealed_secret, code)
  return (
    step !== undefined &&
    store.useTotpStep.any(trx, { userId, encryptedSecret: totp.sealed_secret, lastStep: step })
  )
}

/**
 * Verifies a code and consumes it in one transaction with `work`.
 * @param source where the code comes from
 * @param purpose `use` locks the account against changes, `change` locks it exclusively
 * @throws Failure mfa_code_rejected, too_many_attempts, and whatever `work` throws, after which the
 * code is still valid
 */
export async function withSecondFactor<Result>(
  services: FactorServices,
  origin: Origin,
  { userId, code, source }: { userId: string; code: string; source: Source },
  purpose: 'use' | 'change',
  work: (trx: Transaction, account: AccountRow) => Promise<Result>,
): Promise<Result> {
  const { db, autonomousDb, keyring } = services
  const recoveryCode = normaliseRecoveryCode(code)
  const factor = recoveryCode === undefined ? 'totp' : 'recovery'
  const target = secondFactorTarget(keyring, userId, factor, source)
  const tries = await reserveAttempt(autonomousDb, target)
  if (factor === 'totp' && tries > MAX_FAILURES) {
    throw rejected('The authenticator was guessed at too often; use a recovery code.')
  }
  try {
    return await db.transaction(async (trx) => {
      const lock = purpose === 'use' ? lockToUse : lockToChange
      const account = await lock.first(trx, { id: userId })
      if (account?.status !== 'active') throw rejected()
      if (!(await consume(services, trx, userId, code, recoveryCode))) throw rejected()
      await clearAttempts(trx, target)
      return work(trx, account)
    })
  } catch (error) {
    if (error instanceof Failure && error.code === 'mfa_code_rejected') {
      await noteRefusal(autonomousDb, origin, userId, factor)
    }
    throw error
  }
}
