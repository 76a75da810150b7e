/** Queries on mobile identities and their sessions. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'

/** Lifetime of a session without a refresh. */
const LIFETIME = "interval '180 days'"
/** Ended sessions are kept for a while, to distinguish old tokens from unknown ones. */
const KEEP_ENDED = "interval '30 days'"
/** How often to check whether an identity is still needed. */
const CHECK_EVERY = "interval '30 days'"

export type SessionRow = RowOf<typeof rotateSession>

const columns = `s.id, s.moid_id, s.workspace_id, s.salt, s.generation, s.created_at, s.rotated_at,
  s.expires_at, s.ended_at`
const live = 's.ended_at IS NULL AND s.expires_at > now()'
/** A session locked to a workspace is valid while that is active. */
const inActiveWorkspace = `(s.workspace_id IS NULL OR EXISTS (
  SELECT FROM workspaces w WHERE w.id = s.workspace_id AND w.status = 'active'))`

/** Creates an identity and its session. @returns undefined if the workspace is not active */
export const insertSession = sql('moid_sessions.insert')`
  WITH place AS (
    SELECT $workspaceId::uuid AS workspace_id
    WHERE $workspaceId?::uuid IS NULL OR EXISTS (
      SELECT FROM workspaces w WHERE w.id = $workspaceId AND w.status = 'active')
  ), moid AS (
    INSERT INTO moids (id) SELECT $moidId FROM place RETURNING id
  )
  INSERT INTO moid_sessions AS s (id, moid_id, workspace_id, salt, expires_at)
  SELECT $id, moid.id, place.workspace_id, $salt, now() + ${LIFETIME} FROM moid, place
  RETURNING ${columns}`
/** The session with the database's time, unless its workspace is not active. */
export const findToRefresh = sql('moid_sessions.to_refresh')`
  SELECT ${columns}, clock_timestamp() AS now FROM moid_sessions s
  WHERE s.id = $id AND ${inActiveWorkspace}`
/** @returns the new state; undefined if the generation has changed or the session has ended */
export const rotateSession = sql('moid_sessions.rotate')`
  UPDATE moid_sessions AS s
  SET generation = generation + 1, rotated_at = clock_timestamp(), expires_at = now() + ${LIFETIME}
  WHERE s.id = $id AND s.generation = $generation AND ${live} RETURNING ${columns}`
/** @returns whether it was live */
export const endSession = sql('moid_sessions.end')`
  UPDATE moid_sessions AS s SET ended_at = now(), end_reason = $endReason
  WHERE s.id = $id AND ${live} RETURNING s.id`
/** A device of an identity: in one workspace, or in any if that is null. */
const boundDevice = (moid: string, workspace: string): string =>
  `SELECT c.device_id FROM claims c
   WHERE c.moid_id = ${moid} AND c.status = 'bound'
     AND (${workspace} IS NULL OR c.workspace_id = ${workspace})
   LIMIT 1`
/** @param within the only workspace to search; null: all */
export const holdsDevice = sql('moids.bound_device')`
  ${boundDevice('$moidId::uuid', '$within?::uuid')}`
export const findAdmitted = sql('moid_sessions.admitted')`
  SELECT s.moid_id, s.workspace_id,
         (${boundDevice('s.moid_id', 's.workspace_id')}) AS device_id
  FROM moid_sessions s WHERE s.id = $id AND ${live} AND ${inActiveWorkspace}`
export const findMoid = sql('moid_sessions.with_moid')`
  SELECT ${columns}, m.created_at AS moid_created_at
  FROM moid_sessions s JOIN moids m ON m.id = s.moid_id WHERE s.id = $id`
/** Deletes ended sessions and schedules the check of their identities. @returns their number */
export const deleteSessionsOver = sql('moid_sessions.delete_over')`
  WITH over AS (
    (SELECT id FROM moid_sessions WHERE expires_at <= now() ORDER BY expires_at LIMIT $limit)
    UNION
    (SELECT id FROM moid_sessions WHERE ended_at <= now() - ${KEEP_ENDED}
     ORDER BY ended_at LIMIT $limit)
  ), gone AS (
    DELETE FROM moid_sessions s USING over WHERE s.id = over.id RETURNING s.moid_id
  ), noted AS (
    UPDATE moids m SET check_at = now() FROM gone WHERE m.id = gone.moid_id
  )
  SELECT count(*) AS deleted FROM gone`
/** Checks due identities and deletes those without sessions and claims. */
export const deleteUnneededMoids = sql('moids.delete_unneeded')`
  WITH due AS (
    SELECT id FROM moids WHERE check_at <= now() ORDER BY check_at LIMIT $limit
    FOR UPDATE SKIP LOCKED
  ), checked AS (
    SELECT due.id,
           EXISTS (SELECT FROM moid_sessions s WHERE s.moid_id = due.id)
           OR EXISTS (SELECT FROM claims c WHERE c.moid_id = due.id) AS needed
    FROM due
  ), gone AS (
    DELETE FROM moids m USING checked WHERE m.id = checked.id AND NOT checked.needed
  ), kept AS (
    UPDATE moids m SET check_at = now() + ${CHECK_EVERY}
    FROM checked WHERE m.id = checked.id AND checked.needed
  )
  SELECT count(*) AS checked FROM checked`

export type AdmittedRow = RowOf<typeof findAdmitted>
