/** Another address for an account: a mailed link proves it, and the old one is notified. */
import { canonicalEmail } from '../../../platform/access/email.ts'
import type { UserCaller } from '../../../platform/access/principal.ts'
import {
  type AnyContext,
  type Context,
  originAs,
  originOf,
  type Services,
} from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { mailPerson } from '../../mail/outbox/outbox.ts'
import {
  type AccountRow,
  recordOfAccount,
  changeAddress,
  findByEmail,
  lockOwnAccount,
  lockToChange,
} from '../accounts/account.ts'
import { clearPasswordAttempts } from '../attempts/attempt.ts'
import { issueLink, requireLink, urlOf, useLink } from '../one-time-links/one-time-link.ts'
import { requireOrdinarySession } from '../sessions/ordinary-session.ts'
import type { ConfirmedEmail } from './schema.ts'

const IF_NOT_YOU = 'If it was not you: change your password, and contact the operator.'

/**
 * The response does not reveal whether another account has the address.
 * @throws Failure invalid_request, permission_denied
 */
export async function requestEmailChange(
  context: Context<UserCaller>,
  given: string,
): Promise<void> {
  const { db, keyring, caller, webConsole } = context
  requireOrdinarySession(context, 'change your address')
  const email = canonicalEmail(given)
  if (email === undefined) throw invalid('/email', 'must be a plain e-mail address')
  await db.transaction(async (trx) => {
    const account = await lockOwnAccount(trx, caller)
    if (account.email === email) throw invalid('/email', 'is the present address')
    const isTaken = await findByEmail.any(trx, { email })
    const link = { purpose: 'email_change', email, account, isNotice: isTaken } as const
    const token = await issueLink(keyring, trx, link)
    if (token !== undefined && isTaken) {
      await mailPerson(context, trx, email, 'The address is in use', [
        'Somebody wants to use this address for another account. You need do nothing.',
      ])
    } else if (token !== undefined) {
      await mailPerson(context, trx, email, 'Confirm your address', [
        'To use this address for your account, follow this link:',
        '',
        urlOf(webConsole, 'email_change', token),
        '',
        'It works once, for 24 hours. If you did not ask for it, you need do nothing.',
      ])
    }
    const lines = ['Another address was asked for, for your account. It has to be confirmed.']
    await mailPerson(context, trx, account.email, 'Another address', [...lines, IF_NOT_YOU])
    await recordOfAccount(trx, originOf(context), account.id, 'account.email_change_asked')
  })
}

/**
 * Changes the address of a locked account, and notifies both addresses; sessions stay.
 * @throws Failure account_exists
 */
export async function replaceAddress(
  services: Pick<Services, 'keyring'>,
  trx: Db,
  origin: Origin,
  { id, email: before }: Pick<AccountRow, 'id' | 'email'>,
  email: string,
): Promise<void> {
  if (!(await changeAddress(trx, id, email))) throw new Failure('account_exists')
  await clearPasswordAttempts(trx, services.keyring, before)
  const change = [`The address of your account is now ${email}; it was ${before}.`]
  for (const to of [before, email]) {
    await mailPerson(services, trx, to, 'The address was changed', [...change, IF_NOT_YOU])
  }
  await recordOfAccount(trx, origin, id, 'account.email_changed', {
    before: { email: before },
    after: { email },
  })
}

/**
 * Changes the address; sessions stay.
 * @throws Failure link_not_found, account_exists
 */
export async function confirmEmailChange(
  context: AnyContext,
  token: string,
): Promise<ConfirmedEmail> {
  const { db, keyring } = context
  const { user_id: userId } = await requireLink(token, keyring, db, 'email_change')
  if (userId === null) throw new Failure('link_not_found')
  return db.transaction(async (trx) => {
    const before = await lockToChange.first(trx, { id: userId })
    const { email, sign_in_version: version } = await useLink(token, keyring, trx, 'email_change')
    if (before?.status !== 'active' || before.sign_in_version !== version) {
      throw new Failure('link_not_found')
    }
    await replaceAddress(context, trx, originAs(context, userId), before, email)
    return { email }
  })
}
