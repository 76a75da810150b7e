/** Queries on root keys, and on what is left of earlier ones. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import type { RenewedUse } from '../../../platform/access/keyring.ts'

export interface RootKeyRow {
  number: number
  /** Fingerprint of the master key that it is encrypted under. */
  master_key: string
  sealed: Buffer
  is_active: boolean
}

const read = statement(
  'root_keys.read',
  `SELECT number, master_key, sealed, active_from <= now() AS is_active
   FROM root_keys ORDER BY number, active_from, master_key`,
)
const insert = statement(
  'root_keys.insert',
  `INSERT INTO root_keys (number, master_key, sealed, active_from)
   SELECT number, $1, sealed, coalesce(now() + make_interval(secs => after), '-infinity')
   FROM unnest($2::smallint[], $3::bytea[], $4::integer[]) AS r (number, sealed, after)`,
)
const removeOthers = statement(
  'root_keys.remove_others',
  'DELETE FROM root_keys WHERE master_key <> $1',
)
const readOldest = statement(
  'root_keys.oldest',
  `SELECT substr(name, 13) AS use, value::int AS number FROM installation
   WHERE name LIKE 'oldest\\_root:%'`,
)
const writeOldest = statement(
  'root_keys.write_oldest',
  `INSERT INTO installation (name, value) VALUES ('oldest_root:' || $1, $2::text)
   ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
)
const note = statement(
  'root_keys.note',
  'UPDATE nodes SET master_key = $2 WHERE id = $1 AND master_key IS DISTINCT FROM $2',
)
const live = statement(
  'root_keys.live_nodes',
  `SELECT count(*)::int AS all,
     count(*) FILTER (WHERE master_key IS DISTINCT FROM $1)::int AS others
   FROM nodes WHERE beat_at > now() - interval '15 seconds'`,
)
// The newest root key may be in use for a moment less than its time says.
const olderSessions = statement(
  'root_keys.older_sessions',
  `WITH since AS (SELECT max(active_from) + interval '15 seconds' AS at FROM root_keys)
   SELECT (SELECT count(*) FROM user_sessions, since
           WHERE rotated_at < at AND ended_at IS NULL AND expires_at > now())::int AS people,
          (SELECT count(*) FROM moid_sessions, since
           WHERE rotated_at < at AND ended_at IS NULL AND expires_at > now())::int AS phones`,
)

const waiting = statement(
  'root_keys.waiting',
  `SELECT greatest(0, ceil(extract(epoch FROM max(active_from) - now())))::int AS seconds
   FROM root_keys`,
)

export const readRootKeys = (db: Db): Promise<RootKeyRow[]> => db.query<RootKeyRow>(read)

export interface NewRootKey {
  number: number
  sealed: Buffer
  /** Seconds until it may be used; null if it was in use before any was stored. */
  after: number | null
}

export async function insertRootKeys(
  trx: Db,
  masterKey: string,
  rows: readonly NewRootKey[],
): Promise<void> {
  const columns = (['number', 'sealed', 'after'] as const).map((name) =>
    rows.map((row) => row[name]),
  )
  await trx.query(insert, [masterKey, ...columns])
}

export async function removeOtherSlots(trx: Db, masterKey: string): Promise<void> {
  await trx.query(removeOthers, [masterKey])
}

/** Numbers below which MACs are refused; a use without one accepts all. */
export async function readOldestRoots(db: Db): Promise<Partial<Record<RenewedUse, number>>> {
  const rows = await db.query<{ use: RenewedUse; number: number }>(readOldest)
  return Object.fromEntries(rows.map(({ use, number }) => [use, number]))
}

export async function writeOldestRoot(trx: Db, use: RenewedUse, number: number): Promise<void> {
  await trx.query(writeOldest, [use, number])
}

/** Notes which master key a process was started with. */
export async function noteMasterKey(db: Db, nodeId: string, masterKey: string): Promise<void> {
  await db.query(note, [nodeId, masterKey])
}

export interface LiveNodes {
  all: number
  /** Processes that were started with another master key. */
  others: number
}

export const countLiveNodes = async (db: Db, masterKey: string): Promise<LiveNodes> =>
  (await db.query<LiveNodes>(live, [masterKey]))[0] as LiveNodes

/** Seconds until the newest root key is used. */
export const secondsUntilActive = async (db: Db): Promise<number> =>
  (await db.query<{ seconds: number | null }>(waiting))[0]?.seconds ?? 0

export interface OlderSessions {
  people: number
  phones: number
}

/** Live sessions whose tokens may be of an earlier root key. */
export const countOlderSessions = async (db: Db): Promise<OlderSessions> =>
  (await db.query<OlderSessions>(olderSessions))[0] as OlderSessions
