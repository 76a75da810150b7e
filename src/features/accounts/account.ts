/**
 * Accounts of people. There is no sign-up by API: accounts are created on the command line or at
 * the first start.
 */
import type { Keyring } from '../../access/keyring.ts'
import { canonicalEmail, checkPassword, type PasswordHasher } from '../../access/passwords.ts'
import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Db } from '../../database/connect.ts'
import { demandRevision, Failure, invalid } from '../../errors.ts'
import { INSTALLATION, type Origin, serviceOrigin } from '../../events/event.ts'
import { changedFields, record } from '../../events/record.ts'
import { formatId, newUuid } from '../../lib/ids.ts'
import { clearAttempts, passwordTarget } from '../attempts/attempt.ts'
import { endSessionsOfUser } from '../sessions/session.ts'
import * as store from './store.ts'

export type { AccountRow, SignInRow } from './store.ts'
export {
  createCountedSearch,
  findByEmail,
  findById,
  lockToChange,
  lockToUse,
  outdateSignIns,
  replaceHash,
} from './store.ts'

export interface NewAccount {
  email: string
  password: string
  name: string
}

const MAX_NAME = 120

/** The resource of audit entries about an account. */
export const accountResource = (userId: string) => ({ kind: 'user', id: formatId('usr', userId) })

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
  const email = canonicalEmail(account.email)
  if (email === undefined) throw invalid('/email', 'must be a plain e-mail address')
  demandPassword('/password', account.password)
  const name = account.name.trim()
  if (name.length > MAX_NAME || /[\u0000-\u001f\u007f]/.test(name)) {
    throw invalid('/name', `must be one line of at most ${MAX_NAME} characters`)
  }
  const passwordHash = await services.passwords.hash(account.password)
  return services.db.transaction(async (trx) => {
    const row = await store.insertAccount(trx, { id: newUuid(), email, name, passwordHash })
    if (row === undefined) throw invalid('/email', 'belongs to another account')
    const resource = accountResource(row.id)
    await record(trx, origin, { workspaceId: INSTALLATION, action: 'account.created', resource })
    return row
  })
}

/** @throws Failure invalid_request pointing at the member */
export function demandPassword(pointer: string, password: string): void {
  const reason = checkPassword(password)
  if (reason !== undefined) throw invalid(pointer, reason)
}

/** Changes what people may change of their own account. */
export async function renameAccount(
  db: Db,
  origin: Origin,
  userId: string,
  name: string | undefined,
  ifMatch: readonly number[] | undefined,
): Promise<void> {
  await db.transaction(async (trx) => {
    const before = await store.lockToChange(trx, userId)
    if (before === undefined) throw new Failure('credential_rejected')
    demandRevision(before.revision, ifMatch)
    if (name === undefined || name === before.name) return
    const after = await store.updateName(trx, userId, name)
    await record(trx, origin, {
      workspaceId: INSTALLATION,
      action: 'account.updated',
      resource: accountResource(userId),
      detail: changedFields({ name: before.name }, { name: after.name }),
    })
  })
}

/**
 * Sets a new password and ends the sessions opened with the old one, except one.
 * @throws Failure invalid_credentials if the account's credentials have changed since it was read
 */
export async function replacePassword(
  services: { feed: ChangeFeed; keyring: Keyring },
  trx: Db,
  origin: Origin,
  change: { account: store.AccountRow; passwordHash: string; keepSession: string | null },
): Promise<void> {
  const { account, passwordHash, keepSession } = change
  const { id, email, sign_in_version: version } = account
  if (!(await store.updatePassword(trx, id, passwordHash, version))) {
    throw new Failure('invalid_credentials')
  }
  await clearAttempts(trx, passwordTarget(services.keyring, email))
  await endSessionsOfUser(services.feed, trx, id, 'password_changed', keepSession)
  const resource = accountResource(id)
  await record(trx, origin, {
    workspaceId: INSTALLATION,
    action: 'account.password_changed',
    resource,
  })
}

/** A disabled account keeps its data and memberships; its sessions end immediately, everywhere. */
export async function disableAccount(
  services: { db: Db; feed: ChangeFeed },
  userId: string,
  origin: Origin = serviceOrigin,
): Promise<void> {
  await services.db.transaction(async (trx) => {
    if (!(await store.updateStatus(trx, userId, 'disabled'))) return
    await endSessionsOfUser(services.feed, trx, userId, 'account_disabled', null)
    const resource = accountResource(userId)
    await record(trx, origin, { workspaceId: INSTALLATION, action: 'account.disabled', resource })
  })
}

export async function enableAccount(
  services: { db: Db },
  userId: string,
  origin: Origin = serviceOrigin,
): Promise<void> {
  await services.db.transaction(async (trx) => {
    if (!(await store.updateStatus(trx, userId, 'active'))) return
    const resource = accountResource(userId)
    await record(trx, origin, { workspaceId: INSTALLATION, action: 'account.enabled', resource })
  })
}
