/** Operations of the web console on invitations. */
import { operation } from '../../../context.ts'
import { CONSOLE_BASE } from '../../../platform/http/operation.ts'
import { joinByInvitation, lookAtInvitation } from './invitation-join.ts'
import { createInvitationLink } from './invitation-link.ts'
import {
  InvitationLink,
  JoinByInvitation,
  JoinedWorkspace,
  LookAtInvitation,
  ShownInvitation,
} from './schema.ts'

const common = { base: CONSOLE_BASE, tag: 'People', method: 'POST', idempotency: 'own' } as const
const token = 'invite_…'

export const consoleInvitationOperations = [
  operation({
    ...common,
    id: 'lookAtInvitation',
    route: 'GET /invitations/look',
    access: 'public',
    bucket: 'auth',
    body: LookAtInvitation,
    returns: { 200: ShownInvitation },
    fails: ['invitation_not_found'],
    example: { token },
    run: (context, { body }) => lookAtInvitation(context, body.token),
  }),
  operation({
    ...common,
    id: 'joinByInvitation',
    route: 'GET /invitations/join',
    access: 'public',
    bucket: 'auth',
    body: JoinByInvitation,
    returns: { 201: JoinedWorkspace },
    fails: ['invitation_not_found', 'account_exists', 'registration_closed'],
    example: { token, name: 'Ada Lovelace', password: 'correct horse battery staple' },
    run: (context, { body }) => joinByInvitation(context, body),
  }),
  operation({
    ...common,
    id: 'createInvitationLink',
    route: 'GET /workspaces/:id/invitations/:invitation_id/link',
    access: ['user'],
    needsFreshProof: true,
    permission: 'members.write',
    alsoNeeds: ['admins.write', 'owners.write'],
    returns: { 200: InvitationLink },
    fails: ['invitation_not_found', 'invalid_transition', 'invitation_links_off'],
    run: (context, { params }) => createInvitationLink(context, params.invitation_id),
  }),
]
