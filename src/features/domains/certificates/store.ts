/** Queries on domains' certificates. */
import { isAlive } from '../../../platform/database/node-life.ts'
import { NIL_UUID } from '../../../platform/lib/ids.ts'
import { pagesOf, type ParamsOf, type RowOf, sql } from '../../../platform/database/sql.ts'
import type { Db } from '../../../platform/database/connect.ts'

export type DomainRow = RowOf<typeof findDomain>

export type CertificateRow = RowOf<typeof findCertificate>

const columns = `workspace_id, domain_id, id, source, challenge, names, issuer, serial_number,
  fingerprint, key_type, not_before, not_after, renew_at, revision, created_at`

export const findDomain = sql('domain_certificates.domain')`
  SELECT id, name, status FROM domains WHERE workspace_id = $workspaceId AND id = $id`
// Serializes changes of a domain's certificate and orders.
export const lockDomainRow = sql('domain_certificates.lock_domain')`
  ${findDomain.source} FOR NO KEY UPDATE`
export const findCertificate = sql('domain_certificates.find')`
  SELECT ${columns} FROM domain_certificates WHERE workspace_id = $workspaceId
    AND domain_id = $domainId`
/** Replaces the domain's certificate. Times are in milliseconds since the epoch. */
export const putCertificate = sql('domain_certificates.put')`
  INSERT INTO domain_certificates AS c (workspace_id, domain_id, id, source, challenge, chain,
    sealed_key, names, issuer, serial_number, fingerprint, key_type, not_before, not_after,
    renew_at)
  VALUES ($workspaceId, $domainId, $id, $source, $challenge?, $chain, $encryptedKey, $names, $issuer, $serialNumber, $fingerprint, $keyType, to_timestamp($notBefore::float8 / 1000),
          to_timestamp($notAfter::float8 / 1000), to_timestamp($renewAt?::float8 / 1000))
  ON CONFLICT (workspace_id, domain_id) DO UPDATE SET
    id = excluded.id, source = excluded.source, challenge = excluded.challenge,
    chain = excluded.chain, sealed_key = excluded.sealed_key, names = excluded.names,
    issuer = excluded.issuer, serial_number = excluded.serial_number,
    fingerprint = excluded.fingerprint, key_type = excluded.key_type,
    not_before = excluded.not_before, not_after = excluded.not_after,
    renew_at = excluded.renew_at, warned_days = NULL, renewal_look_at = now(),
    revision = c.revision + 1, created_at = now()
  RETURNING ${columns}`
export const deleteCertificate = sql('domain_certificates.remove')`
  DELETE FROM domain_certificates WHERE workspace_id = $workspaceId AND domain_id = $domainId`

export type NewCertificate = ParamsOf<typeof putCertificate>

// Queries on the installation's ACME account.

export const findAccount = sql('acme_accounts.find')`
  SELECT id, sealed_key, url FROM acme_accounts WHERE directory_url = $directoryUrl`
/** The first of concurrent accounts is kept. */
export const addAccount = sql('acme_accounts.add')`
  INSERT INTO acme_accounts (id, directory_url, sealed_key) VALUES ($id, $directoryUrl, $encryptedKey)
  ON CONFLICT (directory_url) DO NOTHING`
export const setAccountUrl = sql('acme_accounts.set_url')`
  UPDATE acme_accounts SET url = $url? WHERE id = $id`
export const deleteAccountUrl = sql('acme_accounts.clear_url')`
  UPDATE acme_accounts SET url = NULL WHERE directory_url = $directoryUrl`

// Queries on certificate orders for requests.

export type OrderRow = RowOf<typeof insertOrder>

const orderColumns = `workspace_id, id, domain_id, name, challenge, is_renewal, status, url,
  token, proof, sealed_key, looks, failures, refusals, next_at, problem, created_by, expires_at, created_at,
  ended_at`

/** Cancels an order in progress; its run can write nothing any more. */
export const cancelOrders = sql('acme_orders.cancel')`
  UPDATE acme_orders SET status = 'cancelled', ended_at = now(), next_at = NULL, token = NULL,
    sealed_key = NULL
  WHERE workspace_id = $workspaceId AND domain_id = $domainId AND ended_at IS NULL`
/** @returns undefined if the domain has an order in progress */
export const insertOrder = sql('acme_orders.insert')`
  INSERT INTO acme_orders (workspace_id, id, domain_id, name, challenge, is_renewal, created_by,
                           expires_at)
  VALUES ($workspaceId, $id, $domainId, $name, $challenge, $isRenewal, $createdBy,
    now() + make_interval(secs => $expiresAt))
  ON CONFLICT (workspace_id, domain_id) WHERE ended_at IS NULL DO NOTHING
  RETURNING ${orderColumns}`
