/** Queries on messages to the brokers of all processes. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface MessageRow {
  id: string
  topic: string
  payload: Buffer
  qos: 0 | 1 | 2
  retain: boolean
}

const slug = statement('mqtt_messages.slug', 'SELECT slug FROM workspaces WHERE id = $1')
const insert = statement(
  'mqtt_messages.insert',
  `INSERT INTO mqtt_messages (workspace_id, id, topic, payload, qos, retain)
   SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::bytea[], $5::smallint[], $6::bool[])`,
)
const byIds = statement(
  'mqtt_messages.by_ids',
  `SELECT id, topic, payload, qos, retain FROM mqtt_messages
   WHERE id = ANY ($1::uuid[]) ORDER BY id`,
)
const forget = statement(
  'mqtt_messages.forget',
  `DELETE FROM mqtt_messages WHERE id IN
     (SELECT id FROM mqtt_messages WHERE id < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING 1`,
)

export const slugOf = async (db: Db, workspaceId: string): Promise<string | undefined> =>
  (await db.query<{ slug: string }>(slug, [workspaceId]))[0]?.slug

export async function insertMessages(
  db: Db,
  workspaceId: string,
  rows: readonly MessageRow[],
): Promise<void> {
  await db.query(insert, [
    workspaceId,
    rows.map(({ id }) => id),
    rows.map(({ topic }) => topic),
    rows.map(({ payload }) => payload),
    rows.map(({ qos }) => qos),
    rows.map(({ retain }) => retain),
  ])
}

/** The existing ones, oldest first. */
export const findMessages = (db: Db, ids: readonly string[]): Promise<MessageRow[]> =>
  db.query(byIds, [ids])

/** @returns the number deleted */
export const deleteMessages = async (db: Db, before: string, limit: number): Promise<number> =>
  (await db.query(forget, [before, limit])).length
