/** Queries that append audit entries and append them into the chains. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import { type AuditEntryRow, auditColumns, type ChainHead, type ChainStart } from './store.ts'

const insertMany = statement(
  'audit_log.insert_many',
  `INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                          resource_id, request_id, address, detail)
   SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[],
                        $7::text[], $8::text[], $9::text[], $10::jsonb[])`,
)
const workspacesOf = statement(
  'audit_log.workspaces_of',
  `SELECT id, workspace_id FROM devices WHERE id = ANY($1::uuid[])
   UNION ALL
   SELECT id, workspace_id FROM mqtt_principals WHERE id = ANY($1::uuid[])
   UNION ALL
   SELECT id, workspace_id FROM moid_mqtt_logins WHERE id = ANY($1::uuid[])`,
)
// Skips from workspace to workspace in the index of unchained entries.
const pending = statement(
  'audit_log.pending',
  `WITH RECURSIVE pending AS (
     (SELECT workspace_id FROM audit_log
      WHERE seq IS NULL AND (workspace_id, id) > ($1::uuid, $2::uuid)
      ORDER BY workspace_id, id LIMIT 1)
     UNION ALL
     SELECT (SELECT a.workspace_id FROM audit_log a
             WHERE a.seq IS NULL AND a.workspace_id > p.workspace_id
             ORDER BY a.workspace_id LIMIT 1)
     FROM pending p WHERE p.workspace_id IS NOT NULL
   )
   SELECT workspace_id FROM pending WHERE workspace_id IS NOT NULL LIMIT $3`,
)
// A chain that lost its head must not restart: it stays unchained, and verification explains why.
const beginChains = statement(
  'audit_chains.begin',
  `INSERT INTO audit_chains (workspace_id, seq, hash, mac, sealed_at)
   SELECT w.id, 0, w.hash, w.mac, now()
   FROM unnest($1::uuid[], $2::bytea[], $3::bytea[]) AS w (id, hash, mac)
   WHERE NOT EXISTS (SELECT FROM audit_chains c WHERE c.workspace_id = w.id)
     AND NOT EXISTS (SELECT FROM audit_log a WHERE a.workspace_id = w.id AND a.seq IS NOT NULL)
   ORDER BY w.id
   ON CONFLICT (workspace_id) DO NOTHING`,
)
const lockChains = statement(
  'audit_chains.lock',
  `SELECT workspace_id, seq, hash, mac FROM audit_chains
   WHERE workspace_id = ANY($1::uuid[]) ORDER BY workspace_id FOR UPDATE SKIP LOCKED`,
)
const newestRoot = statement(
  'audit_chains.newest_root',
  'SELECT coalesce(max(number), 1)::int AS number FROM root_keys WHERE active_from <= now()',
)
const lockFrom = statement(
  'audit_chains.lock_from',
  `SELECT workspace_id, seq, hash, mac, pruned_seq, pruned_hash, pruned_mac FROM audit_chains
   WHERE workspace_id >= $1 ORDER BY workspace_id LIMIT $2 FOR UPDATE`,
)
const renewMacs = statement(
  'audit_chains.renew',
  'UPDATE audit_chains SET mac = $2, pruned_mac = $3 WHERE workspace_id = $1',
)
const unsealed = statement(
  'audit_log.unsealed',
  `SELECT e.* FROM unnest($1::uuid[]) AS w (id) CROSS JOIN LATERAL (
     SELECT ${auditColumns} FROM audit_log
     WHERE workspace_id = w.id AND seq IS NULL ORDER BY id LIMIT $2
   ) AS e`,
)
const seal = statement(
  'audit_log.seal',
  `UPDATE audit_log a SET seq = s.seq, hash = s.hash
   FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[]) AS s (workspace_id, id, seq, hash)
   WHERE a.workspace_id = s.workspace_id AND a.id = s.id AND a.seq IS NULL
   RETURNING 1`,
)
const moveHeads = statement(
  'audit_chains.move',
  `UPDATE audit_chains c SET seq = h.seq, hash = h.hash, mac = h.mac, sealed_at = now()
   FROM unnest($1::uuid[], $2::bigint[], $3::bytea[], $4::bytea[]) AS h (workspace_id, seq, hash, mac)
   WHERE c.workspace_id = h.workspace_id`,
)

/** The number of the newest root key that is in use. */
export const readNewestRoot = async (trx: Db): Promise<number> =>
  (await trx.query<{ number: number }>(newestRoot))[0]?.number ?? 1

