/** What the database knows of the state of the installation. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'

// Counts have a bound, so that the statement stays cheap when something has piled up.
export const readState = sql(
  'installation.state',
  `SELECT current_setting('server_version') AS version!,
     pg_database_size(current_database()) AS bytes!,
     (SELECT count(*) FROM (
        SELECT FROM mail_outbox WHERE status = 'queued' LIMIT 10000) AS m) AS mails_queued!,
     newest.kept AS mails_kept!, newest.failed AS mails_failed!,
     (SELECT coalesce(sum(cardinality(ids)), 0) FROM (
        SELECT ids FROM audit_queue LIMIT 10000) AS a) AS audit_entries_unchained!,
     (SELECT count(*) FROM domain_certificates
      WHERE not_after < now() + make_interval(days => $days)) AS certificates_ending!,
     (SELECT value FROM installation WHERE name = 'restored_backup') AS restored_backup
   FROM (SELECT count(*) FILTER (WHERE status = 'kept') AS kept,
           count(*) FILTER (WHERE status = 'failed') AS failed
         FROM (SELECT status FROM mail_outbox ORDER BY id DESC LIMIT 10000) AS m) AS newest`,
)
export type InstallationState = RowOf<typeof readState>
