/** Queries on passwords to be passed on to brokers. */
import { type Db, statement } from '../../../platform/database/connect.ts'

const insert = statement(
  'password_pushes.insert',
  `INSERT INTO mqtt_password_pushes (workspace_id, id, principal_id, broker, sealed, given_at)
   SELECT $1, p.id, p.principal_id, p.broker, p.sealed, CASE WHEN p.is_given THEN now() END
   FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bytea[], $6::bool[])
     AS p (id, principal_id, broker, sealed, is_given)`,
)
// In order of creation: a principal's last one counts.
const take = statement(
  'password_pushes.take',
  `WITH due AS (
     SELECT workspace_id, id FROM mqtt_password_pushes
     WHERE broker = ANY ($1::text[]) AND next_at <= now()
     ORDER BY next_at, id LIMIT $3 FOR UPDATE SKIP LOCKED
   )
   UPDATE mqtt_password_pushes p SET next_at = now() + make_interval(secs => $2)
   FROM due WHERE p.workspace_id = due.workspace_id AND p.id = due.id
   RETURNING p.workspace_id, p.id, p.principal_id, p.broker, p.sealed, p.next_at::text AS lease`,
)
// Anyone who has moved `next_at` meanwhile wants the row to be checked again.
const held = 'workspace_id = $1 AND id = $2 AND next_at = $3::timestamptz'
const defer = statement(
  'password_pushes.defer',
  `UPDATE mqtt_password_pushes SET next_at = now() + make_interval(secs => $4) WHERE ${held}`,
)
const settle = statement(
  'password_pushes.settle',
  `WITH done AS (
     DELETE FROM mqtt_password_pushes
     WHERE ${held} AND given_at <= now() - make_interval(secs => $4)
   )
   UPDATE mqtt_password_pushes
   SET given_at = coalesce(given_at, now()),
       next_at = coalesce(given_at, now()) + make_interval(secs => $4)
   WHERE ${held} AND (given_at IS NULL OR given_at > now() - make_interval(secs => $4))`,
)
const remove = statement(
  'password_pushes.delete',
  'DELETE FROM mqtt_password_pushes WHERE workspace_id = $1 AND id = $2',
)
const again = statement(
  'password_pushes.look_again',
  `WITH other AS (
     SELECT id FROM mqtt_password_pushes
     WHERE workspace_id = $1 AND principal_id = $2 AND broker = $3 AND id <> $4
     ORDER BY id FOR UPDATE
   )
   UPDATE mqtt_password_pushes p SET next_at = now()
   FROM other WHERE p.workspace_id = $1 AND p.id = other.id RETURNING 1`,
)
const forget = statement(
  'password_pushes.forget',
  `DELETE FROM mqtt_password_pushes WHERE created_at < now() - make_interval(secs => $1)`,
)

export interface NewPush {
  id: string
  principal_id: string
  broker: string
  sealed: Buffer
  /** Whether it was already passed on. */
  is_given: boolean
}

export interface PushRow extends Omit<NewPush, 'is_given'> {
  workspace_id: string
  /** Until when it is claimed, as the database formats it: compared to the microsecond. */
  lease: string
}

export async function insertPushes(
  db: Db,
  workspaceId: string,
  rows: readonly NewPush[],
): Promise<void> {
  await db.query(insert, [
    workspaceId,
    rows.map((row) => row.id),
    rows.map((row) => row.principal_id),
    rows.map((row) => row.broker),
    rows.map((row) => row.sealed),
    rows.map((row) => row.is_given),
  ])
}

/** Due rows for these brokers; each is claimed by one process for a while. */
export const takePushes = (
  db: Db,
  brokers: readonly string[],
  leaseSeconds: number,
  limit: number,
): Promise<PushRow[]> => db.query(take, [brokers, leaseSeconds, limit])

export async function deferPush(db: Db, push: PushRow, seconds: number): Promise<void> {
  await db.query(defer, [push.workspace_id, push.id, push.lease, seconds])
}

/** The broker has it: it is checked once more when no older one can arrive, and then deleted. */
export async function settlePush(db: Db, push: PushRow, settledSeconds: number): Promise<void> {
  await db.query(settle, [push.workspace_id, push.id, push.lease, settledSeconds])
}

export async function deletePush(db: Db, push: PushRow): Promise<void> {
  await db.query(remove, [push.workspace_id, push.id])
}

/**
 * Schedules a check of everything else passed on for the principal there. @returns whether there is
 * any
 */
export async function lookAgain(
  db: Db,
  { workspace_id, principal_id, broker, id }: PushRow,
): Promise<boolean> {
  return (await db.query(again, [workspace_id, principal_id, broker, id])).length > 0
}

export async function forgetPushes(db: Db, olderThanSeconds: number): Promise<void> {
  await db.query(forget, [olderThanSeconds])
}
