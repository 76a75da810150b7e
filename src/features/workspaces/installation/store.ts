/** Queries on the installation of a database. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'

/** Serializes concurrent setups of a database. */
export const lockInstallation = sql(
  'installation.lock',
  'LOCK TABLE installation IN SHARE ROW EXCLUSIVE MODE',
)
const read = sql('installation.read', 'SELECT value FROM installation WHERE name = $name')
const insert = sql(
  'installation.insert',
  'INSERT INTO installation (name, value) VALUES ($name, $value)',
)
export const hasAccounts = sql(
  'installation.any_account',
  'SELECT EXISTS (SELECT FROM users) AS found!',
)

const FINGERPRINT = 'master_key_fingerprint'

/** Of the master key; undefined before setup. */
export async function readFingerprint(db: Db): Promise<string | undefined> {
  return (await read.first(db, { name: FINGERPRINT }))?.value
}

export async function insertFingerprint(trx: Db, fingerprint: string): Promise<void> {
  await insert.run(trx, { name: FINGERPRINT, value: fingerprint })
}
