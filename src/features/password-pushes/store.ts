/** Queries on passwords that are on their way to brokers. */
import { type Db, statement } from '../../database/connect.ts'

const insert = statement(
  'password_pushes.insert',
  `INSERT INTO mqtt_password_pushes (workspace_id, id, principal_id, broker, sealed)
   SELECT $1, p.* FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bytea[]) AS p`,
)
// In the order in which they were made: the last one of a principal is the one that counts.
const take = statement(
  'password_pushes.take',
  `WITH due AS (
     SELECT workspace_id, id FROM mqtt_password_pushes
     WHERE broker = ANY ($1::text[]) AND next_at <= now()
     ORDER BY next_at, id LIMIT $3 FOR UPDATE SKIP LOCKED
   )
   UPDATE mqtt_password_pushes p SET next_at = now() + make_interval(secs => $2)
   FROM due WHERE p.workspace_id = due.workspace_id AND p.id = due.id
   RETURNING p.workspace_id, p.id, p.principal_id, p.broker, p.sealed`,
)
const defer = statement(
  'password_pushes.defer',
  `UPDATE mqtt_password_pushes SET next_at = now() + make_interval(secs => $3)
   WHERE workspace_id = $1 AND id = $2`,
)
const remove = statement(
  'password_pushes.delete',
  'DELETE FROM mqtt_password_pushes WHERE workspace_id = $1 AND id = $2',
)
const forget = statement(
  'password_pushes.forget',
  `DELETE FROM mqtt_password_pushes WHERE created_at < now() - make_interval(secs => $1)`,
)

export interface PushRow {
  workspace_id: string
  id: string
  principal_id: string
  broker: string
  sealed: Buffer
}

export async function insertPushes(
  db: Db,
  workspaceId: string,
  rows: readonly Omit<PushRow, 'workspace_id'>[],
): Promise<void> {
  await db.query(insert, [
    workspaceId,
    rows.map((row) => row.id),
    rows.map((row) => row.principal_id),
    rows.map((row) => row.broker),
    rows.map((row) => row.sealed),
  ])
}

/** Those that are due, for these brokers; of several processes one has each, for a while. */
export const takePushes = (
  db: Db,
  brokers: readonly string[],
  leaseSeconds: number,
  limit: number,
): Promise<PushRow[]> => db.query(take, [brokers, leaseSeconds, limit])

export async function deferPush(db: Db, push: PushRow, seconds: number): Promise<void> {
  await db.query(defer, [push.workspace_id, push.id, seconds])
}

export async function deletePush(db: Db, push: PushRow): Promise<void> {
  await db.query(remove, [push.workspace_id, push.id])
}

export async function forgetPushes(db: Db, olderThanSeconds: number): Promise<void> {
  await db.query(forget, [olderThanSeconds])
}
