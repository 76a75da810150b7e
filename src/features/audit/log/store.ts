/** Queries on the audit log and its hash chain. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

export type AuditEntryRow = RowOf<typeof readEncrypted>

/** The columns of an entry. */
export const auditColumns = `workspace_id, id, occurred_at, actor_kind, actor_id, action, resource_kind,
  resource_id, request_id, address, detail, seq, hash`

export const pageOfAuditLog = filteredList<AuditEntryRow>({
  columns: auditColumns,
  table: 'audit_log',
  fields: {
    actor: { sql: 'actor_id', isIndexed: true },
    action: { sql: 'action', isIndexed: true },
    resource: { sql: 'resource_id', isIndexed: true },
    request_id: { sql: 'request_id' },
    address: { sql: 'address' },
    occurred_at: { sql: 'occurred_at', isTimeOfId: true },
  },
})

/** UUIDs around the times, and the times themselves in RFC 3339. */
export interface AuditFilters {
  since?: string
  before?: string
  from?: string
  to?: string
}

// One snapshot: head and entries are appended to the chain together, so an entry beyond the head is
// forged.
export const readHeadState = sql(
  'audit_chains.state',
  `SELECT c.seq, c.hash, c.mac, w.id AS workspace_id!, coalesce(c.pruned_seq, 0) AS pruned_seq!,
          c.pruned_hash, c.pruned_mac,
          (SELECT min(a.seq) FROM audit_log a
           WHERE a.workspace_id = w.id AND a.seq > coalesce(c.seq, 0)) AS beyond,
          (SELECT count(*) FROM audit_log a
           WHERE a.workspace_id = w.id AND a.seq IS NULL) AS unsealed!
   FROM (SELECT $workspaceId::uuid AS id) AS w LEFT JOIN audit_chains c ON c.workspace_id = w.id`,
)
/** Chained entries from one sequence number to another, both inclusive, in chain order. */
export const readEncrypted = sql(
  'audit_log.sealed_batch',
  `SELECT ${auditColumns} FROM audit_log
   WHERE workspace_id = $workspaceId AND seq >= $from AND seq <= $to ORDER BY seq LIMIT $limit`,
)

export interface ChainHead {
  workspace_id: string
  seq: number
  hash: Buffer
  mac: Buffer
}

/** The start of a chain whose earlier entries were deleted. */
export interface ChainStart {
  workspace_id: string
  /** The last deleted entry; 0: none. */
  pruned_seq: number
  pruned_hash: Buffer | null
  pruned_mac: Buffer | null
}

export interface HeadState extends ChainStart {
  seq: number | null
  hash: Buffer | null
  mac: Buffer | null
  /** The first entry that claims a sequence number after the head. */
  beyond: number | null
  unsealed: number
}
