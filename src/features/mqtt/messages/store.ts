/** Queries on messages to the brokers of all processes. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'

const slug = sql('mqtt_messages.slug')`SELECT slug FROM workspaces WHERE id = $id`
export const insertMessages = sql('mqtt_messages.insert')`
  INSERT INTO mqtt_messages (workspace_id, id, topic, payload, qos, retain)
  SELECT $workspaceId, *
  FROM unnest($id::uuid[], $topic::text[], $payload::bytea[], $qos::smallint[],
    $retain::bool[])`
/** The existing ones, oldest first. */
export const findMessages = sql('mqtt_messages.by_ids')`
  SELECT id, workspace_id, topic, payload, qos, retain FROM mqtt_messages
  WHERE id = ANY ($ids::uuid[]) ORDER BY id`
/** @returns the number deleted */
export const deleteMessages = sql('mqtt_messages.delete_old')`
  DELETE FROM mqtt_messages WHERE id IN
    (SELECT id FROM mqtt_messages WHERE id < $id ORDER BY id LIMIT $limit FOR UPDATE SKIP LOCKED)
  RETURNING 1`

export const slugOf = async (db: Db, workspaceId: string): Promise<string | undefined> =>
  (await slug.first(db, { id: workspaceId }))?.slug
