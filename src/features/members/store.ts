/** Queries on who belongs to a workspace. */
import type { Role } from '../../access/permissions.ts'
import { type Db, statement } from '../../database/connect.ts'

const insert = statement(
  'memberships.insert',
  'INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, $3)',
)

export async function insertMember(
  db: Db,
  member: { workspaceId: string; userId: string; role: Role },
): Promise<void> {
  await db.query(insert, [member.workspaceId, member.userId, member.role])
}
