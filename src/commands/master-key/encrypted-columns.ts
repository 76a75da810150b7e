/** All columns that hold values which are encrypted with the current root key. */
import { rowOf as sealedToKey } from '../../platform/access/signing-keys.ts'
import { encryptedFor as sealedToAccount } from '../../features/domains/certificates/acme-account.ts'
import { encryptedFor as sealedToCertificate } from '../../features/domains/certificates/certificate.ts'
import { encryptedFor as sealedToOrder } from '../../features/domains/certificates/order-steps.ts'
import type { EncryptedColumn } from '../../features/workspaces/installation/reseal.ts'
import { sealedAs } from '../../features/mail/outbox/outbox.ts'
import { sealedFor } from '../../features/mqtt/password-sync/password-pushes.ts'
import { encryptedFor as sealedToUser } from '../../features/identity/mfa/second-factor.ts'
import { sealName } from '../../features/events/webhooks/webhook-secrets.ts'

const id = { id: 'uuid' } as const
const idOfWorkspace = { workspace_id: 'uuid', id: 'uuid' } as const

/** Binds by one member of the primary key. */
const by =
  (name: string, boundTo: (value: string) => string): EncryptedColumn['boundTo'] =>
  (row) =>
    boundTo(row[name] as string)

export const sealedColumns: readonly EncryptedColumn[] = [
  {
    table: 'signing_keys',
    column: 'sealed_private',
    key: { kid: 'text', issuer: 'text' },
    boundTo: ({ kid, issuer }) => sealedToKey(issuer as string, kid as string),
  },
  {
    table: 'user_totp',
    column: 'sealed_secret',
    key: { user_id: 'uuid' },
    boundTo: by('user_id', sealedToUser),
  },
  { table: 'webhooks', column: 'secret', key: idOfWorkspace, boundTo: by('id', sealName) },
  { table: 'webhooks', column: 'previous_secret', key: idOfWorkspace, boundTo: by('id', sealName) },
  {
    table: 'domain_certificates',
    column: 'sealed_key',
    key: idOfWorkspace,
    boundTo: by('id', sealedToCertificate),
  },
  { table: 'acme_accounts', column: 'sealed_key', key: id, boundTo: by('id', sealedToAccount) },
  {
    table: 'acme_orders',
    column: 'sealed_key',
    key: idOfWorkspace,
    boundTo: by('id', sealedToOrder),
  },
  { table: 'mail_outbox', column: 'sealed_text', key: idOfWorkspace, boundTo: by('id', sealedAs) },
  {
    table: 'mqtt_password_pushes',
    column: 'sealed',
    key: idOfWorkspace,
    boundTo: by('id', sealedFor),
  },
]
