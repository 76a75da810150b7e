/** Reads how large the audit log is, without counting its entries. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface AuditLogExtent {
  /** Of all workspaces; estimated when the table was last analyzed. */
  entries: number
  bytes: number
}

const extent = statement(
  'audit_log.extent',
  `SELECT greatest(reltuples, 0)::float8 AS entries, pg_total_relation_size(oid)::float8 AS bytes
   FROM pg_class WHERE oid = 'audit_log'::regclass`,
)

export async function readExtent(db: Db): Promise<AuditLogExtent> {
  const [row] = await db.query<AuditLogExtent>(extent)
  return row as AuditLogExtent
}
