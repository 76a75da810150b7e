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

/** What is read of an entry. */
export const auditColumns = `workspace_id, id, occurred_at, actor_kind, actor_id, action, resource_kind,
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
    `SELECT ${auditColumns} FROM audit_log WHERE workspace_id = $1${where.join('')}
     ORDER BY id DESC LIMIT $2`,
  )
  pages.set(key, made)
  return made
}

// One snapshot: head and entries are sealed together, so an entry beyond the head is a forged one.
const headState = statement(
  'audit_chains.state',
  `SELECT c.seq, c.hash, c.mac, w.id AS workspace_id, coalesce(c.pruned_seq, 0) AS pruned_seq,
          c.pruned_hash, c.pruned_mac,
          (SELECT min(a.seq) FROM audit_log a
           WHERE a.workspace_id = w.id AND a.seq > coalesce(c.seq, 0)) AS beyond,
          (SELECT count(*) FROM audit_log a
           WHERE a.workspace_id = w.id AND a.seq IS NULL) AS unsealed
   FROM (SELECT $1::uuid AS id) AS w LEFT JOIN audit_chains c ON c.workspace_id = w.id`,
)
const sealedBatch = statement(
  'audit_log.sealed_batch',
  `SELECT ${auditColumns} FROM audit_log
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

export interface ChainHead {
  workspace_id: string
  seq: number
  hash: Buffer
  mac: Buffer
}

/** Where a chain begins since what was before has been deleted. */
export interface ChainStart {
  workspace_id: string
  /** The last entry that is gone; 0: none. */
  pruned_seq: number
  pruned_hash: Buffer | null
  pruned_mac: Buffer | null
}

export interface HeadState extends ChainStart {
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
