/** Queries on who watches messages, and on what other processes have seen for them. */
import type { Db } from '../../../platform/database/connect.ts'
import { columnsOf, type RowOf, sql, stored } from '../../../platform/database/sql.ts'
import { TailBatch } from './schema.ts'

/** A tail that was not renewed for so long belongs to a process that has ended. */
const LEASE = "interval '20 seconds'"

export type TailRow = RowOf<typeof tailsOfOthers>

export const insertTail = sql('mqtt_tails.insert')`
  INSERT INTO mqtt_tails (workspace_id, id, node_id, slug, filter, has_config, expires_at)
  VALUES ($workspaceId, $id, $nodeId, $slug, $filter, $hasConfig, now() + ${LEASE})`
/** Updates no row if the workspace has another slug by now, or was deleted. */
export const renewTail = sql('mqtt_tails.renew')`
  UPDATE mqtt_tails t SET expires_at = now() + ${LEASE}
  FROM workspaces w
  WHERE t.workspace_id = $workspaceId AND t.id = $id AND w.id = t.workspace_id AND w.slug = t.slug
  RETURNING t.id`
export const removeTail = sql('mqtt_tails.remove')`
  DELETE FROM mqtt_tails WHERE workspace_id = $workspaceId AND id = $id`
/** The tails whose streams other processes have. */
export const tailsOfOthers = sql('mqtt_tails.of_other_processes')`
  SELECT workspace_id, id, slug, filter, has_config FROM mqtt_tails
  WHERE node_id <> $nodeId AND expires_at > now() ORDER BY workspace_id, id`
const insertBatches = sql('mqtt_tail_messages.insert')`
  INSERT INTO mqtt_tail_messages (workspace_id, tail_id, id, batch)
  SELECT m.workspace_id, m.tail_id, m.id, m.batch
  FROM unnest($workspaceId::uuid[], $tailId::uuid[], $id::uuid[], $batches::jsonb[])
    AS m (workspace_id, tail_id, id, batch)
  JOIN mqtt_tails t ON t.workspace_id = m.workspace_id AND t.id = m.tail_id`
export const takeBatches = sql('mqtt_tail_messages.take')`
  WITH taken AS (
    DELETE FROM mqtt_tail_messages WHERE workspace_id = $workspaceId AND tail_id = $tailId
    RETURNING id, batch
  )
  SELECT ${stored('batch', TailBatch, 'batch!')} FROM taken ORDER BY id`
export const removeLostTails = sql('mqtt_tails.remove_lost')`
  WITH lost AS (
    DELETE FROM mqtt_tails WHERE expires_at < now() RETURNING 1
  )
  DELETE FROM mqtt_tail_messages m WHERE NOT EXISTS (
    SELECT FROM mqtt_tails t
    WHERE t.workspace_id = m.workspace_id AND t.id = m.tail_id AND t.expires_at > now())`

export interface BatchWrite {
  workspaceId: string
  tailId: string
  id: string
  batch: TailBatch
}

export const writeBatches = (db: Db, rows: readonly BatchWrite[]): Promise<void> =>
  insertBatches.run(db, {
    ...columnsOf(rows),
    batches: rows.map((row) => JSON.stringify(row.batch)),
  })
