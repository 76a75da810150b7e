/** Queries on passwords to be passed on to brokers. */
import { type RowOf, sql, unnested } from '../../../platform/database/sql.ts'

export const insertPushes = sql('password_pushes.insert')`
  INSERT INTO mqtt_password_pushes (workspace_id, id, principal_id, broker, sealed, given_at)
  SELECT $workspaceId, p.id, p.principal_id, p.broker, p.sealed, CASE
    WHEN p.is_given THEN now() END
  FROM ${unnested('p', 'id uuid, principal_id text, broker text, sealed bytea, is_given bool')}`
// In order of creation: a principal's last one counts.
/** Due rows for these brokers; each is claimed by one process for a while. */
export const takePushes = sql('password_pushes.take')`
  WITH due AS (
    SELECT workspace_id, id FROM mqtt_password_pushes
    WHERE broker = ANY ($brokers::text[]) AND next_at <= now()
    ORDER BY next_at, id LIMIT $limit FOR UPDATE SKIP LOCKED
  )
  UPDATE mqtt_password_pushes p SET next_at = now() + make_interval(secs => $seconds)
  FROM due WHERE p.workspace_id = due.workspace_id AND p.id = due.id
  RETURNING p.workspace_id, p.id, p.principal_id, p.broker, p.sealed, p.next_at::text AS lease!`
// Anyone who has moved `next_at` meanwhile wants the row to be checked again.
const held = 'workspace_id = $workspace_id AND id = $id AND next_at = $lease::timestamptz'
export const deferPush = sql('password_pushes.defer')`
  UPDATE mqtt_password_pushes SET next_at = now() + make_interval(secs => $seconds) WHERE ${held}`
/** Notes that the broker has the password; a last check follows when no older one can arrive. */
export const settlePush = sql('password_pushes.settle')`
  WITH done AS (
    DELETE FROM mqtt_password_pushes
    WHERE ${held} AND given_at <= now() - make_interval(secs => $seconds)
  )
  UPDATE mqtt_password_pushes
  SET given_at = coalesce(given_at, now()),
      next_at = coalesce(given_at, now()) + make_interval(secs => $seconds)
  WHERE ${held} AND (given_at IS NULL OR given_at > now() - make_interval(secs => $seconds))`
export const deletePush = sql('password_pushes.delete')`
  DELETE FROM mqtt_password_pushes WHERE workspace_id = $workspace_id AND id = $id`
/**
 * Schedules a check of everything else passed on for the principal there. @returns whether there is
 * any
 */
export const checkAgain = sql('password_pushes.check_again')`
  WITH other AS (
    SELECT id FROM mqtt_password_pushes
    WHERE workspace_id = $workspace_id AND principal_id = $principal_id AND broker = $broker
      AND id <> $id
    ORDER BY id FOR UPDATE
  )
  UPDATE mqtt_password_pushes p SET next_at = now()
  FROM other WHERE p.workspace_id = $workspace_id AND p.id = other.id RETURNING 1`
export const deletePushes = sql('password_pushes.delete_old')`
  DELETE FROM mqtt_password_pushes WHERE created_at < now() - make_interval(secs => $seconds)`

export interface NewPush {
  id: string
  principal_id: string
  broker: string
  sealed: Buffer
  /** Whether it was already passed on. */
  is_given: boolean
}

/** `lease`: until when it is claimed, as the database formats it: compared to the microsecond. */
export type PushRow = RowOf<typeof takePushes>
