/** Queries on receipts for requests. */
import { isAlive } from '../../../platform/database/node-life.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql, stored, unnested } from '../../../platform/database/sql.ts'
import { changeInsert } from '../../../platform/database/change-feed.ts'
import { Narrowed } from './schema.ts'

export type ReceiptNode = RowOf<typeof findReceiptNodes>

// Processes whose heartbeat is recent enough to count as alive, and these external brokers.
export const insertReceipt = sql('mqtt_receipts.insert')`
  WITH receipt AS (
    INSERT INTO mqtt_receipts (workspace_id, id, reason, subject, narrowed)
    VALUES ($workspaceId, $id, $reason, $subject?, $narrowed?)
  )
  INSERT INTO mqtt_receipt_nodes (workspace_id, receipt_id, node)
  SELECT $workspaceId, $id, 'embedded/' || n.id FROM nodes n
  WHERE ${isAlive('n')}
  UNION ALL
  SELECT $workspaceId, $id, unnest($brokers::text[])`
// No process needs to confirm: by then each has received the change or distrusts its caches.
/** A receipt for external brokers only, applied after a delay. */
export const insertOlderEnd = sql('mqtt_receipts.insert_older_end')`
  WITH receipt AS (
    INSERT INTO mqtt_receipts (workspace_id, id, reason, subject, client_id)
    VALUES ($workspaceId, $id, $reason, $subject?, $clientId?)
  )
  INSERT INTO mqtt_receipt_nodes (workspace_id, receipt_id, node, next_at)
  SELECT $workspaceId, $id, unnest($brokers::text[]), now() + interval '2 seconds'`
const logins = 'SELECT workspace_id, id FROM moid_mqtt_logins WHERE expires_at > now()'
/** Logins for the devices of an identity in a workspace. */
export const findPhoneLogins = sql('mqtt_receipts.phones')`
  ${logins} AND moid_id = $moidId AND workspace_id = $workspaceId`
/** Logins requested by a session of an identity, in any workspace. */
export const findLoginsOfSession = sql('mqtt_receipts.phones_of_session')`
  ${logins} AND session_id = $sessionId`
export const findReceipt = sql('mqtt_receipts.by_id')`
  SELECT workspace_id, id, reason, subject, requested_at FROM mqtt_receipts
  WHERE workspace_id = $workspaceId AND id = $id`
export const findReceiptNodes = sql('mqtt_receipts.nodes')`
  SELECT node AS name, denied_at, cache_purged_at, sessions_cut, sessions_cut_at, verified_at,
         gone_at, problem
  FROM mqtt_receipt_nodes WHERE workspace_id = $workspaceId AND receipt_id = $receiptId
  ORDER BY node`

/** A phone's MQTT login. */
export type LoginRef = RowOf<typeof findPhoneLogins>

// Statements that acknowledge receipts: processes for themselves and for external brokers.

/** `subject` is a device, principal or template by its public id; null: the whole workspace. */
export type OpenReceipt = RowOf<typeof openReceipts>

// A process that the receipt does not list, because it was new or considered dead, joins as soon as
// it learns of it.
export const adoptReceipts = sql('mqtt_receipts.adopt')`
  INSERT INTO mqtt_receipt_nodes AS s (workspace_id, receipt_id, node)
  SELECT r.workspace_id, r.id, $node FROM mqtt_receipts r
  WHERE r.id = ANY ($ids::uuid[]) ORDER BY r.workspace_id, r.id
  ON CONFLICT (workspace_id, receipt_id, node) DO UPDATE SET gone_at = NULL
  WHERE s.gone_at IS NOT NULL AND s.verified_at IS NULL`
/** Receipts not yet verified by a process. */
export const openReceipts = sql('mqtt_receipts.open')`
  SELECT r.workspace_id, r.id, r.subject, r.reason
  FROM mqtt_receipt_nodes s
  JOIN mqtt_receipts r ON r.workspace_id = s.workspace_id AND r.id = s.receipt_id
  WHERE s.node = $node AND s.verified_at IS NULL AND s.gone_at IS NULL`
