/** Creates an account with a mailed link, if the operator has opened registration. */
import { type AnyContext, originAs, originOf } from '../../../context.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import type { ConsoleSession } from '../../common/console-session.ts'
import { findByEmail, insertAccount, prepareAccount } from '../accounts/account.ts'
import { openForBrowser } from '../console-sessions/console-session.ts'
import { requireLink, useLink } from '../one-time-links/one-time-link.ts'
import { requestLink } from './link-request.ts'
import type { ConfirmRegistration } from './schema.ts'

function requireOpen({ webConsole }: AnyContext): void {
  if (webConsole.registration !== 'open') throw new Failure('registration_closed')
}

/** @throws Failure registration_closed, rate_limited */
export async function register(context: AnyContext, email: string): Promise<void> {
  requireOpen(context)
  await requestLink(context, 'registration', email)
}

/** @throws Failure registration_closed, link_not_found, account_exists, invalid_request */
export async function confirmRegistration(
  context: AnyContext,
  { token, name, password }: ConfirmRegistration,
): Promise<ConsoleSession> {
  requireOpen(context)
  const { db, keyring, passwords } = context
  const { email } = await requireLink(token, keyring, db, 'registration')
  if (await findByEmail.any(db, { email })) throw new Failure('account_exists')
  const prepared = await prepareAccount(passwords, { email, name, password })
  const session = await db.transaction(async (trx) => {
    await useLink(token, keyring, trx, 'registration')
    const account = await insertAccount(trx, originOf(context), prepared)
    if (account === undefined) throw new Failure('account_exists')
    const { id: userId, sign_in_version: version } = account
    const origin = originAs(context, userId)
    return found(await openForBrowser(context, trx, origin, { userId, version }), 'link_not_found')
  })
  return session()
}
