/**
 * The changes of accounts by operators: they create them, disable and enable them, and help people
 * who have lost a password or a second factor. They never learn a password, and see a link that
 * sets one only where nothing can be mailed.
 */
import { randomBytes } from 'node:crypto'
import type { UserCaller } from '../../../platform/access/principal.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import { type Context, originOf } from '../../../context.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import { Failure, found, invalid } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { enqueue } from '../../../platform/jobs/job.ts'
import type { Origin } from '../../../platform/record/event.ts'
import {
  type AccountRow,
  recordOfAccount,
  disableAccount as disable,
  enableAccount as enable,
  insertAccount,
  lockToChange,
  prepareAccount,
} from '../../identity/accounts/account.ts'
import { mailSecurityChange } from '../../identity/accounts/security-mail.ts'
import { MAIL_LINK } from '../../identity/address-proofs/link-request.ts'
import { dropEnrolment } from '../../identity/mfa/enrolment.ts'
import { hasSecondFactor } from '../../identity/mfa/second-factor.ts'
import { issueLink, MAX_AN_HOUR, urlOf } from '../../identity/one-time-links/one-time-link.ts'
import { dropPasskeys } from '../../identity/passkeys/passkey.ts'
import { endSessionsOfUser } from '../../identity/sessions/session.ts'
import { countLiveKeysOfUser } from '../../team/key-lineage/key-lineage.ts'
import { findOwnerless } from '../../team/members/member.ts'
import { dropIdentities } from '../../team/single-sign-on/identity.ts'
import type { DisabledAccount, MadeAccount, NewAccount, PasswordLink } from './schema.ts'

type Own = Context<UserCaller>

const ALL = { own: null, others: false }

const lockAccount = async (trx: Transaction, id: string): Promise<AccountRow> =>
  found(await lockToChange.first(trx, { id }), 'account_not_found')

/**
 * Removes the second factors of somebody who has lost them, and the identities by which others may
 * sign in, and says so by mail.
 */
export async function removeFactors(
  services: { keyring: Keyring; feed: ChangeFeed },
  trx: Db,
  origin: Origin,
  account: Pick<AccountRow, 'id' | 'email'>,
): Promise<void> {
  if (await hasSecondFactor(trx, account.id)) {
    await dropEnrolment(services, trx, origin, account.id)
    await mailSecurityChange(services, trx, origin, account.email, 'mfa_removed')
  }
  await dropPasskeys(services, trx, origin, account)
  await dropIdentities(services, trx, origin, account)
}

/** A stolen session of an operator would become another operator, for as long as it likes. */
function requireNoOperator({ installation_role: role }: AccountRow, what: string): void {
  if (role === null) return
  throw new Failure('invalid_transition', {
    detail: `An operator ${what} by the command line: mooring accounts reset-password.`,
  })
}

/** The credentials of the account that still work. */
export async function aftermathOf(db: Db, id: string): Promise<DisabledAccount> {
  const keys = await countLiveKeysOfUser.rows(db, { createdBy: formatId('usr', id) })
  return { ownerless: await findOwnerless(db, id), keys }
}

async function issuePasswordLink(
  context: Own,
  trx: Transaction,
  account: Pick<AccountRow, 'id' | 'email' | 'sign_in_version'>,
): Promise<PasswordLink> {
  const { keyring, webConsole, request } = context
  const { email } = account
  const purpose = 'password_reset'
  const mailed = webConsole.hasMail
  let url: string | null = null
  if (mailed) {
    const { id: requestId, address } = request
    await enqueue(trx, MAIL_LINK, { purpose, email, requestId, address })
  } else {
    const token = await issueLink(keyring, trx, { purpose, email, account })
    if (token === undefined) {
      const detail = 'The account has been given as many links as it may have within an hour.'
      const limit = { name: 'password_links', value: MAX_AN_HOUR }
      throw new Failure('limit_reached', { detail, limit })
    }
    url = urlOf(webConsole, purpose, token)
  }
  await recordOfAccount(trx, originOf(context), account.id, 'account.password_link_issued', {
    mailed,
  })
  return { mailed, url }
}

/**
 * Creates an account whose password nobody knows, and gives its person a link to choose one.
 * @throws Failure invalid_request
 */
export async function createAccount(context: Own, input: NewAccount): Promise<MadeAccount> {
  const { db, passwords } = context
  const { email, name = '' } = input
  const password = randomBytes(32).toString('hex')
  const prepared = await prepareAccount(passwords, { email, name, password })
  return db.transaction(async (trx) => {
    const account = await insertAccount(trx, originOf(context), prepared)
    if (account === undefined) throw invalid('/email', 'belongs to another account')
    const link = await issuePasswordLink(context, trx, account)
    return { id: formatId('usr', account.id), ...link }
  })
}

/** @throws Failure account_not_found, invalid_transition, limit_reached */
export function createPasswordLink(context: Own, id: string): Promise<PasswordLink> {
  return context.db.transaction(async (trx) => {
    const account = await lockAccount(trx, id)
    if (account.status !== 'active') {
      throw new Failure('invalid_transition', {
        detail: 'The account is disabled: enable it first.',
      })
    }
    requireNoOperator(account, 'gets a new password')
    return issuePasswordLink(context, trx, account)
  })
}

/** @throws Failure account_not_found, invalid_transition for one's own account */
export function disableAccount(context: Own, id: string): Promise<DisabledAccount> {
  const { db, feed, caller } = context
  if (id === caller.userId) {
    throw new Failure('invalid_transition', { detail: 'Your own account stays enabled.' })
  }
  return db.transaction(async (trx) => {
    await lockAccount(trx, id)
    await disable({ db: trx, feed }, id, originOf(context))
    return aftermathOf(trx, id)
  })
}

/** @throws Failure account_not_found */
export function enableAccount(context: Own, id: string): Promise<void> {
  return context.db.transaction(async (trx) => {
    await lockAccount(trx, id)
    await enable({ db: trx }, id, originOf(context))
  })
}

/** @throws Failure account_not_found, invalid_transition for an operator */
export function removeAccountFactors(context: Own, id: string): Promise<void> {
  return context.db.transaction(async (trx) => {
    const account = await lockAccount(trx, id)
    requireNoOperator(account, 'loses factors')
    await removeFactors(context, trx, originOf(context), account)
  })
}

/** @throws Failure account_not_found */
export function endAccountSessions(context: Own, id: string): Promise<{ sessions_ended: number }> {
  return context.db.transaction(async (trx) => {
    await lockAccount(trx, id)
    const sessions_ended = await endSessionsOfUser(context.feed, trx, id, 'revoked', ALL)
    await recordOfAccount(trx, originOf(context), id, 'account.sessions_ended', { sessions_ended })
    return { sessions_ended }
  })
}
