/** Operations of the web console on signing in by an identity provider. */
import type { Services } from '../../../context.ts'
import { CONSOLE_BASE, operationOf } from '../../../platform/http/operation.ts'
import { type SsoServices, startSso } from './attempt.ts'
import { linkIdentity, listIdentities, unlinkIdentity } from './identity.ts'
import { FinishSso, Identities, LinkIdentity, SsoSession, SsoStart, StartSso } from './schema.ts'
import { finishSso } from './sso-sign-in.ts'

const operation = operationOf<Services & SsoServices>()
const common = { base: CONSOLE_BASE, tag: 'Sign-in', idempotency: 'own' } as const
const signIn = { ...common, access: 'public', bucket: 'auth' } as const
const own = { ...common, access: ['user'], isPlanFree: true } as const

export const singleSignOnOperations = [
  operation({
    ...signIn,
    id: 'startSso',
    route: 'POST /session/sso/start',
    body: StartSso,
    returns: { 200: SsoStart },
    fails: ['sso_provider_not_found', 'sso_provider_unavailable'],
    example: { provider: 'acme', stay: true },
    run: (context, { body }) => startSso(context, body),
  }),
  operation({
    ...signIn,
    id: 'finishSso',
    route: 'POST /session/sso',
    body: FinishSso,
    returns: { 200: SsoSession },
    fails: [
      'sso_provider_not_found',
      'sso_provider_unavailable',
      'sso_rejected',
      'sso_address_refused',
      'registration_closed',
    ],
    example: { provider: 'acme', response: '?code=…&state=…' },
    run: (context, { body }) => finishSso(context, body),
  }),
  operation({
    ...own,
    id: 'listIdentities',
    route: 'GET /auth/identities',
    returns: { 200: Identities },
    run: (context) => listIdentities(context),
  }),
  operation({
    ...own,
    id: 'linkIdentity',
    route: 'POST /auth/identities',
    needsFreshProof: true,
    bucket: 'auth',
    body: LinkIdentity,
    returns: { 204: null },
    fails: ['sso_rejected', 'mfa_required', 'permission_denied'],
    example: { token: 'link_…' },
    run: (context, { body }) => linkIdentity(context, body),
  }),
  operation({
    ...own,
    id: 'unlinkIdentity',
    route: 'DELETE /auth/identities/:identity_id',
    needsFreshProof: true,
    bucket: 'safety',
    returns: { 204: null },
    fails: ['mfa_required', 'permission_denied'],
    run: (context, { params }) => unlinkIdentity(context, params.identity_id),
  }),
]
