/** Queries on the delivery log, and on redelivery. */
import type { Db } from '../../../platform/database/connect.ts'
import { NIL_UUID } from '../../../platform/lib/ids.ts'
import { composed, type RowOf, sql, stored, unnested } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
import { type BoundedCount, MAX_COUNT } from '../../common/bounded-count.ts'
import { Attempts, SentEvent } from './schema.ts'

export type DeliveryRow = RowOf<typeof findDelivery>

const columns = `d.id, d.event_id, d.subject_id, d.type, d.status, d.tries, d.tried_at,
  d.next_try_at, ${stored('d.attempts', Attempts)}`
const event = `json_build_object('type', e.type, 'data', e.data,
  'occurred_at', floor(extract(epoch FROM e.occurred_at) * 1000))`
const ofWebhook = 'd.workspace_id = $workspaceId AND d.webhook_id = $webhookId'

export const pageOfDeliveries = filteredList('webhook_deliveries.filtered', {
  columns: `workspace_id, id, event_id, subject_id, type, status, tries, tried_at, next_try_at,
    ${stored('attempts', Attempts)}`,
  more: composed(
    `(SELECT ${event} FROM events e WHERE e.workspace_id = $1 AND e.id = seen.event_id)`,
    SentEvent,
    'event',
  ),
  table: 'webhook_deliveries',
  partOf: 'webhook_id',
  fields: {
    status: {
      sql: 'status',
      isIndexed: (status) => status !== 'delivered',
      indexHas: `status <> 'delivered'`,
    },
    type: { sql: 'type' },
    event_id: { sql: 'event_id' },
    device_id: { sql: 'subject_id' },
    'last_attempt.at': { sql: 'tried_at' },
    'last_attempt.status': { sql: `(attempts -> -1 ->> 'status')` },
    'last_attempt.failure': { sql: `(attempts -> -1 ->> 'failure')` },
  },
})

export const findDelivery = sql('webhook_deliveries.by_id')`
  SELECT ${columns}, ${composed(`CASE WHEN e.id IS NOT NULL THEN ${event} END`, SentEvent, 'event')}
  FROM webhook_deliveries d
  LEFT JOIN events e ON e.workspace_id = d.workspace_id AND e.id = d.event_id
  WHERE ${ofWebhook} AND d.id = $id`

const noOtherWaits = `NOT EXISTS (SELECT FROM webhook_deliveries o
  WHERE o.workspace_id = d.workspace_id AND o.webhook_id = d.webhook_id
    AND o.event_id = d.event_id AND o.status = 'waiting' AND o.id <> d.id)`
const reset = `status = 'waiting', next_try_at = now(), tries = 0, first_tried_at = NULL`

// A delivery that waits for an earlier one keeps waiting.
/** Retries a delivery, unless its event is already waiting. */
export const reopenDelivery = sql('webhook_deliveries.reopen')`
  UPDATE webhook_deliveries d SET ${reset}
  WHERE ${ofWebhook} AND d.id = $id AND ${noOtherWaits}
    AND (d.status <> 'waiting' OR d.next_try_at IS NOT NULL)`
/** The same for dead letters. */
export const reopenDead = sql('webhook_deliveries.reopen_dead')`
  WITH next AS (
    SELECT d.id FROM webhook_deliveries d
    JOIN events e ON e.workspace_id = d.workspace_id AND e.id = d.event_id
    WHERE ${ofWebhook} AND d.status = 'dead' AND d.event_id >= $from AND d.event_id < $before
      AND ($types?::text[] IS NULL OR d.type = ANY ($types)) AND ${noOtherWaits}
    ORDER BY d.seq, d.event_id LIMIT $limit FOR UPDATE OF d SKIP LOCKED
  )
  UPDATE webhook_deliveries d SET ${reset} FROM next
  WHERE ${ofWebhook} AND d.id = next.id RETURNING 1`
const counted = `count(*) AS examined!,
  count(*) FILTER (WHERE $types?::text[] IS NULL OR type = ANY ($types)) AS matching!`
// The limit is on what is examined, not on what matches: a request never scans a fleet.
const countDead = sql('webhook_deliveries.count_dead')`
  SELECT ${counted} FROM (
    SELECT d.type FROM webhook_deliveries d
    JOIN events e ON e.workspace_id = d.workspace_id AND e.id = d.event_id
    WHERE ${ofWebhook} AND d.status = 'dead' AND d.event_id >= $from AND d.event_id < $before
      AND ${noOtherWaits}
    LIMIT $limit
  ) range`
