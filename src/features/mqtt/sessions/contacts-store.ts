/** When principals were last connected, written for many at once. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface PrincipalContact {
  workspaceId: string
  principalId: string
  incarnation: number
  /** Milliseconds since the epoch. */
  at: number
}

// Rows are locked in one order, so that two processes never wait for each other in a circle.
const touch = statement(
  'mqtt_principal_contacts.touch',
  `WITH seen AS (
     SELECT p.workspace_id, p.id, s.incarnation, to_timestamp(s.at / 1000.0) AS at
     FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::float8[])
       AS s (workspace_id, id, incarnation, at)
     JOIN mqtt_principals p ON p.workspace_id = s.workspace_id AND p.id = s.id
     ORDER BY p.workspace_id, p.id FOR NO KEY UPDATE OF p
   )
   UPDATE mqtt_principals p
   SET last_incarnation = seen.incarnation, last_connected_at = seen.at
   FROM seen
   WHERE p.workspace_id = seen.workspace_id AND p.id = seen.id
     AND p.last_incarnation < seen.incarnation`,
)

export async function writeContacts(db: Db, contacts: readonly PrincipalContact[]): Promise<void> {
  await db.query(touch, [
    contacts.map(({ workspaceId }) => workspaceId),
    contacts.map(({ principalId }) => principalId),
    contacts.map(({ incarnation }) => incarnation),
    contacts.map(({ at }) => at),
  ])
}
