/** Queries on renewal advice. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'

// Takes due rows for a limited time; those of a killed process become due again.
/** Takes due certificates for `seconds`, after which they are due again unless settled. */
export const takeDueChecks = sql(
  'domain_certificates.take_renewal_looks',
  `UPDATE domain_certificates c SET renewal_look_at = now() + make_interval(secs => $seconds)
   FROM (SELECT workspace_id, domain_id FROM domain_certificates
         WHERE renew_at IS NOT NULL AND renewal_look_at <= now()
         ORDER BY renewal_look_at LIMIT $limit FOR UPDATE SKIP LOCKED) due
   WHERE c.workspace_id = due.workspace_id AND c.domain_id = due.domain_id
   RETURNING c.workspace_id, c.domain_id, c.id, c.chain, c.not_before, c.not_after,
             c.renew_at AS renew_at!`,
)
export type DueCheck = RowOf<typeof takeDueChecks>
// After a failed renewal its backoff applies, even if the authority says "now".
/** Stores when to renew the certificate, if it is still the one that was queried. */
export const settleCheck = sql(
  'domain_certificates.settle_renewal_look',
  `UPDATE domain_certificates c
   SET renewal_look_at = now() + make_interval(secs => $seconds),
       renew_at = CASE WHEN EXISTS (
         SELECT FROM acme_orders o
         WHERE o.workspace_id = c.workspace_id AND o.domain_id = c.domain_id AND o.is_renewal
           AND o.status = 'failed' AND o.created_at > c.created_at
       ) THEN renew_at ELSE to_timestamp($renewAt::float8 / 1000) END
   WHERE workspace_id = $workspaceId AND domain_id = $domainId AND id = $id
     AND renew_at IS NOT NULL`,
)
