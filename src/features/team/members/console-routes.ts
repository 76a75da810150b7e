/** Operations of the web console on invitations. */
import { operationGroup } from '../../../context.ts'
import { CONSOLE_BASE } from '../../../platform/http/operation.ts'
import { joinByInvitation, lookAtInvitation } from './invitation-join.ts'
import { createInvitationLink } from './invitation-link.ts'
import * as schema from './schema.ts'

const operation = operationGroup({
  tag: 'People',
  access: 'public',
  base: CONSOLE_BASE,
  idempotency: 'own',
})
const token = 'invite_…'

export const consoleInvitationOperations = [
  operation({
    id: 'lookAtInvitation',
    route: 'POST /invitations/look',
    bucket: 'auth',
    body: schema.LookAtInvitation,
    returns: { 200: schema.ShownInvitation },
    fails: ['invitation_not_found'],
    example: { token },
    run: (context, { body }) => lookAtInvitation(context, body.token),
  }),
  operation({
    id: 'joinByInvitation',
    route: 'POST /invitations/join',
    bucket: 'auth',
    body: schema.JoinByInvitation,
    returns: { 201: schema.JoinedWorkspace },
    fails: ['invitation_not_found', 'account_exists', 'registration_closed'],
    example: { token, name: 'Ada Lovelace', password: 'correct horse battery staple' },
    run: (context, { body }) => joinByInvitation(context, body),
  }),
  operation({
    id: 'createInvitationLink',
    route: 'POST /workspaces/:id/invitations/:invitation_id/link',
    access: ['user'],
    needsFreshProof: true,
    permission: 'members.write',
    alsoNeeds: ['admins.write', 'owners.write'],
    returns: { 200: schema.InvitationLink },
    fails: ['invitation_not_found', 'invalid_transition', 'invitation_links_off'],
    run: (context, { params }) => createInvitationLink(context, params.invitation_id),
  }),
]
