/** Operations on sessions of mobile identities. */
import { operationGroup } from '../../../context.ts'
import { MoidSession, MoidView, RefreshMoidSession, StartMoidSession } from './schema.ts'
import { endOwnSession, getMoid, refreshSession, startSession } from './session.ts'

const operation = operationGroup({ tag: 'Mobile identity', access: 'public' })

export const moidOperations = [
  operation({
    id: 'startMoidSession',
    route: 'POST /moid/session',
    summary: 'Start a session of a new mobile identity',
    description:
      'Keep the refresh token: it is the identity. A session with a `workspace_id` sees only what belongs to that workspace. The number of new sessions is limited by address and workspace.',
    bucket: 'auth',
    body: StartMoidSession,
    returns: { 201: MoidSession },
    fails: ['workspace_not_found'],
    example: { workspace_id: 'ws_01k0a2b3c4d5e6f7g8h9j0kmnp' },
    run: (context, { body }) => startSession(context, body),
  }),
  operation({
    id: 'refreshMoidSession',
    route: 'POST /moid/refresh',
    summary: 'Refresh a session of a mobile identity',
    description:
      'Returns a new access token and the next refresh token. While the next one is unused, the old one returns it again, so that a lost response does no harm. Use of an older token ends the session.',
    // A refusal here would sign phones out.
    bucket: 'safety',
    limitedBy: 'rule',
    idempotency: 'own',
    body: RefreshMoidSession,
    returns: { 200: MoidSession },
    fails: ['refresh_token_rejected', 'refresh_token_reused'],
    example: { refresh_token: 'mrt_…' },
    run: (context, { body }) => refreshSession(context, body.refresh_token),
  }),
  operation({
    id: 'getMoid',
    route: 'GET /moid/me',
    summary: 'Get the calling mobile identity',
    access: ['moid'],
    returns: { 200: MoidView },
    run: (context) => getMoid(context),
  }),
  operation({
    id: 'endMoidSession',
    route: 'DELETE /moid/session',
    summary: 'End the calling session',
    description:
      'Its tokens are refused from the next request on. Release the devices first: without a session the phone cannot release them.',
    access: ['moid'],
    bucket: 'safety',
    returns: { 204: null },
    run: (context) => endOwnSession(context),
  }),
]
