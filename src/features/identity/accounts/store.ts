/** Queries on accounts: people who sign in to the console. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface AccountRow {
  id: string
  email: string
  name: string
  password_hash: string
  sign_in_version: number
  status: 'active' | 'disabled'
  revision: number
  created_at: number
  /** Whether the service made the password, which must be changed then. */
  initial_password: boolean
  /** Whether it was not changed in time. */
  initial_password_expired: boolean
}

/** For how long a password that the service made can be changed. */
export const INITIAL_PASSWORD_DAYS = 14
const initialUntil = (isInitial: string) =>
  `CASE WHEN ${isInitial} THEN now() + interval '${INITIAL_PASSWORD_DAYS} days' END`

const columns = `id, email, name, password_hash, sign_in_version, status, revision, created_at,
  initial_password_until IS NOT NULL AS initial_password,
  coalesce(initial_password_until <= now(), false) AS initial_password_expired`

const insert = statement(
  'users.insert',
  `INSERT INTO users (id, email, name, password_hash, initial_password_until)
   VALUES ($1, $2, $3, $4, ${initialUntil('$5')})
   ON CONFLICT (email) DO NOTHING RETURNING ${columns}`,
)
const byEmail = statement(
  'users.by_email',
  `SELECT ${columns}, EXISTS (
     SELECT FROM user_totp t WHERE t.user_id = u.id AND t.confirmed_at IS NOT NULL
   ) AS mfa
   FROM users u WHERE email = $1`,
)
const byEmailCounted = (counting: string) =>
  statement(
    'users.by_email_counted',
    `WITH ${counting}
     SELECT reserved.in_budget, u.* FROM reserved LEFT JOIN (
       ${byEmail.text.replace('$1', '$5')}
     ) AS u ON true`,
  )
const byId = statement('users.by_id', `SELECT ${columns} FROM users WHERE id = $1`)
const lockForChange = statement('users.lock_for_change', `${byId.text} FOR NO KEY UPDATE`)
const lockForUse = statement('users.lock_for_use', `${byId.text} FOR SHARE`)
const rename = statement(
  'users.rename',
  `UPDATE users SET name = $2, revision = revision + 1, updated_at = now()
   WHERE id = $1 RETURNING ${columns}`,
)
const setPassword = statement(
  'users.set_password',
  `UPDATE users SET password_hash = $2, initial_password_until = ${initialUntil('$4')},
                    sign_in_version = sign_in_version + 1,
                    revision = revision + 1, updated_at = now()
   WHERE id = $1 AND sign_in_version = $3 RETURNING id`,
)
const rehash = statement(
  'users.rehash',
  'UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2',
)
const outdate = statement(
  'users.outdate_sign_ins',
  'UPDATE users SET sign_in_version = sign_in_version + 1 WHERE id = $1',
)
const workspaceNames = statement(
  'users.workspace_names',
  `SELECT w.name, w.slug FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
   WHERE m.user_id = $1 LIMIT 100`,
)
const setStatus = statement(
  'users.set_status',
  `UPDATE users SET status = $2, revision = revision + 1, updated_at = now()
   WHERE id = $1 AND status <> $2 RETURNING id`,
)

/** Names and slugs of the workspaces that the account is a member of. */
export async function findWorkspaceNames(db: Db, id: string): Promise<string[]> {
  const rows = await db.query<{ name: string; slug: string }>(workspaceNames, [id])
  return rows.flatMap(({ name, slug }) => [name, slug])
}

/** @returns undefined if another account has the address */
export async function insertAccount(
  db: Db,
  account: { id: string; email: string; name: string; passwordHash: string; isInitial: boolean },
): Promise<AccountRow | undefined> {
  const { id, email, name, passwordHash, isInitial } = account
  return (await db.query<AccountRow>(insert, [id, email, name, passwordHash, isInitial]))[0]
}

export interface SignInRow extends AccountRow {
  /** Whether signing in requires a second factor. */
  mfa: boolean
}

/** @param email in canonical form */
export async function findByEmail(db: Db, email: string): Promise<SignInRow | undefined> {
  return (await db.query<SignInRow>(byEmail, [email]))[0]
}

export interface CountedSearch {
  /** Whether the attempt was counted; otherwise no account was looked for. */
  isCounted: boolean
  /** Whether a password is enough for this attempt. */
  isInBudget: boolean
  account: SignInRow | undefined
}

/**
 * Finds an account and counts an attempt to sign in to it, in one statement.
 * @param counting CTEs that count it with $1 to $4; the last one, `reserved`, has a row with
 *   `in_budget` if it is allowed
 */
export function createCountedSearch(counting: string) {
  const search = byEmailCounted(counting)
  return async (
    db: Db,
    values: readonly [sources: Buffer[], starts: number[], whole: Buffer, isKnown: boolean],
    email: string,
  ): Promise<CountedSearch> => {
    type Found = { in_budget: boolean } & (SignInRow | { [Name in keyof SignInRow]: null })
    const [row] = await db.query<Found>(search, [...values, email])
    return {
      isCounted: row !== undefined,
      isInBudget: row?.in_budget === true,
      account: row?.id == null ? undefined : row,
    }
  }
}

export async function findById(db: Db, id: string): Promise<AccountRow | undefined> {
  return (await db.query<AccountRow>(byId, [id]))[0]
}

/** Locks the account exclusively: no one else can change it or open a session until the end. */
export async function lockToChange(trx: Db, id: string): Promise<AccountRow | undefined> {
  return (await trx.query<AccountRow>(lockForChange, [id]))[0]
}

/** Locks the account against changes; concurrent holders are allowed. */
export async function lockToUse(trx: Db, id: string): Promise<AccountRow | undefined> {
  return (await trx.query<AccountRow>(lockForUse, [id]))[0]
}

export async function updateName(db: Db, id: string, name: string): Promise<AccountRow> {
  return (await db.query<AccountRow>(rename, [id, name]))[0] as AccountRow
}

/** @returns false if the account's credentials have changed since `version` */
export async function updatePassword(
  db: Db,
  id: string,
  { passwordHash, isInitial }: { passwordHash: string; isInitial: boolean },
  version: number,
): Promise<boolean> {
  return (await db.query(setPassword, [id, passwordHash, version, isInitial])).length > 0
}

/** Replaces the hash by one of the same password with other cost parameters. */
export async function replaceHash(
  db: Db,
  id: string,
  before: string,
  after: string,
): Promise<void> {
  await db.query(rehash, [id, before, after])
}

/**
 * Invalidates sign-ins that were proven but have no session yet. Locks the account until the end.
 */
export async function outdateSignIns(trx: Db, id: string): Promise<void> {
  await trx.query(outdate, [id])
}

/** @returns whether the status changed */
export async function updateStatus(
  db: Db,
  id: string,
  status: AccountRow['status'],
): Promise<boolean> {
  return (await db.query(setStatus, [id, status])).length > 0
}
