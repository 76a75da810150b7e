/** Queries on the audit log and on the hash chain that it is sealed into. */
import { type Db, type Statement, statement } from '../../database/connect.ts'

export interface AuditEntryRow {
  workspace_id: string
  id: string
  /** Milliseconds since the epoch. */
  occurred_at: number
  actor_kind: string
  actor_id: string | null
  action: string
  resource_kind: string | null
  resource_id: string | null
  request_id: string | null
  address: string | null
  detail: Record<string, unknown>
  seq: number | null
  hash: Buffer | null
}

const columns = `workspace_id, id, occurred_at, actor_kind, actor_id, action, resource_kind,
  resource_id, request_id, address, detail, seq, hash`

/** The conditions that a list can have beside its workspace; `$2` is the limit. */
const conditions = {
  after: (at: string) => `id < ${at}::uuid`,
  before: (at: string) => `id < ${at}::uuid`,
  since: (at: string) => `id >= ${at}::uuid`,
  actor: (at: string) => `actor_id = ${at}`,
  action: (at: string) => `action = ${at}`,
  resource: (at: string) => `resource_id = ${at}`,
  from: (at: string) => `occurred_at >= ${at}`,
  to: (at: string) => `occurred_at < ${at}`,
} as const

export type AuditFilters = Partial<Record<keyof typeof conditions, string>>

const pages = new Map<string, Statement>()

/** A statement for each set of filters: one for all of them could use no index. */
function pageStatement(names: readonly (keyof typeof conditions)[]): Statement {
  const key = names.join('_')
  const known = pages.get(key)
  if (known !== undefined) return known
  const where = names.map((name, index) => ` AND ${conditions[name](`$${index + 3}`)}`)
  const made = statement(
    `audit_log.page.${key}`,
    `SELECT ${columns} FROM audit_log WHERE workspace_id = $1${where.join('')}
     ORDER BY id DESC LIMIT $2`,
  )
  pages.set(key, made)
  return made
}

const insertMany = statement(
  'audit_log.insert_many',
  `INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, request_id, address, detail)
   SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[],
                        $7::text[], $8::jsonb[])`,
)
// Hops from workspace to workspace through the index of what is unsealed.
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
// A chain that has lost its head must not begin anew: it stays unsealed, and verify says why.
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
const unsealed = statement(
  'audit_log.unsealed',
  `SELECT e.* FROM unnest($1::uuid[]) AS w (id) CROSS JOIN LATERAL (
     SELECT ${columns} FROM audit_log
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
// One snapshot: head and entries are sealed together, so an entry beyond the head is a forged one.
const headState = statement(
  'audit_chains.state',
  `SELECT c.seq, c.hash, c.mac,
          (SELECT min(a.seq) FROM audit_log a
           WHERE a.workspace_id = w.id AND a.seq > coalesce(c.seq, 0)) AS beyond,
          (SELECT count(*) FROM audit_log a
           WHERE a.workspace_id = w.id AND a.seq IS NULL) AS unsealed
   FROM (SELECT $1::uuid AS id) AS w LEFT JOIN audit_chains c ON c.workspace_id = w.id`,
)
const sealedBatch = statement(
  'audit_log.sealed_batch',
  `SELECT ${columns} FROM audit_log
   WHERE workspace_id = $1 AND seq >= $2 AND seq <= $3 ORDER BY seq LIMIT $4`,
)

/** Newest first. `after`, `before` and `since` are UUIDs, `from` and `to` RFC 3339 times. */
export function pageOfAuditLog(
  db: Db,
  workspaceId: string,
  filters: AuditFilters,
  limit: number,
): Promise<AuditEntryRow[]> {
  const names = (Object.keys(conditions) as (keyof typeof conditions)[]).filter(
    (name) => filters[name] !== undefined,
  )
  const values = names.map((name) => filters[name])
  return db.query(pageStatement(names), [workspaceId, limit, ...values])
}

/** Rows as one array for each of their members, for `unnest`. */
const turned = <Row>(rows: readonly Row[], ...names: readonly (keyof Row)[]): unknown[][] =>
  names.map((name) => rows.map((row) => row[name]))

export interface NewEntry {
  workspaceId: string
  id: string
  actorKind: string
  actorId: string | null
  action: string
  requestId: string | null
  address: string | null
  /** A JSON text. */
  detail: string
}

export async function insertEntries(db: Db, entries: readonly NewEntry[]): Promise<void> {
  await db.query(
    insertMany,
    turned(
      entries,
      'workspaceId',
      'id',
      'actorKind',
      'actorId',
      'action',
      'requestId',
      'address',
      'detail',
    ),
  )
}

const NIL = '00000000-0000-0000-0000-000000000000'
const MAX = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Workspaces with unsealed entries, in order; those beyond `after`, if it is given. */
export async function findPending(
  db: Db,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const values = [after ?? NIL, after === undefined ? NIL : MAX, limit]
  const rows = await db.query<{ workspace_id: string }>(pending, values)
  return rows.map((row) => row.workspace_id)
}

export interface ChainHead {
  workspace_id: string
  seq: number
  hash: Buffer
  mac: Buffer
}

/** Begins the chains that the workspaces have not yet. `seq` of these heads must be 0. */
export async function insertHeads(db: Db, heads: readonly ChainHead[]): Promise<void> {
  await db.query(beginChains, turned(heads, 'workspace_id', 'hash', 'mac'))
}

/** The heads that no other sealer holds, locked until the transaction ends. */
export const lockHeads = (db: Db, workspaceIds: readonly string[]): Promise<ChainHead[]> =>
  db.query(lockChains, [workspaceIds])

/** The oldest unsealed entries: at most `limit` of each workspace, by id. */
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

/** @returns how many entries were sealed; one that has its seal already is left alone. */
export async function writeSeals(db: Db, seals: readonly Seal[]): Promise<number> {
  const rows = await db.query(seal, turned(seals, 'workspaceId', 'id', 'seq', 'hash'))
  return rows.length
}

export async function updateHeads(db: Db, heads: readonly ChainHead[]): Promise<void> {
  await db.query(moveHeads, turned(heads, 'workspace_id', 'seq', 'hash', 'mac'))
}

export interface HeadState {
  seq: number | null
  hash: Buffer | null
  mac: Buffer | null
  /** The first entry that claims a place after the head. */
  beyond: number | null
  unsealed: number
}

export async function readHeadState(db: Db, workspaceId: string): Promise<HeadState> {
  return (await db.query<HeadState>(headState, [workspaceId]))[0] as HeadState
}

/** Sealed entries from one place to another, both included, in the chain's order. */
export const readSealed = (
  db: Db,
  workspaceId: string,
  from: number,
  to: number,
  limit: number,
): Promise<AuditEntryRow[]> => db.query(sealedBatch, [workspaceId, from, to, limit])
