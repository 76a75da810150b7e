/** Queries on the installation's ACME account. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface AccountRow {
  id: string
  sealed_key: Buffer
  url: string | null
}

const find = statement(
  'acme_accounts.find',
  'SELECT id, sealed_key, url FROM acme_accounts WHERE directory_url = $1',
)
const add = statement(
  'acme_accounts.add',
  `INSERT INTO acme_accounts (id, directory_url, sealed_key) VALUES ($1, $2, $3)
   ON CONFLICT (directory_url) DO NOTHING`,
)
const setUrl = statement('acme_accounts.set_url', 'UPDATE acme_accounts SET url = $2 WHERE id = $1')
const forgetUrl = statement(
  'acme_accounts.forget_url',
  'UPDATE acme_accounts SET url = NULL WHERE directory_url = $1',
)

export async function findAccount(db: Db, directoryUrl: string): Promise<AccountRow | undefined> {
  return (await db.query<AccountRow>(find, [directoryUrl]))[0]
}

/** Of concurrent accounts, the first is kept. */
export async function addAccount(
  db: Db,
  account: { id: string; directoryUrl: string; sealedKey: Buffer },
): Promise<void> {
  await db.query(add, [account.id, account.directoryUrl, account.sealedKey])
}

export async function setAccountUrl(db: Db, id: string, url: string): Promise<void> {
  await db.query(setUrl, [id, url])
}

export async function deleteAccountUrl(db: Db, directoryUrl: string): Promise<void> {
  await db.query(forgetUrl, [directoryUrl])
}