/** Transposes rows into one array per member, for `unnest`. */
const transposed = <Row>(rows: readonly Row[], ...names: readonly (keyof Row)[]): unknown[][] =>
  names.map((name) => rows.map((row) => row[name]))

export interface NewEntry {
  workspaceId: string
  id: string
  actorKind: string
  actorId: string | null
  action: string
  resourceKind: string | null
  resourceId: string | null
  requestId: string | null
  address: string | null
  /** A JSON text. */
  detail: string
}

export async function insertEntries(db: Db, entries: readonly NewEntry[]): Promise<void> {
  await db.query(
    insertMany,
    transposed(
      entries,
      'workspaceId',
      'id',
      'actorKind',
      'actorId',
      'action',
      'resourceKind',
      'resourceId',
      'requestId',
      'address',
      'detail',
    ),
  )
}

const NIL = '00000000-0000-0000-0000-000000000000'
const MAX = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Workspaces with unchained entries, in order; after `after` if given. */
export async function findPending(
  db: Db,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const values = [after ?? NIL, after === undefined ? NIL : MAX, limit]
  const rows = await db.query<{ workspace_id: string }>(pending, values)
  return rows.map((row) => row.workspace_id)
}

/** Starts missing chains. `seq` of these heads must be 0. */
export async function insertHeads(db: Db, heads: readonly ChainHead[]): Promise<void> {
  await db.query(beginChains, transposed(heads, 'workspace_id', 'hash', 'mac'))
}

/** Heads that no other sealer has locked, locked until the transaction ends. */
export const lockHeads = (db: Db, workspaceIds: readonly string[]): Promise<ChainHead[]> =>
  db.query(lockChains, [workspaceIds])

/** The oldest unchained entries, at most `limit` per workspace, by id. */
export const findUnsealed = (
  db: Db,
  workspaceIds: readonly string[],
  limit: number,
): Promise<AuditEntryRow[]> => db.query(unsealed, [workspaceIds, limit])

export interface Seal {
  workspaceId: string
  id: string
  seq: number
  hash: Buffer
}

/** @returns the number of chained entries; already chained ones are left alone */
export async function writeSeals(db: Db, seals: readonly Seal[]): Promise<number> {
  const rows = await db.query(seal, transposed(seals, 'workspaceId', 'id', 'seq', 'hash'))
  return rows.length
}

export async function updateHeads(db: Db, heads: readonly ChainHead[]): Promise<void> {
  await db.query(moveHeads, transposed(heads, 'workspace_id', 'seq', 'hash', 'mac'))
}

/** Workspaces of devices, MQTT principals and phone logins, by their UUIDs. */
export async function findWorkspacesOf(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; workspace_id: string }>(workspacesOf, [ids])
  return new Map(rows.map((row) => [row.id, row.workspace_id]))
}

export type WholeChain = ChainHead & ChainStart

/** Chains from a workspace on, in order, and locked. */
export const lockChainsFrom = (trx: Db, from: string, limit: number): Promise<WholeChain[]> =>
  trx.query<WholeChain>(lockFrom, [from, limit])

export async function updateMacs(
  trx: Db,
  workspaceId: string,
  head: Buffer,
  start: Buffer | null,
): Promise<void> {
  await trx.query(renewMacs, [workspaceId, head, start])
}