/** A process considered dead is alive: its open parts are reopened. */
export const reopenReceipts = sql('mqtt_receipts.reopen')`
  UPDATE mqtt_receipt_nodes SET gone_at = NULL
  WHERE node = $node AND gone_at IS NOT NULL AND verified_at IS NULL`
/**
 * The state that a process verified on its own broker: it refuses, and maybe no session is left.
 */
export const acknowledgeReceipts = sql('mqtt_receipts.acknowledge')`
  UPDATE mqtt_receipt_nodes s
  SET denied_at = coalesce(s.denied_at, now()),
    cache_purged_at = coalesce(s.cache_purged_at, now()),
      sessions_cut = greatest(s.sessions_cut, t.disconnected),
      sessions_cut_at = CASE WHEN t.disconnected > s.sessions_cut THEN now() ELSE s.sessions_cut_at END,
      verified_at = CASE WHEN t.verified THEN now() END, gone_at = NULL, problem = t.problem
  FROM ${unnested(
    't',
    'workspace_id uuid, id uuid, disconnected integer, verified bool, problem text',
  )}
  WHERE s.node = $node AND s.workspace_id = t.workspace_id AND s.receipt_id = t.id
    AND s.verified_at IS NULL`
/** Marks dead processes that receipts wait for, and announces it. */
export const markGoneNodes = sql('mqtt_receipts.mark_gone')`
  WITH lost AS (
    SELECT s.workspace_id, s.receipt_id, s.node FROM mqtt_receipt_nodes s
    WHERE s.verified_at IS NULL AND s.gone_at IS NULL
      AND s.node LIKE 'embedded/%' AND s.node <> $node
      AND NOT EXISTS (SELECT FROM nodes n WHERE 'embedded/' || n.id = s.node
                        AND ${isAlive('n')})
    ORDER BY s.workspace_id, s.receipt_id, s.node LIMIT 1000 FOR UPDATE OF s SKIP LOCKED
  ), marked AS (
    UPDATE mqtt_receipt_nodes s SET gone_at = now() FROM lost
    WHERE s.workspace_id = lost.workspace_id AND s.receipt_id = lost.receipt_id
      AND s.node = lost.node
    RETURNING s.receipt_id
  )
  ${changeInsert('mqtt-receipt-stamp', 'marked', 'marked.receipt_id')}`
// An external broker may ask any process about a CONNECT, so its sessions only count as verified
// once all processes refuse. If one does not say so soon, it may have just died: sessions are ended
// meanwhile, but nothing counts as verified. The process that advances `next_at` holds the row.
/**
 * For `denied_ms` it is certain that nobody is admitted with the revoked right; it
 * `is_denied_everywhere` if no remaining process may still do so. `was_purged`: an earlier attempt
 * has disconnected the sessions. `client_id`: see `NewerSecret`.
 */
const take = sql('mqtt_receipts.take')`
  WITH due AS (
    SELECT s.workspace_id, s.receipt_id, s.node, r.reason, r.subject, r.narrowed,
           r.client_id, r.requested_at, denied.everywhere
    FROM mqtt_receipt_nodes s
    JOIN mqtt_receipts r ON r.workspace_id = s.workspace_id AND r.id = s.receipt_id
    CROSS JOIN LATERAL (
      SELECT NOT EXISTS (SELECT FROM mqtt_receipt_nodes e
                         WHERE e.workspace_id = s.workspace_id AND e.receipt_id = s.receipt_id
                           AND e.node LIKE 'embedded/%' AND e.denied_at IS NULL
                           AND e.gone_at IS NULL) AS everywhere
    ) AS denied
    WHERE s.verified_at IS NULL AND s.gone_at IS NULL AND s.node = ANY ($nodes::text[])
      AND s.next_at <= now()
      AND (denied.everywhere OR (s.attempts = 0 AND r.requested_at < now() - interval '1 second'))
    ORDER BY s.next_at LIMIT $limit FOR UPDATE OF s SKIP LOCKED
  )
  UPDATE mqtt_receipt_nodes s
  SET denied_at = coalesce(s.denied_at, CASE WHEN due.everywhere THEN now() END),
      attempts = s.attempts + 1, next_at = now() + make_interval(secs => $leaseSeconds)
  FROM due
  WHERE s.workspace_id = due.workspace_id AND s.receipt_id = due.receipt_id
    AND s.node = due.node
  RETURNING s.workspace_id, s.receipt_id AS id, due.reason, due.subject,
    ${stored('due.narrowed', Narrowed)}, due.client_id, s.node, s.attempts,
    extract(epoch FROM now() - due.requested_at)::float8 * 1000 AS age_ms!,
    extract(epoch FROM now() - coalesce(s.denied_at, now()))::float8 * 1000 AS denied_ms!,
    s.cache_purged_at IS NOT NULL AS was_purged!, due.everywhere AS is_denied_everywhere!`
