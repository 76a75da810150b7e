/** Operations on one's own sessions. */
import Type from 'typebox'
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { listSessions, logOut, revokeSession } from './own-session.ts'
import { SessionView } from './schema.ts'

const access = ['user'] as const
const tag = 'Sign-in'

export const sessionOperations = [
  operation({
    id: 'logout',
    method: 'POST',
    path: '/auth/logout',
    tag,
    summary: 'Sign out',
    description: 'Ends the session of the access token, immediately and in every process.',
    access,
    bucket: 'safety',
    returns: { 204: null },
    fails: [],
    async run(context) {
      await logOut(context)
      return respond(204, null)
    },
  }),
  operation({
    id: 'listSessions',
    method: 'GET',
    path: '/auth/sessions',
    tag,
    summary: "List the calling user's sessions",
    description: 'Sessions that have not ended, newest first.',
    access,
    isPlanFree: true,
    query: Type.Object(pageQuery),
    returns: { 200: Page(SessionView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listSessions(context, query)),
  }),
  operation({
    id: 'endSession',
    method: 'DELETE',
    path: '/auth/sessions/:session_id',
    tag,
    summary: 'End a session',
    description:
      'Its tokens are refused immediately, in every process. Repeating the call succeeds.',
    access,
    bucket: 'safety',
    params: { session_id: idParam('ses', 'session_not_found') },
    returns: { 204: null },
    fails: ['session_not_found'],
    async run(context, { params }) {
      await revokeSession(context, params.session_id)
      return respond(204, null)
    },
  }),
]
