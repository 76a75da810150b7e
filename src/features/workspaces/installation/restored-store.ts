/** Queries on what must not be as it was at the time of a restored backup. */
import { sql } from '../../../platform/database/sql.ts'

export const skipEvents = sql(
  'restored.skip_events',
  "SELECT setval('events_seq', nextval('events_seq') + $count::bigint)",
)
export const skipSerials = sql(
  'restored.skip_serials',
  'UPDATE template_serials SET next = next + $count',
)
export const skipInvoices = sql(
  'restored.skip_invoices',
  'UPDATE invoice_numbers SET last = last + $count',
)
export const endUserSessions = sql(
  'restored.end_user_sessions',
  `UPDATE user_sessions SET ended_at = now(), end_reason = 'backup_restored'
   WHERE ended_at IS NULL`,
)
export const endPhoneSessions = sql(
  'restored.end_phone_sessions',
  `UPDATE moid_sessions SET ended_at = now(), end_reason = 'backup_restored'
   WHERE ended_at IS NULL`,
)
export const noteRestore = sql(
  'restored.note',
  `INSERT INTO installation (name, value) VALUES ('restored_backup', $value)
   ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
)
