/** Queries on webhooks. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface WebhookRow {
  workspace_id: string
  id: string
  url: string
  description: string | null
  types: string[] | null
  status: 'enabled' | 'disabled'
  disabled_reason: string | null
  disabled_at: number | null
  secret: Buffer
  previous_secret: Buffer | null
  previous_until: number | null
  created_by: string
  created_at: number
  updated_at: number
  revision: number
}

const columns = `workspace_id, id, url, description, types, status, disabled_reason, disabled_at,
  secret, previous_secret, previous_until, created_by, created_at, updated_at, revision`

const insert = statement(
  'webhooks.insert',
  `INSERT INTO webhooks (workspace_id, id, url, description, types, secret, created_by)
   VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${columns}`,
)
const disable = statement(
  'webhooks.disable',
  `UPDATE webhooks SET status = 'disabled', disabled_reason = $3, disabled_at = now(),
       revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 AND status = 'enabled' RETURNING url`,
)
const enabledByCreator = statement(
  'webhooks.enabled_by_creator',
  `SELECT id FROM webhooks
   WHERE workspace_id = $1 AND created_by = ANY($2::text[]) AND status = 'enabled' ORDER BY id`,
)
const insertCursor = statement(
  'webhooks.insert_cursor',
  `INSERT INTO webhook_cursors (workspace_id, webhook_id, seq, event_id) VALUES ($1, $2, $3, $4)`,
)
// If the URL changed, the current lease is revoked: responses of the former receiver must not count
// against the new one.
const restart = statement(
  'webhooks.restart',
  `WITH cursor AS (
     UPDATE webhook_cursors
     SET failures = 0, failing_since = NULL, probe_at = NULL,
         epoch = epoch + CASE WHEN $3 THEN 1 ELSE 0 END,
         holder = CASE WHEN NOT $3 THEN holder END,
         lease_until = CASE WHEN NOT $3 THEN lease_until END
     WHERE workspace_id = $1 AND webhook_id = $2
   )
   UPDATE webhook_deliveries SET next_try_at = now()
   WHERE workspace_id = $1 AND webhook_id = $2 AND status = 'waiting' AND next_try_at > now()`,
)
const page = statement(
  'webhooks.page',
  `SELECT ${columns} FROM webhooks
   WHERE workspace_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
)
const byId = statement(
  'webhooks.by_id',
  `SELECT ${columns} FROM webhooks WHERE workspace_id = $1 AND id = $2`,
)
const lock = statement('webhooks.lock', `${byId.text} FOR UPDATE`)
const update = statement(
  'webhooks.update',
  `UPDATE webhooks
   SET url = $3, description = $4, types = $5, status = $6,
       disabled_reason = CASE WHEN $6 = 'enabled' THEN NULL
                              ELSE coalesce(disabled_reason, 'asked') END,
       disabled_at = CASE WHEN $6 = 'enabled' THEN NULL ELSE coalesce(disabled_at, now()) END,
       revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
)
// Expired secrets are dropped; of concurrent rotations, the overlap is with the last one.
const rotate = statement(
  'webhooks.rotate',
  `UPDATE webhooks
   SET previous_secret = CASE WHEN $4 > 0 THEN secret END,
       previous_until = CASE WHEN $4 > 0 THEN now() + make_interval(secs => $4) END,
       secret = $3, revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
)
// The end time stays visible. The view does not change, nor does the revision.
const dropEnded = statement(
  'webhooks.drop_ended_secrets',
  `WITH ended AS (
     SELECT workspace_id, id FROM webhooks
     WHERE previous_secret IS NOT NULL AND previous_until <= now()
     ORDER BY previous_until LIMIT $1 FOR UPDATE SKIP LOCKED
   )
   UPDATE webhooks w SET previous_secret = NULL FROM ended
   WHERE w.workspace_id = ended.workspace_id AND w.id = ended.id RETURNING 1`,
)
const remove = statement(
  'webhooks.remove',
  'DELETE FROM webhooks WHERE workspace_id = $1 AND id = $2',
)
// Serializes creation, so that each counts the previous ones; the count must be a later statement,
// since one that waits for a lock keeps its older snapshot.
const hold = statement(
  'webhooks.hold_workspace',
  'SELECT FROM workspaces WHERE id = $1 FOR NO KEY UPDATE',
)
const count = statement(
  'webhooks.count',
  'SELECT count(*) AS n FROM webhooks WHERE workspace_id = $1',
)

const first = async (rows: Promise<WebhookRow[]>): Promise<WebhookRow> =>
  (await rows)[0] as WebhookRow

export interface NewWebhook {
  workspaceId: string
  id: string
  url: string
  description: string | null
  types: readonly string[] | null
  secret: Buffer
  seq: number
  eventId: string
  createdBy: string
}

/** Writes the webhook and its start position in the feed. */
export async function insertWebhook(trx: Db, webhook: NewWebhook): Promise<WebhookRow> {
  const { workspaceId, id, url, description, types, secret, seq, eventId, createdBy } = webhook
  const values = [workspaceId, id, url, description, types, secret, createdBy]
  const row = await first(trx.query(insert, values))
  await trx.query(insertCursor, [workspaceId, id, seq, eventId])
  return row
}

/** @returns the URL; undefined if it is no longer enabled */
export async function disableEnabled(
  trx: Db,
  workspaceId: string,
  id: string,
  reason: string,
): Promise<string | undefined> {
  return (await trx.query<{ url: string }>(disable, [workspaceId, id, reason]))[0]?.url
}

/** @param creators public ids */
export const findEnabledCreatedBy = (
  db: Db,
  workspaceId: string,
  creators: readonly string[],
): Promise<Pick<WebhookRow, 'id'>[]> => db.query(enabledByCreator, [workspaceId, creators])

/** Retries failed deliveries immediately. `isElsewhere`: the receiver has changed. */
export async function restartWebhook(
  trx: Db,
  { workspace_id: workspaceId, id }: WebhookRow,
  isElsewhere: boolean,
): Promise<void> {
  await trx.query(restart, [workspaceId, id, isElsewhere])
}

export const pageOfWebhooks = (
  db: Db,
  workspaceId: string,
  after: string | undefined,
  limit: number,
): Promise<WebhookRow[]> => db.query(page, [workspaceId, after ?? null, limit])

export async function findWebhook(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<WebhookRow | undefined> {
  return (await db.query<WebhookRow>(byId, [workspaceId, id]))[0]
}

export async function lockWebhook(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<WebhookRow | undefined> {
  return (await db.query<WebhookRow>(lock, [workspaceId, id]))[0]
}

export const updateWebhookRow = (db: Db, row: WebhookRow): Promise<WebhookRow> => {
  const { workspace_id, id, url, description, types, status } = row
  return first(db.query(update, [workspace_id, id, url, description, types, status]))
}

export const rotateSecretOf = (
  db: Db,
  { workspace_id, id }: WebhookRow,
  secret: Buffer,
  overlapSeconds: number,
): Promise<WebhookRow> => first(db.query(rotate, [workspace_id, id, secret, overlapSeconds]))

/** Deletes former secrets that no longer sign, of all webhooks. @returns their number */
export const dropEndedSecrets = async (db: Db, most: number): Promise<number> =>
  (await db.query(dropEnded, [most])).length

export async function removeWebhook(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(remove, [workspaceId, id])
}

/** Counts under a lock that serializes transactions. */
export async function countWebhooks(trx: Db, workspaceId: string): Promise<number> {
  await trx.query(hold, [workspaceId])
  return (await trx.query<{ n: number }>(count, [workspaceId]))[0]?.n ?? 0
}
