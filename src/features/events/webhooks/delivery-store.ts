/** Statements of delivering processes, across workspaces, so never used by requests. */
import type { Db } from '../../../platform/database/connect.ts'
import { composed, type RowOf, sql } from '../../../platform/database/sql.ts'
import type { DeliveryWrite, Position } from './delivery.ts'
import { SentEvent } from './schema.ts'

/** One atomic write: feed position, receiver health, and rows. */
export interface Progress {
  position: Position
  failures: number
  failingSince: number | null
  probeAt: number | null
  rows: readonly DeliveryWrite[]
  /** Releases the lease. */
  isLast: boolean
}

/** Revokes all leases. */
export const freeAll = sql('webhook_cursors.free')`
  UPDATE webhook_cursors SET holder = NULL, lease_until = NULL WHERE lease_until IS NOT NULL`
export const hasCursors = sql('webhook_cursors.any')`SELECT FROM webhook_cursors LIMIT 1`

const claim = (isDue: string) => `WITH due AS (
       SELECT c.workspace_id, c.webhook_id
       FROM webhook_cursors c
       JOIN webhooks w ON w.workspace_id = c.workspace_id AND w.id = c.webhook_id
       JOIN workspaces s ON s.id = c.workspace_id
       WHERE w.status = 'enabled' AND s.status = 'active'
         AND (c.lease_until IS NULL OR c.lease_until <= clock_timestamp()) AND ${isDue}
       ORDER BY c.epoch LIMIT $limit FOR UPDATE OF c SKIP LOCKED
     )
     UPDATE webhook_cursors c
     SET holder = $nodeId, lease_until = clock_timestamp() + make_interval(secs => $leaseSeconds),
         epoch = c.epoch + 1
     FROM due WHERE c.workspace_id = due.workspace_id AND c.webhook_id = due.webhook_id
     RETURNING c.workspace_id, c.webhook_id, c.epoch, c.seq, c.event_id, c.failures,
               c.failing_since, c.probe_at, clock_timestamp() AS now`
/** Takes unleased webhooks that have something to send up to a number of the feed. */
export const takeWebhooks = sql('webhook_cursors.take_ready')`
  ${claim(`c.probe_at IS NULL AND (
     EXISTS (SELECT FROM events e WHERE e.workspace_id = c.workspace_id
             AND (e.seq, e.id) > (c.seq, c.event_id) AND e.seq <= $upTo)
     OR EXISTS (SELECT FROM webhook_deliveries d
                WHERE d.workspace_id = c.workspace_id AND d.webhook_id = c.webhook_id
                  AND d.status = 'waiting' AND d.next_try_at <= now()))`)}`
/** The same for webhooks whose failing receivers are due for a probe. */
export const takeProbeWebhooks = sql('webhook_cursors.take_probes')`${claim('c.probe_at <= now()')}`
export type Claim = RowOf<typeof takeProbeWebhooks>

export type Backlog = RowOf<typeof readBacklog>

export const findWaitingSubjects = sql('webhook_deliveries.subjects')`
  SELECT subject_id, count(*) AS waiting!, min(seq) AS seq!,
    (array_agg(event_id ORDER BY seq, event_id))[1] AS event_id!,
    coalesce(array_agg(event_id) FILTER (WHERE (seq, event_id) > ($seq, $eventId)), '{}') AS ahead!
  FROM webhook_deliveries
  WHERE workspace_id = $workspaceId AND webhook_id = $webhookId AND status = 'waiting'
  GROUP BY subject_id`

const event = composed(
  `CASE WHEN e.id IS NOT NULL THEN json_build_object('type', e.type, 'data', e.data,
     'traceparent', e.traceparent,
     'occurred_at', floor(extract(epoch FROM e.occurred_at) * 1000)) END`,
  SentEvent,
  'event',
)
const columns = 'd.id, d.event_id, d.seq, d.subject_id, d.type, d.tries, d.first_tried_at'

// A redelivery may be due while an earlier, failed delivery of its device is not.
/** A waiting row; the event is null once deleted by retention. */
export type WaitingRow = RowOf<typeof findDue>
export const findDue = sql('webhook_deliveries.due')`
  SELECT ${columns}, ${event}
  FROM webhook_deliveries d
  LEFT JOIN events e ON e.workspace_id = d.workspace_id AND e.id = d.event_id
  WHERE d.workspace_id = $workspaceId AND d.webhook_id = $webhookId AND d.status = 'waiting'
    AND d.next_try_at <= now()
    AND (d.subject_id IS NULL OR (
      SELECT o.next_try_at <= now() FROM webhook_deliveries o
      WHERE o.workspace_id = d.workspace_id AND o.webhook_id = d.webhook_id
        AND o.subject_id = d.subject_id AND o.status = 'waiting'
      ORDER BY o.seq, o.event_id LIMIT 1))
  ORDER BY d.seq, d.event_id LIMIT $limit`

