/** Operations on sessions of mobile identities. */
import { operation } from '../../../context.ts'
import { respond } from '../../../platform/http/operation.ts'
import { MoidSession, MoidView, RefreshMoidSession, StartMoidSession } from './schema.ts'
import { endOwnSession, getMoid, refreshSession, startSession } from './session.ts'

const tag = 'Mobile identity'

export const moidOperations = [
  operation({
    id: 'startMoidSession',
    method: 'POST',
    path: '/moid/session',
    tag,
    summary: 'Start a session of a new mobile identity',
    description:
      'Keep the refresh token: it is the identity. A session with a `workspace_id` sees only what belongs to that workspace. The number of new sessions is limited by address and workspace.',
    access: 'public',
    bucket: 'auth',
    body: StartMoidSession,
    returns: { 201: MoidSession },
    fails: ['workspace_not_found'],
    example: { workspace_id: 'ws_01k0a2b3c4d5e6f7g8h9j0kmnp' },
    run: async (context, { body }) => respond(201, await startSession(context, body)),
  }),
  operation({
    id: 'refreshMoidSession',
    method: 'POST',
    path: '/moid/refresh',
    tag,
    summary: 'Refresh a session of a mobile identity',
    description:
      'Returns a new access token and the next refresh token. While the next one is unused, the old one returns it again, so that a lost response does no harm. Use of an older token ends the session.',
    access: 'public',
    // A refusal here would sign phones out.
    bucket: 'safety',
    limitedBy: 'rule',
    idempotency: 'own',
    body: RefreshMoidSession,
    returns: { 200: MoidSession },
    fails: ['refresh_token_rejected', 'refresh_token_reused'],
    example: { refresh_token: 'mrt_…' },
    run: async (context, { body }) =>
      respond(200, await refreshSession(context, body.refresh_token)),
  }),
  operation({
    id: 'getMoid',
    method: 'GET',
    path: '/moid/me',
    tag,
    summary: 'Get the calling mobile identity',
    access: ['moid'],
    returns: { 200: MoidView },
    fails: [],
    run: async (context) => respond(200, await getMoid(context)),
  }),
  operation({
    id: 'endMoidSession',
    method: 'DELETE',
    path: '/moid/session',
    tag,
    summary: 'End the calling session',
    description:
      'Its tokens are refused from the next request on. Release the devices first: without a session nobody can release them.',
    access: ['moid'],
    bucket: 'safety',
    returns: { 204: null },
    fails: [],
    async run(context) {
      await endOwnSession(context)
      return respond(204, null)
    },
  }),
]
