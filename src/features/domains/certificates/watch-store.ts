/** Queries on expiring certificates. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import type { CertificateRow } from './store.ts'

const due = statement(
  'domain_certificates.due',
  `SELECT c.workspace_id, c.domain_id, c.challenge, d.name
   FROM domain_certificates c
   JOIN domains d ON d.workspace_id = c.workspace_id AND d.id = c.domain_id
   WHERE c.renew_at <= now() AND d.status = 'verified' AND NOT EXISTS (
     SELECT FROM acme_orders o
     WHERE o.workspace_id = c.workspace_id AND o.domain_id = c.domain_id AND o.ended_at IS NULL)
   ORDER BY c.renew_at LIMIT $1`,
)
// The smallest threshold that the expiry has crossed, if it is new.
const warn = statement(
  'domain_certificates.warn',
  `WITH near AS (
     SELECT c.workspace_id, c.domain_id,
       (SELECT min(days) FROM unnest($1::integer[]) days
        WHERE c.not_after <= now() + make_interval(days => days)) AS days
     FROM domain_certificates c
     JOIN domains d ON d.workspace_id = c.workspace_id AND d.id = c.domain_id
     WHERE c.not_after <= now() + make_interval(days => $2)
       AND (c.source = 'upload' OR $3 OR d.status = 'lapsed')
       AND (c.warned_days IS NULL OR c.not_after <= now() + make_interval(days => (
         SELECT max(days) FROM unnest($1::integer[]) days WHERE days < c.warned_days)))
     ORDER BY c.not_after LIMIT $4 FOR UPDATE OF c SKIP LOCKED
   )
   UPDATE domain_certificates c SET warned_days = near.days
   FROM near, domains d
   WHERE c.workspace_id = near.workspace_id AND c.domain_id = near.domain_id
     AND d.workspace_id = c.workspace_id AND d.id = c.domain_id
   RETURNING c.workspace_id, c.domain_id, c.source, c.serial_number, c.fingerprint, c.not_after,
             near.days, d.name, d.status`,
)

export interface DueCertificate {
  workspace_id: string
  domain_id: string
  challenge: 'http-01' | 'dns-01'
  name: string
}

export const findDueCertificates = (db: Db, most: number): Promise<DueCertificate[]> =>
  db.query(due, [most])

export interface EndingCertificate extends CertificateRow {
  days: number
  name: string
  /** The domain's status. */
  status: 'verified' | 'lapsed'
}

/**
 * Records which certificates have crossed the next of `steps`, in days, and were not warned about.
 * @param all also those renewed by ACME, except of lapsed domains
 */
export const noteEnding = (
  db: Db,
  steps: readonly number[],
  all: boolean,
  most: number,
): Promise<EndingCertificate[]> => db.query(warn, [steps, Math.max(...steps), all, most])
