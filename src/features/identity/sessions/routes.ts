/** Operations on one's own sessions. */
import Type from 'typebox'
import { operationGroup } from '../../../context.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { listSessions, logOut, revokeSession } from './own-session.ts'
import { SessionView } from './schema.ts'

const operation = operationGroup({ tag: 'Sign-in', access: ['user'] })

export const sessionOperations = [
  operation({
    id: 'logout',
    route: 'POST /auth/logout',
    summary: 'Sign out',
    description: 'Ends the session of the access token, immediately and in every process.',
    bucket: 'safety',
    returns: { 204: null },
    run: (context) => logOut(context),
  }),
  operation({
    id: 'listSessions',
    route: 'GET /auth/sessions',
    summary: "List the calling user's sessions",
    description: 'Sessions that have not ended, newest first.',
    isPlanFree: true,
    query: Type.Object(pageQuery),
    returns: { 200: Page(SessionView) },
    run: (context, { query }) => listSessions(context, query),
  }),
  operation({
    id: 'endSession',
    route: 'DELETE /auth/sessions/:session_id',
    summary: 'End a session',
    description:
      'Its tokens are refused immediately, in every process. Repeating the call succeeds.',
    bucket: 'safety',
    returns: { 204: null },
    fails: ['session_not_found'],
    run: (context, { params }) => revokeSession(context, params.session_id),
  }),
]