const countPast = sql('webhook_deliveries.count_past_events')`
  SELECT ${counted} FROM (
    SELECT e.type FROM events e
    JOIN webhook_cursors c ON c.workspace_id = e.workspace_id AND c.webhook_id = $webhookId
    WHERE e.workspace_id = $workspaceId AND e.id >= $from AND e.id < $before
      AND (e.seq, e.id) <= (c.seq, c.event_id)
    ORDER BY e.id LIMIT $limit
  ) range`
/** Events before the webhook's position. */
export const eventsBetween = sql('webhook_deliveries.events_between')`
  SELECT e.id, e.seq, e.subject_id, e.type FROM events e
  JOIN webhook_cursors c ON c.workspace_id = e.workspace_id AND c.webhook_id = $webhookId
  WHERE e.workspace_id = $workspaceId AND e.id >= $from AND e.id < $before
    AND ($types?::text[] IS NULL OR e.type = ANY ($types)) AND (e.seq, e.id) <= (c.seq, c.event_id)
  ORDER BY e.id LIMIT $limit`
/** New deliveries of events that are not already waiting. */
export const insertDeliveries = sql('webhook_deliveries.insert_again')`
  INSERT INTO webhook_deliveries (workspace_id, webhook_id, id, event_id, seq, subject_id, type,
                                  status, tries, next_try_at, attempts)
  SELECT $workspaceId, $webhookId, r.delivery_id, r.id, r.seq, r.subject_id, r.type, 'waiting', 0,
    now(), '[]'
  FROM ${unnested('r', 'deliveryId uuid, id uuid, seq bigint, subject_id uuid, type text')}
  ON CONFLICT (workspace_id, webhook_id, event_id) WHERE status = 'waiting' DO NOTHING`
/** Ends the pause of a failing receiver. */
export const callUpReceiver = sql('webhook_cursors.call_up')`
  UPDATE webhook_cursors SET probe_at = now()
  WHERE workspace_id = $workspaceId AND webhook_id = $webhookId AND probe_at > now()`
export const countWaiting = sql('webhook_deliveries.count_waiting')`
  SELECT count(*) AS waiting FROM webhook_deliveries d WHERE ${ofWebhook} AND status = 'waiting'`

/** Identifies a webhook. */
export interface Place {
  workspaceId: string
  webhookId: string
}

/** Events to redeliver, by id: from the first, before the second. */
export interface Range extends Place {
  from: string
  before: string
  types: readonly string[] | null
}

/** How many events of a range a redelivery sends, of those that are examined. */
export async function countRange(
  trx: Db,
  range: Range & { isDead: boolean },
): Promise<BoundedCount> {
  const params = { ...range, limit: MAX_COUNT + 1 }
  const { examined, matching } = await (range.isDead ? countDead : countPast).one(trx, params)
  return { value: Math.min(matching, MAX_COUNT), is_lower_bound: examined > MAX_COUNT }
}

// Statements that delete old rows of the delivery log.

type LogPlace = RowOf<typeof next>

const next = sql('webhook_deliveries.next_webhook')`
  SELECT d.workspace_id, d.webhook_id, EXISTS (
    SELECT FROM webhooks w WHERE w.workspace_id = d.workspace_id AND w.id = d.webhook_id
  ) AS is_there!
  FROM webhook_deliveries d WHERE (d.workspace_id, d.webhook_id) > ($afterWorkspace, $afterWebhook)
  ORDER BY d.workspace_id, d.webhook_id LIMIT 1`
// Ids grow with time; waiting deliveries and dead letters that can still be sent are kept.
export const removeDeliveries = sql('webhook_deliveries.remove_old')`
  WITH old AS (
    SELECT id FROM webhook_deliveries
    WHERE workspace_id = $workspaceId AND webhook_id = $webhookId
      AND (NOT $exists OR id < $before
        AND (status = 'delivered' OR status = 'dead' AND id < $deadBefore))
    ORDER BY id LIMIT $limit
  )
  DELETE FROM webhook_deliveries d USING old
  WHERE d.workspace_id = $workspaceId AND d.webhook_id = $webhookId AND d.id = old.id RETURNING 1`

/** The next webhook with deliveries; it may have been deleted. */
export async function nextWithDeliveries(
  db: Db,
  after: LogPlace | undefined,
): Promise<LogPlace | undefined> {
  const { workspace_id = NIL_UUID, webhook_id = NIL_UUID } = after ?? {}
  return next.first(db, { afterWorkspace: workspace_id, afterWebhook: webhook_id })
}
