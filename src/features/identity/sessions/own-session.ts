/** Lists and ends one's own sessions. */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { readPage, type PageQuery } from '../../common/paging.ts'
import { timestamp } from '../../common/shapes.ts'
import type { SessionView } from './schema.ts'
import { endSession } from './session.ts'
import { pageOfLiveSessions } from './store.ts'
import type { Paged } from '../../common/results.ts'

/** Ends the session of the request. */
export const logOut = (context: Context<UserCaller>): Promise<void> => {
  const { userId, sessionId } = context.caller
  return endSession(context, originOf(context), userId, sessionId, 'logged_out')
}

/** @throws Failure session_not_found */
export const revokeSession = (context: Context<UserCaller>, sessionId: string): Promise<void> =>
  endSession(context, originOf(context), context.caller.userId, sessionId, 'revoked')

export async function listSessions(
  context: Context<UserCaller>,
  query: PageQuery,
): Promise<Paged<SessionView>> {
  const { db, caller } = context
  const page = readPage(context, query, `sessions ${caller.userId}`)
  const rows = await pageOfLiveSessions.rows(db, { userId: caller.userId, ...page.asked })
  return page.of(
    rows,
    ({ id }) => id,
    (row) => ({
      id: formatId('ses', row.id),
      current: row.id === caller.sessionId,
      mfa: row.mfa,
      address: row.address,
      user_agent: row.user_agent,
      workspace_id: row.limited_to === null ? null : formatId('ws', row.limited_to),
      created_at: timestamp(row.created_at),
      refreshed_at: timestamp(row.rotated_at),
      expires_at: timestamp(row.expires_at),
    }),
  )
}
