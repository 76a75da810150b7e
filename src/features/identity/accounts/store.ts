/** Queries on accounts: people who sign in to the console. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { hasAuthenticator, hasFactor } from './factor-statements.ts'

/** For how long a password that the service made can be changed. */
export const INITIAL_PASSWORD_DAYS = 14
const initialUntil = (isInitial: string) =>
  `CASE WHEN ${isInitial} THEN now() + interval '${INITIAL_PASSWORD_DAYS} days' END`

const columns = `id, email, name, password_hash, sign_in_version, status, revision, created_at,
  installation_role,
  initial_password_until IS NOT NULL AS initial_password!,
  coalesce(initial_password_until <= now(), false) AS initial_password_expired!`

/** @returns undefined if another account has the address */
export const insertAccount = sql('users.insert')`
  INSERT INTO users (id, email, name, password_hash, initial_password_until)
  VALUES ($id, $email, $name, $passwordHash, ${initialUntil('$isInitial?')})
  ON CONFLICT (email) DO NOTHING RETURNING ${columns}`
/** @param email in canonical form */
export const findByEmail = sql('users.by_email')`
  SELECT ${columns}, ${hasAuthenticator} AS mfa!
  FROM users u WHERE email = $email`
/**
 * Finds an account and counts an attempt to sign in to it, in one statement. It returns no row if
 * the attempt must wait.
 * @param counting CTEs that count it; the last one, `reserved`, has a row with `in_budget` if it is
 *   allowed
 */
export const countedSearch = (counting: string) =>
  sql('users.by_email_counted')`
    WITH ${counting}
    SELECT reserved.in_budget AS in_budget!, u.* FROM reserved LEFT JOIN (
      ${findByEmail.source}
    ) AS u ON true`
export type SignInRow = RowOf<typeof findByEmail>
export type AccountRow = Omit<SignInRow, 'mfa'>

export const findById = sql('users.by_id')`SELECT ${columns} FROM users WHERE id = $id`
/** Locks the account exclusively: no one else can change it or open a session until the end. */
export const lockToChange = sql('users.lock_for_change')`${findById.source} FOR NO KEY UPDATE`
/** Locks the account against changes; concurrent holders are allowed. */
export const lockToUse = sql('users.lock_for_use')`${findById.source} FOR SHARE`
/** Also keeps others from adding rows that refer to the account, such as memberships. */
export const lockToErase = sql('users.lock_for_erasure')`
  SELECT id, email FROM users WHERE id = $id FOR UPDATE`
/** Sessions, factors, links and memberships go with it. */
export const deleteUser = sql('users.delete')`DELETE FROM users WHERE id = $id`
/** Registrations that the address was asked to confirm; the links of the account go with it. */
export const deleteLinksTo = sql('users.delete_links')`
  DELETE FROM one_time_links WHERE email = $email`
export const updateName = sql('users.rename')`
  UPDATE users SET name = $name, revision = revision + 1, updated_at = now()
  WHERE id = $id RETURNING ${columns}`
/** @returns false if the account's credentials have changed since `version` */
export const updatePassword = sql('users.set_password')`
  UPDATE users SET password_hash = $passwordHash,
    initial_password_until = ${initialUntil('$isInitial')},
                   sign_in_version = sign_in_version + 1,
                   revision = revision + 1, updated_at = now()
  WHERE id = $id AND sign_in_version = $signInVersion RETURNING id`
export const updateAddress = sql('users.set_email')`
  UPDATE users SET email = $email, revision = revision + 1, updated_at = now() WHERE id = $id`
/** @returns nothing if a password, an authenticator or a passkey was chosen */
export const personalize = sql('users.personalize')`
  UPDATE users u SET email = $email, name = $name, password_hash = $passwordHash,
    initial_password_until = NULL, sign_in_version = sign_in_version + 1,
    revision = revision + 1, updated_at = now()
  WHERE id = $id AND status = 'active' AND initial_password_until IS NOT NULL
    AND NOT ${hasFactor}
  RETURNING sign_in_version`
/** Replaces the hash by one of the same password with other cost parameters. */
export const replaceHash = sql('users.rehash')`
  UPDATE users SET password_hash = $to WHERE id = $id AND password_hash = $from`
/**
 * Invalidates sign-ins that were proven but have no session yet. Locks the account until the end.
 */
export const outdateSignIns = sql('users.outdate_sign_ins')`
  UPDATE users SET sign_in_version = sign_in_version + 1 WHERE id = $id`
/** Names and slugs of the workspaces that the account is a member of. */
export const findWorkspaceNames = sql('users.workspace_names')`
  SELECT w.name, w.slug FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
  WHERE m.user_id = $userId LIMIT 100`
/** @returns whether the role changed */
export const updateRole = sql('users.set_installation_role')`
  UPDATE users SET installation_role = $role?, revision = revision + 1, updated_at = now()
  WHERE id = $id AND installation_role IS DISTINCT FROM $role RETURNING id`
/** @returns whether the status changed */
export const updateStatus = sql('users.set_status')`
  UPDATE users SET status = $status, revision = revision + 1, updated_at = now()
  WHERE id = $id AND status <> $status RETURNING id`
