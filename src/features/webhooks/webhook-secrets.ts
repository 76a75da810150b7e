/** The secrets of a webhook: sealed where they are kept, opened for who signs. */
import type { Keyring } from '../../access/keyring.ts'
import type { WebhookRow } from './store.ts'

/** The secrets that sign at a moment, in milliseconds since the epoch, the newest first. */
export type OpenSecrets = (now: number) => Buffer[]

/** What a sealed secret belongs to: another webhook's can't be put in its place. */
export const sealName = (id: string): string => `webhooks ${id}`

export function openSecrets(
  keyring: Keyring,
  { id, secret, previous_secret: previous, previous_until: until }: WebhookRow,
): OpenSecrets {
  const open = (sealed: Buffer): Buffer => {
    const opened = keyring.open(sealed, sealName(id))
    if (opened === undefined) throw new Error('a secret of a webhook could not be opened')
    return opened
  }
  const present = open(secret)
  const before = previous === null ? undefined : open(previous)
  return (now) => (before && until !== null && until > now ? [present, before] : [present])
}
