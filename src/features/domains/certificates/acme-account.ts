/** The installation's ACME account, shared by all workspaces. */
import { generateKeyPairSync } from 'node:crypto'
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { AcmeAccount, AcmeAuthority } from '../../../adapters/acme/port.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import * as store from './store.ts'

export const encryptedFor = (accountId: string): string => `acme_accounts:${accountId}`

/** PEM of a new P-256 private key, for accounts and certificates alike. */
export const newPrivateKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string

/**
 * Registered on first use. Concurrent registrations get the same account, which its key identifies.
 */
export async function accountOf(
  { db, keyring }: { db: Db; keyring: Keyring },
  acme: AcmeAuthority,
): Promise<AcmeAccount> {
  const { directoryUrl } = acme
  let row = await store.findAccount.first(db, { directoryUrl })
  if (row === undefined) {
    const id = newUuid()
    const encryptedKey = keyring.encrypt(Buffer.from(newPrivateKey()), encryptedFor(id))
    await store.addAccount.run(db, { id, directoryUrl, encryptedKey })
    row = await store.findAccount.first(db, { directoryUrl })
  }
  const key = row && keyring.decrypt(row.sealed_key, encryptedFor(row.id))
  if (row === undefined || key === undefined)
    throw new Error('the ACME account cannot be decrypted')
  const account = { key: key.toString(), url: row.url ?? '' }
  if (row.url !== null) return account
  const url = await acme.register(account.key)
  await store.setAccountUrl.run(db, { id: row.id, url })
  return { ...account, url }
}

/** For an authority that lost it: the account is registered again on next use. */
export const deleteRegistration = (db: Db, { directoryUrl }: AcmeAuthority): Promise<void> =>
  store.deleteAccountUrl.run(db, { directoryUrl })
