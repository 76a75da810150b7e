/** Queries on the installation's ACME account. */
import { sql } from '../../../platform/database/sql.ts'

export const findAccount = sql(
  'acme_accounts.find',
  'SELECT id, sealed_key, url FROM acme_accounts WHERE directory_url = $directoryUrl',
)
/** Of concurrent accounts, the first is kept. */
export const addAccount = sql(
  'acme_accounts.add',
  `INSERT INTO acme_accounts (id, directory_url, sealed_key) VALUES ($id, $directoryUrl, $sealedKey)
   ON CONFLICT (directory_url) DO NOTHING`,
)
export const setAccountUrl = sql(
  'acme_accounts.set_url',
  'UPDATE acme_accounts SET url = $url? WHERE id = $id',
)
export const deleteAccountUrl = sql(
  'acme_accounts.forget_url',
  'UPDATE acme_accounts SET url = NULL WHERE directory_url = $directoryUrl',
)
