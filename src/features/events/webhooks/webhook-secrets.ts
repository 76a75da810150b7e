/** A webhook's secrets: stored encrypted, decrypted for signing. */
import type { Keyring } from '../../../platform/access/keyring.ts'
import { dropEndedSecrets, type WebhookRow } from './store.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { exhaust } from '../../../platform/database/sql.ts'

/** The secrets that sign at a time, in milliseconds since the epoch, newest first. */
export type SigningSecrets = (now: number) => Buffer[]

/** Associated data that binds a secret to its webhook. */
export const webhookEncryptionContext = (id: string): string => `webhooks ${id}`

export function decryptSecrets(
  keyring: Keyring,
  { id, secret, previous_secret: previous, previous_until: until }: WebhookRow,
): SigningSecrets {
  const decrypt = (encrypted: Buffer): Buffer => {
    const decrypted = keyring.decrypt(encrypted, webhookEncryptionContext(id))
    if (decrypted === undefined) throw new Error('a secret of a webhook could not be decrypted')
    return decrypted
  }
  const present = decrypt(secret)
  const before = previous === null ? undefined : decrypt(previous)
  return (now) => (before && until !== null && until > now ? [present, before] : [present])
}

const BATCH = 1_000

/** Deletes replaced secrets once they no longer sign, so that they cannot be stolen. */
export const deleteEndedSecrets = (db: Db, signal: AbortSignal): Promise<void> =>
  exhaust(dropEndedSecrets, db, { limit: BATCH }, signal)