export const findLatestOrder = sql('acme_orders.latest')`
  SELECT ${orderColumns} FROM acme_orders WHERE workspace_id = $workspaceId
    AND domain_id = $domainId
  ORDER BY created_at DESC, id DESC LIMIT 1`
export const lockLatestOrder = sql('acme_orders.lock_latest')`${findLatestOrder.source} FOR UPDATE`
/** From `waiting` to `validating`. */
export const continueOrder = sql('acme_orders.continue')`
  UPDATE acme_orders SET status = 'validating', next_at = now(), looks = 0, failures = 0
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'waiting' RETURNING ${orderColumns}`
// Serializes orders of a workspace, so that the limit holds.
export const lockWorkspace = sql('acme_orders.lock_workspace')`
  SELECT id FROM workspaces WHERE id = $id FOR NO KEY UPDATE`
/** Orders of the last 24 hours, and seconds until the oldest no longer counts. */
export const countToday = sql('acme_orders.count_today')`
  SELECT count(*) AS orders,
         coalesce(ceil(extract(epoch FROM min(created_at) + interval '1 day' - now())), 0)::int
           AS reset_seconds!
  FROM acme_orders
  WHERE workspace_id = $workspaceId AND NOT is_renewal AND created_at > now() - interval '1 day'`

// Queries on renewal advice.

// Takes due rows for a limited time; rows of a killed process become due again.
/** Takes due certificates for `seconds`, after which they are due again unless settled. */
export const takeDueChecks = sql('domain_certificates.take_renewal_checks')`
  UPDATE domain_certificates c SET renewal_look_at = now() + make_interval(secs => $seconds)
  FROM (SELECT workspace_id, domain_id FROM domain_certificates
        WHERE renew_at IS NOT NULL AND renewal_look_at <= now()
        ORDER BY renewal_look_at LIMIT $limit FOR UPDATE SKIP LOCKED) due
  WHERE c.workspace_id = due.workspace_id AND c.domain_id = due.domain_id
  RETURNING c.workspace_id, c.domain_id, c.id, c.chain, c.not_before, c.not_after,
            c.renew_at AS renew_at!`
export type DueCheck = RowOf<typeof takeDueChecks>
// After a failed renewal its backoff applies, even if the authority says "now".
/** Stores when to renew the certificate, if it is still the one that was queried. */
export const settleCheck = sql('domain_certificates.finish_renewal_check')`
  UPDATE domain_certificates c
  SET renewal_look_at = now() + make_interval(secs => $seconds),
      renew_at = CASE WHEN EXISTS (
        SELECT FROM acme_orders o
        WHERE o.workspace_id = c.workspace_id AND o.domain_id = c.domain_id AND o.is_renewal
          AND o.status = 'failed' AND o.created_at > c.created_at
      ) THEN renew_at ELSE to_timestamp($renewAt::float8 / 1000) END
  WHERE workspace_id = $workspaceId AND domain_id = $domainId AND id = $id
    AND renew_at IS NOT NULL`

// Queries of the job that runs orders.

const taken = `${orderColumns}, turn AS turn!, expires_at <= now() AS is_over`
// A claim ends with its process, or after a timeout.
const free = `(o.turn IS NULL OR o.turn_until < now() OR NOT EXISTS (
  SELECT FROM nodes n WHERE n.id = o.node AND ${isAlive('n')}))`
const TURN = `interval '5 minutes'`

/** Claims the order, unless another run is active or there is nothing to do. */
export const takeOrder = sql('acme_orders.take')`
  UPDATE acme_orders o SET node = $node?, turn = $turn?, turn_until = now() + ${TURN}
  WHERE workspace_id = $workspaceId AND id = $id AND next_at IS NOT NULL AND ${free}
  RETURNING ${taken}`
export type TakenOrder = RowOf<typeof takeOrder>
export const isOrderDue = sql('acme_orders.is_due')`
  SELECT id FROM acme_orders WHERE workspace_id = $workspaceId AND id = $id
    AND next_at IS NOT NULL`
/**
 * Stores the run's result, unless its claim was lost. The order continues in `$seconds`; null:
 * someone else continues it, or it has ended.
 */
