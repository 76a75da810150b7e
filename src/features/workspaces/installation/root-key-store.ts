/** Queries on root keys, and on what is left of earlier ones. */
import { isAlive } from '../../../platform/database/node-life.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql, unnested } from '../../../platform/database/sql.ts'

export const readRootKeys = sql('root_keys.read')`
  SELECT number, master_key, sealed, active_from <= now() AS is_active!
  FROM root_keys ORDER BY number, active_from, master_key`
export const insertRootKeys = sql('root_keys.insert')`
  INSERT INTO root_keys (number, master_key, sealed, active_from)
  SELECT number, $masterKey, sealed,
    coalesce(now() + make_interval(secs => after), '-infinity')
  FROM ${unnested('r', 'number smallint, sealed bytea, after integer')}`
export const removeOtherSlots = sql('root_keys.remove_others')`
  DELETE FROM root_keys WHERE master_key <> $masterKey`
export type RootKeyRow = RowOf<typeof readRootKeys>

/** Numbers below which MACs are refused; a use without one accepts all. */
export const readOldestRoots = sql('root_keys.oldest')`
  SELECT substr(name, 13) AS use!, value::int AS number! FROM installation
  WHERE name LIKE 'oldest\\_root:%'`
export const writeOldestRoot = sql('root_keys.write_oldest')`
  INSERT INTO installation (name, value) VALUES ('oldest_root:' || $use, $number::int::text)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`
/** Notes which master key a process was started with. */
export const noteMasterKey = sql('root_keys.note')`
  UPDATE nodes SET master_key = $masterKey WHERE id = $id AND master_key IS DISTINCT
    FROM $masterKey`
export const countLiveNodes = sql('root_keys.live_nodes')`
  SELECT count(*)::int AS all,
    count(*) FILTER (WHERE master_key IS DISTINCT FROM $masterKey)::int AS others
  FROM nodes WHERE ${isAlive('nodes')}`
// The newest root key may be in use for a moment less than its time says.
/** Live sessions whose tokens may be of an earlier root key. */
export const countOlderSessions = sql('root_keys.older_sessions')`
  WITH since AS (SELECT max(active_from) + interval '15 seconds' AS at FROM root_keys)
  SELECT (SELECT count(*) FROM user_sessions, since
          WHERE rotated_at < at AND ended_at IS NULL AND expires_at > now())::int AS people!,
         (SELECT count(*) FROM moid_sessions, since
          WHERE rotated_at < at AND ended_at IS NULL AND expires_at > now())::int AS phones!`

const waiting = sql('root_keys.waiting')`
  SELECT greatest(0, ceil(extract(epoch FROM max(active_from) - now())))::int AS seconds
  FROM root_keys`

export interface NewRootKey {
  number: number
  sealed: Buffer
  /** Seconds until it may be used; null if it was in use before any was stored. */
  after: number | null
}

/** Seconds until the newest root key is used. */
export const secondsUntilActive = async (db: Db): Promise<number> =>
  (await waiting.one(db)).seconds ?? 0