// The epoch rejects writes of a process that lost its lease.
const write = sql('webhook_cursors.write')`
  WITH held AS (
    UPDATE webhook_cursors c
    SET seq = $seq, event_id = $eventId, failures = $failures,
        failing_since = to_timestamp($failingSince?::float8 / 1000), probe_at = to_timestamp($probeAt?::float8 / 1000),
        holder = CASE WHEN NOT $isReleased THEN holder END,
        lease_until = CASE WHEN NOT $isReleased
                      THEN clock_timestamp() + make_interval(secs => $leaseSeconds) END
    FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
    WHERE c.workspace_id = $workspaceId AND c.webhook_id = $webhookId AND c.epoch = $epoch
      AND c.lease_until > clock_timestamp()
      AND w.workspace_id = c.workspace_id AND w.id = c.webhook_id
    RETURNING w.status = 'enabled' AND s.status = 'active' AS is_on!, w.revision
  ), written AS (
    INSERT INTO webhook_deliveries AS d (workspace_id, webhook_id, id, event_id, seq, subject_id,
      type, status, tries, first_tried_at, tried_at, next_try_at, attempts)
    SELECT $workspaceId, $webhookId, r.id, r.event_id, r.seq, r.subject_id, r.type, r.status,
      r.tries,
           to_timestamp(r.first_tried_at / 1000), to_timestamp(r.tried_at / 1000),
           to_timestamp(r.next_try_at / 1000), r.attempts
    FROM jsonb_to_recordset($deliveries) AS r (id uuid, event_id uuid, seq bigint, subject_id uuid,
      type text, status text, tries integer, first_tried_at float8, tried_at float8,
      next_try_at float8, attempts jsonb)
    WHERE EXISTS (SELECT FROM held)
    ON CONFLICT (workspace_id, webhook_id, id) DO UPDATE
    SET status = excluded.status, tries = excluded.tries,
        first_tried_at = excluded.first_tried_at, next_try_at = excluded.next_try_at,
        tried_at = coalesce(excluded.tried_at, d.tried_at),
        attempts = CASE WHEN jsonb_array_length(d.attempts) >= 20
                   THEN d.attempts - 0 ELSE d.attempts END || excluded.attempts
  )
  SELECT held.*, clock_timestamp() AS now FROM held`

// At most once an hour: deliveries that always fail are not retried at every recovery.
export type CursorState = RowOf<typeof write>

/** Retries deliveries immediately that failed since a time. */
export const expediteRows = sql('webhook_deliveries.expedite')`
  UPDATE webhook_deliveries SET next_try_at = now(), hurried_at = now()
  WHERE workspace_id = $workspaceId AND webhook_id = $webhookId AND status = 'waiting'
    AND next_try_at > now()
    AND tried_at >= to_timestamp($since::float8 / 1000)
    AND (hurried_at IS NULL OR hurried_at < now() - interval '1 hour')`
// The next rows of devices whose first delivery has ended, so that none is missed.
/** Makes the next `most` rows of each device due, and returns them. */
export const releaseRows = sql('webhook_deliveries.release')`
  WITH next AS (
    SELECT l.* FROM unnest($subjectIds::uuid[]) AS s (subject_id), LATERAL (
      SELECT d.* FROM webhook_deliveries d
      WHERE d.workspace_id = $workspaceId AND d.webhook_id = $webhookId AND d.status = 'waiting'
        AND d.subject_id = s.subject_id
      ORDER BY d.seq, d.event_id LIMIT $limit) l
  ), woken AS (
    UPDATE webhook_deliveries d SET next_try_at = now() FROM next
    WHERE d.workspace_id = $workspaceId AND d.webhook_id = $webhookId AND d.id = next.id
  )
  SELECT ${columns}, ${event}
  FROM next d LEFT JOIN events e ON e.workspace_id = $workspaceId AND e.id = d.event_id
  ORDER BY d.seq, d.event_id`

/** @param upTo the last number of the feed that may be read */
export const readBacklog = sql('webhook_deliveries.backlog')`
  SELECT (SELECT count(*) FROM webhook_deliveries WHERE status = 'waiting') AS waiting!,
    coalesce(max(extract(epoch FROM now() - next.occurred_at)), 0)::float8 AS lag_s!,
    count(*) FILTER (WHERE c.probe_at IS NOT NULL) AS failing!,
    coalesce(max(extract(epoch FROM now() - c.failing_since))
      FILTER (WHERE c.probe_at IS NOT NULL), 0)::float8 AS failing_s!,
    coalesce((array_agg(DISTINCT s.slug) FILTER (WHERE c.probe_at IS NOT NULL))[:5], '{}')
      AS failing_in!
  FROM webhook_cursors c
  JOIN webhooks w ON w.workspace_id = c.workspace_id AND w.id = c.webhook_id
  JOIN workspaces s ON s.id = c.workspace_id
  LEFT JOIN LATERAL (SELECT e.occurred_at FROM events e WHERE e.workspace_id = c.workspace_id
             AND (e.seq, e.id) > (c.seq, c.event_id) AND e.seq <= $seq
           ORDER BY e.seq, e.id LIMIT 1) next ON true
  WHERE w.status = 'enabled' AND s.status = 'active'`

/**
 * @returns undefined if the webhook is leased by another process or deleted: nothing was written
 */
export async function writeProgress(
  db: Db,
  { workspace_id, webhook_id, epoch }: Claim,
  progress: Progress,
  leaseS: number,
): Promise<CursorState | undefined> {
  const { position, rows, isLast, ...rest } = progress
  return write.first(db, {
    workspaceId: workspace_id,
    webhookId: webhook_id,
    epoch,
    seq: position.seq,
    eventId: position.id,
    ...rest,
    leaseSeconds: leaseS,
    isReleased: isLast,
    deliveries: JSON.stringify(rows),
  })
}
