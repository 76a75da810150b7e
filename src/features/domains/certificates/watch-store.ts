/** Queries on expiring certificates. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export const findDueCertificates = sql(
  'domain_certificates.due',
  `SELECT c.workspace_id, c.domain_id, c.challenge AS challenge!, d.name
   FROM domain_certificates c
   JOIN domains d ON d.workspace_id = c.workspace_id AND d.id = c.domain_id
   WHERE c.renew_at <= now() AND d.status = 'verified' AND NOT EXISTS (
     SELECT FROM acme_orders o
     WHERE o.workspace_id = c.workspace_id AND o.domain_id = c.domain_id AND o.ended_at IS NULL)
   ORDER BY c.renew_at LIMIT $limit`,
)
// The smallest threshold that the expiry has crossed, if it is new.
const warn = sql(
  'domain_certificates.warn',
  `WITH near AS (
     SELECT c.workspace_id, c.domain_id,
       (SELECT min(days) FROM unnest($warnDays::integer[]) days
        WHERE c.not_after <= now() + make_interval(days => days)) AS days!
     FROM domain_certificates c
     JOIN domains d ON d.workspace_id = c.workspace_id AND d.id = c.domain_id
     WHERE c.not_after <= now() + make_interval(days => $withinDays)
       AND (c.source = 'upload' OR $isAll OR d.status = 'lapsed')
       AND (c.warned_days IS NULL OR c.not_after <= now() + make_interval(days => (
         SELECT max(days) FROM unnest($warnDays::integer[]) days WHERE days < c.warned_days)))
     ORDER BY c.not_after LIMIT $limit FOR UPDATE OF c SKIP LOCKED
   )
   UPDATE domain_certificates c SET warned_days = near.days
   FROM near, domains d
   WHERE c.workspace_id = near.workspace_id AND c.domain_id = near.domain_id
     AND d.workspace_id = c.workspace_id AND d.id = c.domain_id
   RETURNING c.workspace_id, c.domain_id, c.source, c.serial_number, c.fingerprint, c.not_after,
             near.days, d.name, d.status`,
)
export type EndingCertificate = RowOf<typeof warn>

/**
 * Records which certificates have crossed the next of `steps`, in days, and were not warned about.
 * @param all also those renewed by ACME, except of lapsed domains
 */
export const noteEnding = (
  db: Db,
  steps: readonly number[],
  all: boolean,
  most: number,
): Promise<EndingCertificate[]> =>
  warn.rows(db, { warnDays: steps, withinDays: Math.max(...steps), isAll: all, limit: most })
