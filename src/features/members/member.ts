/** The rules of membership: who belongs to a workspace, and as what. */
import type { Role } from '../../access/permissions.ts'
import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Db } from '../../database/connect.ts'
import type { Origin } from '../../events/event.ts'
import { record } from '../../events/record.ts'
import { formatId } from '../../lib/ids.ts'
import * as store from './store.ts'

/** Takes a user, who isn't a member yet, into a workspace. */
export async function addMember(
  services: { db: Db; feed: ChangeFeed },
  origin: Origin,
  member: { workspaceId: string; userId: string; role: Role },
): Promise<void> {
  const { workspaceId, userId, role } = member
  await services.db.transaction(async (trx) => {
    await store.insertMember(trx, member)
    // Nothing is narrowed, but what is cached of the user's sessions lacks the workspace.
    await services.feed.announce(trx, 'user', userId)
    const id = formatId('usr', userId)
    await record(trx, origin, {
      workspaceId,
      action: 'member.added',
      resource: { kind: 'user', id },
      data: { user_id: id, role },
    })
  })
}