const claimed =
  'workspace_id = $workspace_id AND receipt_id = $id AND node = $node AND verified_at IS NULL'
/** Extends the claim on a receipt. */
export const renewReceipt = sql('mqtt_receipts.renew')`
  UPDATE mqtt_receipt_nodes SET next_at = now() + make_interval(secs => $seconds)
  WHERE ${claimed}`
export const settleReceipt = sql('mqtt_receipts.settle')`
  UPDATE mqtt_receipt_nodes
  SET cache_purged_at = CASE WHEN $purged THEN coalesce(cache_purged_at, now())
    ELSE cache_purged_at END,
      sessions_cut = sessions_cut + $disconnected,
      sessions_cut_at = CASE WHEN $disconnected > 0 THEN now() ELSE sessions_cut_at END,
      verified_at = CASE WHEN $verified THEN now() END, problem = $problem?,
      next_at = now() + make_interval(secs => $pauseSeconds)
  WHERE ${claimed}`
/** @returns the number deleted */
export const deleteReceipts = sql('mqtt_receipts.delete_old')`
  DELETE FROM mqtt_receipts WHERE (workspace_id, id) IN
    (SELECT workspace_id, id FROM mqtt_receipts WHERE id < $id ORDER BY id LIMIT $limit
     FOR UPDATE SKIP LOCKED)
  RETURNING 1`

export interface TakenReceipt extends Omit<RowOf<typeof take>, 'age_ms'> {
  /** When it was requested, by this process's `performance.now()`. */
  since: number
}

/** Takes receipts for external brokers; each goes to one process. */
export async function takeReceipts(
  db: Db,
  brokers: readonly string[],
  leaseSeconds: number,
  limit: number,
): Promise<TakenReceipt[]> {
  const rows = await take.rows(db, { nodes: brokers, leaseSeconds, limit })
  const now = performance.now()
  return rows.map(({ age_ms, ...row }) => ({ ...row, since: now - age_ms }))
}

// The principals that a receipt concerns, if it does not name a single one.

// Devices that have left the template since were handled when they left.
export const devicesOfTemplate = sql('mqtt_receipts.of_template')`
  SELECT d.id, w.slug, d.device_key FROM devices d
  JOIN workspaces w ON w.id = d.workspace_id
  WHERE d.workspace_id = $workspaceId AND d.template_id = $templateId
    AND d.id = ANY ($ids::uuid[])`
// The receipt and the devices' results were written by one transaction.
/** UUIDs of the devices that a job changed together with the receipt. */
export const devicesOfJob = sql('mqtt_receipts.devices_of_job')`
  SELECT i.device_id AS id FROM mqtt_receipts r
  JOIN job_items i ON i.workspace_id = r.workspace_id AND i.ended_at = r.requested_at
  WHERE r.workspace_id = $workspace_id AND r.id = $id AND i.job_id = $jobId
    AND i.status = 'succeeded'`
/** Live logins of phones bound to the devices. */
export const phonesOfDevices = sql('mqtt_receipts.phones_of_devices')`
  SELECT l.id FROM claims c
  JOIN moid_mqtt_logins l ON l.moid_id = c.moid_id AND l.workspace_id = c.workspace_id
  WHERE c.workspace_id = $workspaceId AND c.device_id = ANY ($deviceIds::uuid[])
    AND c.status = 'bound'
    AND l.expires_at > now()`
