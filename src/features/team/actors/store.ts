/**
 * Names of users and keys. A user is known in a workspace by a membership or by an act; of a
 * deleted account only its acts are left.
 */
import { sql } from '../../../platform/database/sql.ts'

export const findUserActors = sql(
  'actors.users',
  `SELECT i.public_id AS id!,
          CASE WHEN u.id IS NULL THEN 'deleted account' WHEN u.name = '' THEN u.email
               ELSE u.name END AS label!,
          m.user_id IS NOT NULL AS is_active!, u.id IS NULL AS is_deleted!
   FROM unnest($ids::uuid[], $publicIds::text[]) AS i (id, public_id)
   LEFT JOIN users u ON u.id = i.id
   LEFT JOIN memberships m ON m.workspace_id = $workspaceId AND m.user_id = i.id
   WHERE m.user_id IS NOT NULL
     OR EXISTS (SELECT FROM audit_log a
                WHERE a.workspace_id = $workspaceId AND a.actor_id = i.public_id)`,
)

export const findKeyActors = sql(
  'actors.keys',
  `SELECT i.public_id AS id!, k.name AS label!, k.revoked_at IS NULL AS is_active!,
          false AS is_deleted!
   FROM unnest($ids::uuid[], $publicIds::text[]) AS i (id, public_id)
   JOIN api_keys k ON k.workspace_id = $workspaceId AND k.id = i.id`,
)
