/** Queries on mobile identities and their sessions. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import type { RotatingSession } from '../../identity/sessions/refresh-rotation.ts'

/** Lifetime of a session without a refresh. */
const LIFETIME = `interval '180 days'`
/** Ended sessions are kept for a while, to distinguish old tokens from unknown ones. */
const KEEP_ENDED = `interval '30 days'`
/** How often to check whether an identity is still needed. */
const CHECK_EVERY = `interval '30 days'`

export interface SessionRow extends RotatingSession {
  id: string
  moid_id: string
  workspace_id: string | null
  created_at: number
}

const columns = `s.id, s.moid_id, s.workspace_id, s.salt, s.generation, s.created_at, s.rotated_at,
  s.expires_at, s.ended_at`
const live = 's.ended_at IS NULL AND s.expires_at > now()'
/** A session locked to a workspace is valid while that is active. */
const inActiveWorkspace = `(s.workspace_id IS NULL OR EXISTS (
  SELECT FROM workspaces w WHERE w.id = s.workspace_id AND w.status = 'active'))`

const insert = statement(
  'moid_sessions.insert',
  `WITH place AS (
     SELECT $3::uuid AS workspace_id
     WHERE $3::uuid IS NULL OR EXISTS (
       SELECT FROM workspaces w WHERE w.id = $3 AND w.status = 'active')
   ), moid AS (
     INSERT INTO moids (id) SELECT $1 FROM place RETURNING id
   )
   INSERT INTO moid_sessions AS s (id, moid_id, workspace_id, salt, expires_at)
   SELECT $2, moid.id, place.workspace_id, $4, now() + ${LIFETIME} FROM moid, place
   RETURNING ${columns}`,
)
const toRefresh = statement(
  'moid_sessions.to_refresh',
  `SELECT ${columns}, clock_timestamp() AS now FROM moid_sessions s
   WHERE s.id = $1 AND ${inActiveWorkspace}`,
)
const rotate = statement(
  'moid_sessions.rotate',
  `UPDATE moid_sessions AS s
   SET generation = generation + 1, rotated_at = clock_timestamp(), expires_at = now() + ${LIFETIME}
   WHERE s.id = $1 AND s.generation = $2 AND ${live} RETURNING ${columns}`,
)
const end = statement(
  'moid_sessions.end',
  `UPDATE moid_sessions AS s SET ended_at = now(), end_reason = $2
   WHERE s.id = $1 AND ${live} RETURNING s.id`,
)
/** Of an identity: of one workspace, or of any if that is null. */
const boundDevice = (moid: string, workspace: string): string =>
  `SELECT c.device_id FROM claims c
   WHERE c.moid_id = ${moid} AND c.status = 'bound'
     AND (${workspace} IS NULL OR c.workspace_id = ${workspace})
   LIMIT 1`
const bound = statement('moids.bound_device', boundDevice('$1::uuid', '$2::uuid'))
const admitted = statement(
  'moid_sessions.admitted',
  `SELECT s.moid_id, s.workspace_id,
          (${boundDevice('s.moid_id', 's.workspace_id')}) AS device_id
   FROM moid_sessions s WHERE s.id = $1 AND ${live} AND ${inActiveWorkspace}`,
)
const withMoid = statement(
  'moid_sessions.with_moid',
  `SELECT ${columns}, m.created_at AS moid_created_at
   FROM moid_sessions s JOIN moids m ON m.id = s.moid_id WHERE s.id = $1`,
)
const deleteOver = statement(
  'moid_sessions.delete_over',
  `WITH over AS (
     (SELECT id FROM moid_sessions WHERE expires_at <= now() ORDER BY expires_at LIMIT $1)
     UNION
     (SELECT id FROM moid_sessions WHERE ended_at <= now() - ${KEEP_ENDED}
      ORDER BY ended_at LIMIT $1)
   ), gone AS (
     DELETE FROM moid_sessions s USING over WHERE s.id = over.id RETURNING s.moid_id
   ), noted AS (
     UPDATE moids m SET check_at = now() FROM gone WHERE m.id = gone.moid_id
   )
   SELECT count(*) AS deleted FROM gone`,
)
const deleteUnneeded = statement(
  'moids.delete_unneeded',
  `WITH due AS (
     SELECT id FROM moids WHERE check_at <= now() ORDER BY check_at LIMIT $1
     FOR UPDATE SKIP LOCKED
   ), looked AS (
     SELECT due.id,
            EXISTS (SELECT FROM moid_sessions s WHERE s.moid_id = due.id)
            OR EXISTS (SELECT FROM claims c WHERE c.moid_id = due.id) AS needed
     FROM due
   ), gone AS (
     DELETE FROM moids m USING looked WHERE m.id = looked.id AND NOT looked.needed
   ), kept AS (
     UPDATE moids m SET check_at = now() + ${CHECK_EVERY}
     FROM looked WHERE m.id = looked.id AND looked.needed
   )
   SELECT count(*) AS looked FROM looked`,
)

export interface NewSession {
  moidId: string
  id: string
  workspaceId: string | null
  salt: Buffer
}

/** Creates an identity and its session. @returns undefined if the workspace is not active */
export async function insertSession(db: Db, session: NewSession): Promise<SessionRow | undefined> {
  const { moidId, id, workspaceId, salt } = session
  return (await db.query<SessionRow>(insert, [moidId, id, workspaceId, salt]))[0]
}

/** The session with the database's time, unless its workspace is not active. */
export async function findToRefresh(
  db: Db,
  id: string,
): Promise<(SessionRow & { now: number }) | undefined> {
  return (await db.query<SessionRow & { now: number }>(toRefresh, [id]))[0]
}

/** @returns the new state; undefined if the generation has changed or the session has ended */
export async function rotateSession(
  db: Db,
  id: string,
  generation: number,
): Promise<SessionRow | undefined> {
  return (await db.query<SessionRow>(rotate, [id, generation]))[0]
}

/** @returns whether it was live */
export const endSession = async (db: Db, id: string, reason: string): Promise<boolean> =>
  (await db.query(end, [id, reason])).length > 0

export interface AdmittedRow {
  moid_id: string
  workspace_id: string | null
  /** One of the devices that the identity holds; null: none. */
  device_id: string | null
}

export async function findAdmitted(db: Db, sessionId: string): Promise<AdmittedRow | undefined> {
  return (await db.query<AdmittedRow>(admitted, [sessionId]))[0]
}

/** @param within the only workspace to search; null: all */
export const holdsDevice = async (
  db: Db,
  moidId: string,
  within: string | null,
): Promise<boolean> => (await db.query(bound, [moidId, within])).length > 0

export async function findMoid(
  db: Db,
  sessionId: string,
): Promise<(SessionRow & { moid_created_at: number }) | undefined> {
  return (await db.query<SessionRow & { moid_created_at: number }>(withMoid, [sessionId]))[0]
}

/** Deletes ended sessions and schedules the check of their identities. @returns their number */
export const deleteSessionsOver = async (db: Db, limit: number): Promise<number> =>
  (await db.query<{ deleted: number }>(deleteOver, [limit]))[0]?.deleted ?? 0

/** Checks due identities and deletes those without sessions and claims. */
export const deleteUnneededMoids = async (db: Db, limit: number): Promise<number> =>
  (await db.query<{ looked: number }>(deleteUnneeded, [limit]))[0]?.looked ?? 0
