/** Queries on webhooks. */
import type { Db } from '../../../platform/database/connect.ts'
import { type ParamsOf, type RowOf, sql } from '../../../platform/database/sql.ts'

/** Only of a receiver whose deliveries are paused: one that failed once is tried again soon. */
const ofPaused = (column: 'failing_since' | 'probe_at'): string =>
  `(SELECT c.${column} FROM webhook_cursors c
  WHERE c.workspace_id = webhooks.workspace_id AND c.webhook_id = webhooks.id
    AND webhooks.status = 'enabled' AND c.probe_at IS NOT NULL)`

const columns = `workspace_id, id, url, description, types, status, disabled_reason, disabled_at,
  secret, previous_secret, previous_until, created_by, created_at, updated_at, revision,
  ${ofPaused('failing_since')} AS failing_since, ${ofPaused('probe_at')} AS next_probe_at`

const insert = sql('webhooks.insert')`
  INSERT INTO webhooks (workspace_id, id, url, description, types, secret, created_by)
  VALUES ($workspaceId, $id, $url, $description?, $types?, $secret, $createdBy)
  RETURNING ${columns}`
export type WebhookRow = RowOf<typeof insert>
/** @returns the URL; undefined if it is no longer enabled */
export const disableEnabled = sql('webhooks.disable')`
  UPDATE webhooks SET status = 'disabled', disabled_reason = $disabledReason, disabled_at = now(),
      revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'enabled' RETURNING url`
/** @param creators public ids */
export const findEnabledCreatedBy = sql('webhooks.enabled_by_creator')`
  SELECT id FROM webhooks
  WHERE workspace_id = $workspaceId AND created_by = ANY($creators::text[]) AND status = 'enabled'
  ORDER BY id`
const insertCursor = sql('webhooks.insert_cursor')`
  INSERT INTO webhook_cursors (workspace_id, webhook_id, seq, event_id)
  VALUES ($workspaceId, $webhookId, $seq, $eventId)`
// If the URL changed, the current lease is revoked: responses of the former receiver must not count
// against the new one.
/** Retries failed deliveries immediately. `isRestarted`: the receiver has changed. */
export const restartWebhook = sql('webhooks.restart')`
  WITH cursor AS (
    UPDATE webhook_cursors
    SET failures = 0, failing_since = NULL, probe_at = NULL,
        epoch = epoch + CASE WHEN $isRestarted THEN 1 ELSE 0 END,
        holder = CASE WHEN NOT $isRestarted THEN holder END,
        lease_until = CASE WHEN NOT $isRestarted THEN lease_until END
    WHERE workspace_id = $workspaceId AND webhook_id = $webhookId
  )
  UPDATE webhook_deliveries SET next_try_at = now()
  WHERE workspace_id = $workspaceId AND webhook_id = $webhookId AND status = 'waiting'
    AND next_try_at > now()`
export const pageOfWebhooks = sql('webhooks.page')`
  SELECT ${columns} FROM webhooks
  WHERE workspace_id = $workspaceId AND ($after?::uuid IS NULL OR id < $after) ORDER BY id DESC
  LIMIT $limit`
export const findWebhook = sql('webhooks.by_id')`
  SELECT ${columns} FROM webhooks WHERE workspace_id = $workspaceId AND id = $id`
export const lockWebhook = sql('webhooks.lock')`${findWebhook.source} FOR UPDATE`
export const updateWebhook = sql('webhooks.update')`
  UPDATE webhooks
  SET url = $url, description = $description?, types = $types?, status = $status,
      disabled_reason = CASE WHEN $status = 'enabled' THEN NULL
                             ELSE coalesce(disabled_reason, 'asked') END,
      disabled_at = CASE WHEN $status = 'enabled' THEN NULL ELSE coalesce(disabled_at, now()) END,
      revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
// Expired secrets are dropped; of concurrent rotations, the overlap is with the last one.
export const rotateSecret = sql('webhooks.rotate')`
  UPDATE webhooks
  SET previous_secret = CASE WHEN $graceSeconds > 0 THEN secret END,
      previous_until = CASE WHEN $graceSeconds > 0 THEN now() + make_interval(secs => $graceSeconds) END,
      secret = $secret, revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
// The end time stays visible. The view does not change, nor does the revision.
/** Deletes former secrets that no longer sign, of all webhooks. @returns their number */
export const dropEndedSecrets = sql('webhooks.drop_ended_secrets')`
  WITH ended AS (
    SELECT workspace_id, id FROM webhooks
    WHERE previous_secret IS NOT NULL AND previous_until <= now()
    ORDER BY previous_until LIMIT $limit FOR UPDATE SKIP LOCKED
  )
  UPDATE webhooks w SET previous_secret = NULL FROM ended
  WHERE w.workspace_id = ended.workspace_id AND w.id = ended.id RETURNING 1`
export const removeWebhook = sql('webhooks.remove')`
  DELETE FROM webhooks WHERE workspace_id = $workspaceId AND id = $id`
export const countWebhooks = sql('webhooks.count')`
  SELECT count(*) AS webhooks FROM webhooks WHERE workspace_id = $workspaceId`

/** Writes the webhook and its start position in the feed. */
export async function insertWebhook(
  trx: Db,
  webhook: ParamsOf<typeof insert> & { seq: number; eventId: string },
): Promise<WebhookRow> {
  const row = await insert.one(trx, webhook)
  const { workspaceId, id: webhookId, seq, eventId } = webhook
  await insertCursor.run(trx, { workspaceId, webhookId, seq, eventId })
  return row
}
