/**
 * A lost password is replaced with a mailed link. The second factor stays: the mail alone never
 * opens an account that has one.
 */
import { type AnyContext, originAs } from '../../../context.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import {
  findByEmail,
  lockToChange,
  replacePassword,
  requireNewPassword,
} from '../accounts/account.ts'
import { type LinkRow, requireLink, useLink } from '../one-time-links/one-time-link.ts'
import type { ConfirmPasswordReset } from './schema.ts'

/** The link is for the address and the credentials that the account had when it was mailed. */
const isOf = (link: LinkRow, account: { id: string; email: string; sign_in_version: number }) =>
  link.user_id === account.id &&
  link.email === account.email &&
  link.sign_in_version === account.sign_in_version

/** @throws Failure link_not_found, invalid_request */
export async function confirmPasswordReset(
  context: AnyContext,
  { token, password }: ConfirmPasswordReset,
): Promise<void> {
  const { db, keyring, passwords } = context
  const { email } = await requireLink(token, keyring, db, 'password_reset')
  const known = found(await findByEmail.first(db, { email }), 'link_not_found')
  await requireNewPassword(db, known, '/password', password)
  const passwordHash = await passwords.hash(password)
  await db.transaction(async (trx) => {
    const account = await lockToChange.first(trx, { id: known.id })
    const link = await useLink(token, keyring, trx, 'password_reset')
    if (account?.status !== 'active' || !isOf(link, account)) throw new Failure('link_not_found')
    const origin = originAs(context, account.id)
    const keep = { own: null, others: false }
    await replacePassword(context, trx, origin, { account, passwordHash, isInitial: false, keep })
  })
}
