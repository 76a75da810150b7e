/**
 * Accounts of people. There is no sign-up by API: accounts are created on the command line or at
 * the first start.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import {
  canonicalEmail,
  checkPassword,
  MIN_PASSWORD_ALONE,
  MIN_PASSWORD_WITH_FACTOR,
  type PasswordHasher,
} from '../../../platform/access/passwords.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import { type Db, isUniqueViolation } from '../../../platform/database/connect.ts'
import { Failure, found, invalid, requireRevision } from '../../../platform/errors/errors.ts'
import {
  type AuditAction,
  INSTALLATION,
  type Origin,
  serviceOrigin,
} from '../../../platform/record/event.ts'
import { recordBounded } from '../../../platform/record/counting.ts'
import { changedFields, record } from '../../../platform/record/record.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { mailPerson } from '../../mail/outbox/outbox.ts'
import { clearPasswordAttempts } from '../attempts/attempt.ts'
import { endSessionsOfUser, type KeptSessions } from '../sessions/session.ts'
import { mailSecurityChange } from './security-mail.ts'
import * as store from './store.ts'

export type { AccountRow, SignInRow } from './store.ts'
export {
  countedSearch,
  INITIAL_PASSWORD_DAYS,
  findByEmail,
  findById,
  lockToChange,
  lockToErase,
  lockToUse,
  outdateSignIns,
  replaceHash,
} from './store.ts'

export interface NewAccount {
  email: string
  password: string
  name: string
  /** Whether the service made the password: then it can only be used to choose another one. */
  isInitial?: boolean
  /** Names and slugs of the workspaces that it is going to belong to. */
  workspaces?: readonly string[]
}

const MAX_NAME = 120

/** The resource of audit entries about an account. */
export const accountResource = (userId: string) => ({ kind: 'user', id: formatId('usr', userId) })

/** Records what was done with an account, which belongs to no workspace. */
export const recordOfAccount = (
  trx: Db,
  origin: Origin,
  userId: string,
  action: AuditAction,
  detail?: Record<string, unknown>,
): Promise<void> =>
  record(trx, origin, {
    workspaceId: INSTALLATION,
    action,
    resource: accountResource(userId),
    ...(detail && { detail }),
  })

/**
 * Records a refused sign-in outside the request's transaction, which is rolled back. Bounded:
 * anyone can cause it.
 * @param userId undefined if no account is known
 */
export const noteRefusedSignIn = (
  autonomousDb: Db,
  origin: Origin,
  userId: string | undefined,
): Promise<void> =>
  autonomousDb.transaction((trx) =>
    recordBounded(trx, origin, {
      workspaceId: INSTALLATION,
      action: 'session.refused',
      ...(userId !== undefined && { resource: accountResource(userId) }),
    }),
  )

/** An account that has been checked, and whose password has been hashed. */
export interface PreparedAccount {
  email: string
  name: string
  passwordHash: string
  isInitial: boolean
}

/**
 * Checks a new account and hashes its password, which takes a while: before a transaction.
 * @throws Failure invalid_request pointing at the member: a malformed address, a weak password, a
 * name that is not one line
 */
export async function prepareAccount(
  passwords: PasswordHasher,
  account: NewAccount,
): Promise<PreparedAccount> {
  const email = canonicalEmail(account.email)
  if (email === undefined) throw invalid('/email', 'must be a plain e-mail address')
  const name = account.name.trim()
  const about = [email, name, ...(account.workspaces ?? [])]
  requirePassword('/password', account.password, { mfa: false, about })
  if (name.length > MAX_NAME || /[\u0000-\u001f\u007f]/.test(name)) {
    throw invalid('/name', `must be one line of at most ${MAX_NAME} characters`)
  }
  const passwordHash = await passwords.hash(account.password)
  return { email, name, passwordHash, isInitial: account.isInitial === true }
}

