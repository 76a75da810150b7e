/** All columns that hold values which are encrypted with the current root key. */
import { rowOf as keyContext } from '../../platform/access/signing-keys.ts'
import { encryptedFor as accountContext } from '../../features/domains/certificates/acme-account.ts'
import { encryptedFor as certificateContext } from '../../features/domains/certificates/certificate.ts'
import { encryptedFor as orderContext } from '../../features/domains/certificates/order-steps.ts'
import type { EncryptedColumn } from '../../features/workspaces/installation/re-encryption.ts'
import { mailEncryptionContext } from '../../features/mail/outbox/outbox.ts'
import { pushEncryptionContext } from '../../features/mqtt/password-sync/password-sync.ts'
import { encryptedFor as userContext } from '../../features/identity/mfa/second-factor.ts'
import { webhookEncryptionContext } from '../../features/events/webhooks/webhook-secrets.ts'

const id = { id: 'uuid' } as const
const idOfWorkspace = { workspace_id: 'uuid', id: 'uuid' } as const

/** Binds by one member of the primary key. */
const by =
  (name: string, boundTo: (value: string) => string): EncryptedColumn['boundTo'] =>
  (row) =>
    boundTo(row[name] as string)

export const encryptedColumns: readonly EncryptedColumn[] = [
  {
    table: 'signing_keys',
    column: 'sealed_private',
    key: { kid: 'text', issuer: 'text' },
    boundTo: ({ kid, issuer }) => keyContext(issuer as string, kid as string),
  },
  {
    table: 'user_totp',
    column: 'sealed_secret',
    key: { user_id: 'uuid' },
    boundTo: by('user_id', userContext),
  },
  {
    table: 'webhooks',
    column: 'secret',
    key: idOfWorkspace,
    boundTo: by('id', webhookEncryptionContext),
  },
  {
    table: 'webhooks',
    column: 'previous_secret',
    key: idOfWorkspace,
    boundTo: by('id', webhookEncryptionContext),
  },
  {
    table: 'domain_certificates',
    column: 'sealed_key',
    key: idOfWorkspace,
    boundTo: by('id', certificateContext),
  },
  { table: 'acme_accounts', column: 'sealed_key', key: id, boundTo: by('id', accountContext) },
  {
    table: 'acme_orders',
    column: 'sealed_key',
    key: idOfWorkspace,
    boundTo: by('id', orderContext),
  },
  {
    table: 'mail_outbox',
    column: 'sealed_text',
    key: idOfWorkspace,
    boundTo: by('id', mailEncryptionContext),
  },
  {
    table: 'mqtt_password_pushes',
    column: 'sealed',
    key: idOfWorkspace,
    boundTo: by('id', pushEncryptionContext),
  },
]