export const writeOrder = sql('acme_orders.write')`
  UPDATE acme_orders
  SET status = $status, url = $url?, token = $token?, proof = $proof?, sealed_key = $encryptedKey?, looks = $looks, failures = $failures,
      refusals = $refusals, problem = $problem?, next_at = now() + make_interval(secs => $seconds?::float8),
      turn = CASE WHEN $isTurnKept THEN turn END, turn_until = now() + ${TURN},
      ended_at = CASE WHEN $status IN ('issued', 'failed') THEN now() END
  WHERE workspace_id = $workspaceId AND id = $id AND turn = $turn AND ended_at IS NULL
  RETURNING ${taken}`
/** Postpones the next renewal by a day, or less if the certificate expires soon. */
export const postponeRenewal = sql('domain_certificates.renew_later')`
  UPDATE domain_certificates
  SET renew_at = now() + LEAST(interval '1 day',
                               GREATEST(interval '1 hour', (not_after - now()) / 4))
  WHERE workspace_id = $workspaceId AND domain_id = $domainId AND renew_at IS NOT NULL`
/** Orders overdue by a minute that no run has claimed. */
export const findStuckOrders = sql('acme_orders.stuck')`
  SELECT workspace_id, id FROM acme_orders o
  WHERE next_at < now() - interval '1 minute' AND ${free} LIMIT $limit`
/** Continues orders that waited for someone in vain, which ends them. */
export const wakeExpiredOrders = sql('acme_orders.wake_expired')`
  UPDATE acme_orders SET next_at = now()
  WHERE status = 'waiting' AND expires_at <= now() AND next_at IS NULL
  RETURNING workspace_id, id`
export const deleteEndedOrders = sql('acme_orders.delete_old')`
  DELETE FROM acme_orders WHERE (workspace_id, id) IN (
    SELECT workspace_id, id FROM acme_orders
    WHERE ended_at < now() - make_interval(days => $days) LIMIT $limit)`
/** The proof for a token of any workspace. */
export const findProof = sql('acme_orders.proof')`
  SELECT proof FROM acme_orders
  WHERE token = $token AND challenge = 'http-01' AND ended_at IS NULL`

// Queries on certificates for TLS clients, across workspaces.

export type ServedRow = RowOf<typeof page>

// Includes lapsed domains that nobody else owns: devices still connect through them.
const isPresented = `NOT EXISTS (
  SELECT FROM domains o WHERE o.name = d.name AND o.status <> 'pending'
    AND (o.status = 'verified', o.verified_at, o.id) > (d.status = 'verified', d.verified_at,
      d.id))`
const servedColumns = `c.workspace_id, c.domain_id, c.id, d.name, ${isPresented} AS is_presented!`
const certified = `FROM domain_certificates c
  JOIN domains d ON d.workspace_id = c.workspace_id AND d.id = c.domain_id
  WHERE d.status <> 'pending'`

const page = sql('domain_certificates.served_page')`
  SELECT ${servedColumns} ${certified}
    AND (c.workspace_id, c.domain_id) > ($afterWorkspace, $afterDomain)
  ORDER BY c.workspace_id, c.domain_id LIMIT $limit`
export const readServedOf = sql('domain_certificates.served_of_workspace')`
  SELECT ${servedColumns} ${certified} AND c.workspace_id = $workspaceId`
export const findMaterial = sql('domain_certificates.material')`
  SELECT id, chain, sealed_key FROM domain_certificates
  WHERE workspace_id = $workspaceId AND domain_id = $domainId AND id = $id`

const PAGE = 1_000

/** All certificates, served or not, page by page. */
export const readServed = (db: Db) =>
  pagesOf(PAGE, (last?: ServedRow) =>
    page.rows(db, {
      afterWorkspace: last?.workspace_id ?? NIL_UUID,
      afterDomain: last?.domain_id ?? NIL_UUID,
      limit: PAGE,
    }),
  )

// Queries on expiring certificates.

export const findDueCertificates = sql('domain_certificates.due')`
  SELECT c.workspace_id, c.domain_id, c.challenge AS challenge!, d.name
  FROM domain_certificates c
  JOIN domains d ON d.workspace_id = c.workspace_id AND d.id = c.domain_id
  WHERE c.renew_at <= now() AND d.status = 'verified' AND NOT EXISTS (
    SELECT FROM acme_orders o
    WHERE o.workspace_id = c.workspace_id AND o.domain_id = c.domain_id AND o.ended_at IS NULL)
  ORDER BY c.renew_at LIMIT $limit`
// The smallest threshold that the expiry has crossed, if it is new.
/**
 * Records which certificates have crossed the next of `$warnDays` and were not warned about; with
 * `$isAll` also those renewed by ACME.
 */
export const noteEnding = sql('domain_certificates.warn')`
  WITH near AS (
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
            near.days, d.name, d.status`
export type EndingCertificate = RowOf<typeof noteEnding>