/** @returns undefined if another account has the address */
export async function insertAccount(
  trx: Db,
  origin: Origin,
  prepared: PreparedAccount,
): Promise<store.AccountRow | undefined> {
  const row = await store.insertAccount.first(trx, { id: newUuid(), ...prepared })
  if (row === undefined) return undefined
  await recordOfAccount(trx, origin, row.id, 'account.created')
  return row
}

/**
 * Creates an account that can sign in at once.
 * @throws Failure invalid_request pointing at the member: an address that is taken or malformed, a
 * weak password, a name that is not one line
 */
export async function createAccount(
  services: { db: Db; passwords: PasswordHasher },
  account: NewAccount,
  origin: Origin = serviceOrigin,
): Promise<store.AccountRow> {
  const prepared = await prepareAccount(services.passwords, account)
  return services.db.transaction(async (trx) => {
    const row = await insertAccount(trx, origin, prepared)
    if (row === undefined) throw invalid('/email', 'belongs to another account')
    return row
  })
}

/**
 * Turns the account of the first start into that of a person. Nobody has chosen its password yet.
 * @returns undefined if a password or an authenticator was chosen meanwhile
 * @throws Failure invalid_request for an address that belongs to another account
 */
export async function personalizeAccount(
  trx: Db,
  id: string,
  { email, name, passwordHash }: PreparedAccount,
): Promise<{ version: number; before: { email: string; name: string } } | undefined> {
  const before = await store.lockToChange.first(trx, { id })
  const other = await store.findByEmail.first(trx, { email })
  if (other !== undefined && other.id !== id) throw invalid('/email', 'belongs to another account')
  const after = await store.personalize.first(trx, { id, email, name, passwordHash })
  if (before === undefined || after === undefined) return undefined
  return { version: after.sign_in_version, before: { email: before.email, name: before.name } }
}

/** @throws Failure invalid_request pointing at the member */
function requirePassword(
  pointer: string,
  password: string,
  { mfa, about }: { mfa: boolean; about: readonly string[] },
): void {
  const minCharacters = mfa ? MIN_PASSWORD_WITH_FACTOR : MIN_PASSWORD_ALONE
  const reason = checkPassword(password, { minCharacters, about })
  if (reason !== undefined) throw invalid(pointer, reason)
}

/**
 * Checks a new password of an existing account. Its present password may be older than the rule.
 * @throws Failure invalid_request pointing at the member
 */
export async function requireNewPassword(
  db: Db,
  account: Pick<store.SignInRow, 'id' | 'email' | 'name' | 'mfa'>,
  pointer: string,
  password: string,
): Promise<void> {
  const { id, email, name, mfa } = account
  const workspaces = await store.findWorkspaceNames.rows(db, { userId: id })
  const about = [email, name, ...workspaces.flatMap((each) => [each.name, each.slug])]
  requirePassword(pointer, password, { mfa, about })
}

/** Locks the account of a caller. @throws Failure credential_rejected if it is gone */
export const lockOwnAccount = async (
  trx: Db,
  { userId }: { userId: string },
): Promise<store.AccountRow> =>
  found(await store.lockToChange.first(trx, { id: userId }), 'credential_rejected')

/** Changes what people may change of their own account. */
export async function renameAccount(
  db: Db,
  origin: Origin,
  userId: string,
  name: string | undefined,
  ifMatch: readonly number[] | undefined,
): Promise<void> {
  await db.transaction(async (trx) => {
    const before = await lockOwnAccount(trx, { userId })
    requireRevision(before.revision, ifMatch)
    if (name === undefined || name === before.name) return
    const after = await store.updateName.one(trx, { id: userId, name })
    await recordOfAccount(
      trx,
      origin,
      userId,
      'account.updated',
      changedFields({ name: before.name }, { name: after.name }),
    )
  })
}

/**
 * Sets a new password, ends sessions opened with the old one, and mails the account.
 * @returns how many sessions have ended
 * @throws Failure invalid_credentials if the account's credentials have changed since it was read
 */
