/** Queries on links that work once. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'

/** Whether the first owner has neither used the link of the first start nor chosen a password. */
export const openSetup = sql('one_time_links.open_setup')`
  SELECT l.id FROM one_time_links l JOIN users u ON u.id = l.user_id
  WHERE l.purpose = 'setup' AND l.used_at IS NULL AND u.initial_password_until IS NOT NULL`
/** Whether the link of the first start was used. */
export const usedSetup = sql('one_time_links.used_setup')`
  SELECT id FROM one_time_links WHERE purpose = 'setup' AND used_at IS NOT NULL`
/** Until the end of the transaction: links for an address are counted one after another. */
export const lockAddress = sql('one_time_links.lock_address')`
  SELECT pg_advisory_xact_lock(hashtextextended('one_time_links ' || $email, 0))::text`
/** @returns nothing once there are `max` of this purpose for the address within an hour */
export const insertLink = sql('one_time_links.insert')`
  INSERT INTO one_time_links (id, purpose, token_hash, email, user_id, sign_in_version, expires_at,
                              used_at)
  SELECT $id, $purpose, $tokenHash, $email, $userId?, $version?,
         now() + make_interval(secs => $lifetimeSeconds?), CASE WHEN $isNotice THEN now() END
  WHERE (SELECT count(*) FROM one_time_links
         WHERE email = $email AND purpose = $purpose AND created_at > now() - interval '1 hour'
        ) < $max::int
  RETURNING id`
const isOpen = `purpose = $purpose AND token_hash = $tokenHash AND used_at IS NULL
     AND (expires_at IS NULL OR expires_at > now())`
const columns = 'email, user_id, sign_in_version'
export const findOpenLink = sql('one_time_links.find_open')`
  SELECT ${columns} FROM one_time_links WHERE ${isOpen}`
export type LinkRow = RowOf<typeof findOpenLink>
/** @returns the link for one of concurrent callers, and nothing for the others */
export const useOpenLink = sql('one_time_links.use')`
  UPDATE one_time_links SET used_at = now() WHERE ${isOpen} RETURNING ${columns}`
export const deleteOldLinks = sql('one_time_links.delete_old')`
  DELETE FROM one_time_links WHERE created_at <= now() - interval '30 days' AND purpose <> 'setup'`
