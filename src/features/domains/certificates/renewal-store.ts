/** Queries on renewal advice. */
import { type Db, statement } from '../../../platform/database/connect.ts'

// Takes due rows for a limited time; those of a killed process become due again.
const takeDue = statement(
  'domain_certificates.take_renewal_looks',
  `UPDATE domain_certificates c SET renewal_look_at = now() + make_interval(secs => $2)
   FROM (SELECT workspace_id, domain_id FROM domain_certificates
         WHERE renew_at IS NOT NULL AND renewal_look_at <= now()
         ORDER BY renewal_look_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
   WHERE c.workspace_id = due.workspace_id AND c.domain_id = due.domain_id
   RETURNING c.workspace_id, c.domain_id, c.id, c.chain, c.not_before, c.not_after, c.renew_at`,
)
// After a failed renewal its backoff applies, even if the authority says "now".
const settle = statement(
  'domain_certificates.settle_renewal_look',
  `UPDATE domain_certificates c
   SET renewal_look_at = now() + make_interval(secs => $4),
       renew_at = CASE WHEN EXISTS (
         SELECT FROM acme_orders o
         WHERE o.workspace_id = c.workspace_id AND o.domain_id = c.domain_id AND o.is_renewal
           AND o.status = 'failed' AND o.created_at > c.created_at
       ) THEN renew_at ELSE to_timestamp($5::float8 / 1000) END
   WHERE workspace_id = $1 AND domain_id = $2 AND id = $3 AND renew_at IS NOT NULL`,
)

export interface DueCheck {
  workspace_id: string
  domain_id: string
  /** The certificate's id. */
  id: string
  chain: string
  not_before: number
  not_after: number
  renew_at: number
}

/** Takes due certificates for `seconds`, after which they are due again unless settled. */
export const takeDueChecks = (db: Db, most: number, seconds: number): Promise<DueCheck[]> =>
  db.query(takeDue, [most, seconds])

/** Stores when to renew the certificate, if it is still the one that was queried. */
export async function settleCheck(
  db: Db,
  { workspace_id, domain_id, id }: DueCheck,
  { renewAt, nextInSeconds }: { renewAt: number; nextInSeconds: number },
): Promise<void> {
  await db.query(settle, [workspace_id, domain_id, id, nextInSeconds, renewAt])
}