export async function replacePassword(
  services: { feed: ChangeFeed; keyring: Keyring },
  trx: Db,
  origin: Origin,
  change: {
    account: store.AccountRow
    passwordHash: string
    /** Whether the service made it. */
    isInitial: boolean
    keep: KeptSessions
  },
): Promise<number> {
  const { account, passwordHash, isInitial, keep } = change
  const { id, email, sign_in_version: version } = account
  if (
    !(await store.updatePassword.any(trx, { id, passwordHash, isInitial, signInVersion: version }))
  ) {
    throw new Failure('invalid_credentials')
  }
  await clearPasswordAttempts(trx, services.keyring, email)
  const ended = await endSessionsOfUser(services.feed, trx, id, 'password_changed', keep)
  const how = origin.actor.kind === 'user' ? 'password_changed' : 'password_reset'
  await mailSecurityChange(services, trx, origin, email, how)
  await recordOfAccount(trx, origin, id, 'account.password_changed')
  return ended
}

/** @returns false if another account has the address */
export async function changeAddress(trx: Db, id: string, email: string): Promise<boolean> {
  // A savepoint: the transaction continues after the violation.
  try {
    await trx.transaction((inner) => store.updateAddress.run(inner, { id, email }))
    return true
  } catch (error) {
    if (isUniqueViolation(error, 'users_email_key')) return false
    throw error
  }
}

/** A disabled account keeps its data and memberships; its sessions end immediately, everywhere. */
export async function disableAccount(
  services: { db: Db; feed: ChangeFeed },
  userId: string,
  origin: Origin = serviceOrigin,
): Promise<void> {
  await services.db.transaction(async (trx) => {
    if (!(await store.updateStatus.any(trx, { id: userId, status: 'disabled' }))) return
    await endSessionsOfUser(services.feed, trx, userId, 'account_disabled', {
      own: null,
      others: false,
    })
    await recordOfAccount(trx, origin, userId, 'account.disabled')
  })
}

/**
 * Erases an account with its sessions, factors and memberships, and notifies its address. Its id
 * stays in the records of what it did.
 */
export async function eraseAccount(
  services: { feed: ChangeFeed; keyring: Keyring },
  trx: Db,
  origin: Origin,
  { id, email }: Pick<store.AccountRow, 'id' | 'email'>,
): Promise<void> {
  await store.deleteUser.run(trx, { id })
  await store.deleteLinksTo.run(trx, { email })
  await clearPasswordAttempts(trx, services.keyring, email)
  await services.feed.announce(trx, 'user', id)
  const byWhom = origin.actor.kind === 'user' ? 'as its owner asked' : 'by the operator'
  await mailPerson(services, trx, email, 'Your account was deleted', [
    `The account ${email} was deleted, ${byWhom}. All its sessions have ended, and it`,
    'has left its workspaces. The address can be used for another account.',
    '',
    'If you do not know why: contact the operator of this service.',
  ])
  await recordOfAccount(trx, origin, id, 'account.deleted')
}

/** In the installation; null: none. */
export type InstallationRole = 'operator' | null

/** Marks an account as one of an operator, or removes the mark, which acts at once everywhere. */
export async function setInstallationRole(
  services: { db: Db; feed: ChangeFeed },
  userId: string,
  role: InstallationRole,
  origin: Origin = serviceOrigin,
): Promise<void> {
  await services.db.transaction(async (trx) => {
    if (!(await store.updateRole.any(trx, { id: userId, role }))) return
    await services.feed.announce(trx, 'user', userId)
    const detail = { installation_role: role }
    await recordOfAccount(trx, origin, userId, 'account.role_changed', detail)
  })
}

export async function enableAccount(
  services: { db: Db },
  userId: string,
  origin: Origin = serviceOrigin,
): Promise<void> {
  await services.db.transaction(async (trx) => {
    if (!(await store.updateStatus.any(trx, { id: userId, status: 'active' }))) return
    await recordOfAccount(trx, origin, userId, 'account.enabled')
  })
}
