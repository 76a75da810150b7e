/** Reads how large the audit log is, without counting its entries. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export type AuditLogExtent = RowOf<typeof readExtent>

export const readExtent = sql(
  'audit_log.extent',
  `SELECT greatest(reltuples, 0)::float8 AS entries!, pg_total_relation_size(oid)::float8 AS bytes!
   FROM pg_class WHERE oid = 'audit_log'::regclass`,
)
