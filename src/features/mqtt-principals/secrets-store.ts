/** Queries on the secrets of principals; those of devices have the same life. */
import { type Db, statement } from '../../database/connect.ts'

// As of devices: all older ones are locked in one order first, so that two that are confirmed at
// once never wait for each other in a circle.
const confirm = statement(
  'mqtt_principal_secrets.confirm',
  `WITH held AS (
     SELECT generation FROM mqtt_principal_secrets
     WHERE workspace_id = $1 AND principal_id = $2 AND generation <= $3
     ORDER BY generation FOR UPDATE
   ), confirmed AS (
     UPDATE mqtt_principal_secrets SET expires_at = NULL
     WHERE workspace_id = $1 AND principal_id = $2 AND expires_at > now()
       AND generation = (SELECT max(generation) FROM held WHERE generation = $3)
     RETURNING generation
   ), told AS (
     INSERT INTO changes (kind, ref) SELECT 'mqtt-principal', $2::uuid FROM confirmed
   ), dead AS (
     DELETE FROM mqtt_principal_secrets s USING confirmed
     WHERE s.workspace_id = $1 AND s.principal_id = $2 AND s.generation < confirmed.generation
   )
   SELECT generation FROM confirmed`,
)
/** Confirms a pending secret and deletes the older ones. @returns whether it was pending still. */
export async function confirmSecret(
  db: Db,
  workspaceId: string,
  principalId: string,
  generation: number,
): Promise<boolean> {
  return (await db.query(confirm, [workspaceId, principalId, generation])).length > 0
}
