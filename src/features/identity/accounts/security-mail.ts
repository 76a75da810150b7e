/** Mails that notify people of a changed password or second factor. */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { mailPerson } from '../../mail/outbox/outbox.ts'

const changes = {
  password_changed: 'The password was changed',
  password_reset: 'The operator set a new password',
  mfa_enrolled: 'An authenticator was enrolled',
  mfa_removed: 'The authenticator was removed',
  recovery_codes_renewed: 'The recovery codes were replaced',
  passkey_added: 'A passkey was added',
  passkey_removed: 'A passkey was removed',
  passkeys_removed: 'The operator removed the passkeys',
  identity_linked: 'A provider for signing in was linked',
  identity_unlinked: 'A provider for signing in was unlinked',
} as const

export type SecurityChange = keyof typeof changes

/** Queues the mail in the transaction of the change. It contains no secret. */
export function mailSecurityChange(
  services: { keyring: Keyring },
  trx: Db,
  { address }: Pick<Origin, 'address'>,
  email: string,
  change: SecurityChange,
): Promise<void> {
  const what = changes[change]
  const from = address === null ? '' : `, by a request from ${address}`
  return mailPerson(services, trx, email, what, [
    `${what} for your account ${email}${from}.`,
    '',
    'If that was you, or you know of it, you need do nothing.',
    'If not: change your password, which ends all other sessions, check your authenticator and',
    'your passkeys, and contact the operator of this service, who can also reset all of them.',
  ])
}
