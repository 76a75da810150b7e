/** Queries on the installation of a database. */
import { type Db, statement } from '../../../platform/database/connect.ts'

const lock = statement('installation.lock', 'LOCK TABLE installation IN SHARE ROW EXCLUSIVE MODE')
const read = statement('installation.read', 'SELECT value FROM installation WHERE name = $1')
const insert = statement(
  'installation.insert',
  'INSERT INTO installation (name, value) VALUES ($1, $2)',
)
const anyAccount = statement(
  'installation.any_account',
  'SELECT EXISTS (SELECT FROM users) AS found',
)

const FINGERPRINT = 'master_key_fingerprint'

/** Serializes concurrent setups of a database. */
export async function lockInstallation(trx: Db): Promise<void> {
  await trx.query(lock)
}

/** Of the master key; undefined before setup. */
export async function readFingerprint(db: Db): Promise<string | undefined> {
  return (await db.query<{ value: string }>(read, [FINGERPRINT]))[0]?.value
}

export async function insertFingerprint(trx: Db, fingerprint: string): Promise<void> {
  await trx.query(insert, [FINGERPRINT, fingerprint])
}

export async function hasAccounts(db: Db): Promise<boolean> {
  return (await db.query<{ found: boolean }>(anyAccount))[0]?.found === true
}
