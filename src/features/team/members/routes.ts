/** Operations on members and invitations. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import { acceptInvitation } from './invitation-acceptance.ts'
import { createInvitation, listInvitations, revokeInvitation } from './invitation.ts'
import { listMembers } from './member.ts'
import {
  AcceptedInvitation,
  AcceptInvitation,
  CreateInvitation,
  InvitationView,
  ListInvitations,
  ListMembers,
  MemberView,
} from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'People'
const workspace = { id: idParam('ws', 'workspace_not_found') }
const invitation = { ...workspace, invitation_id: idParam('inv', 'invitation_not_found') }

export const memberOperations = [
  operation({
    id: 'listMembers',
    method: 'GET',
    path: '/workspaces/:id/members',
    tag,
    summary: 'List members',
    description: 'Ordered by the creation of the account, newest first.',
    access,
    permission: 'members.read',
    isPlanFree: true,
    params: workspace,
    query: ListMembers,
    returns: { 200: Page(MemberView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listMembers(context, query)),
  }),
]

export const invitationOperations = [
  operation({
    id: 'listInvitations',
    method: 'GET',
    path: '/workspaces/:id/invitations',
    tag,
    summary: 'List invitations',
    description: 'Newest first. Ended invitations are kept for 90 days.',
    access,
    permission: 'invitations.read',
    isPlanFree: true,
    params: workspace,
    query: ListInvitations,
    returns: { 200: Page(InvitationView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listInvitations(context, query)),
  }),
  operation({
    id: 'createInvitation',
    method: 'POST',
    path: '/workspaces/:id/invitations',
    tag,
    summary: 'Invite someone',
    description:
      'Sends a token to the address by e-mail. No response contains it. It works once, and only for the account with that address. A second invitation of an address replaces the pending one. A platform key can invite only members and viewers. At most 100 invitations can be pending, and 200 can be sent within 24 hours.',
    access,
    needsFreshProof: true,
    permission: 'members.write',
    alsoNeeds: ['admins.write', 'owners.write'],
    params: workspace,
    body: CreateInvitation,
    returns: { 201: InvitationView },
    fails: ['already_member', 'limit_reached'],
    example: { email: 'ada@example.com', role: 'member' },
    run: async (context, { body }) => respond(201, await createInvitation(context, body)),
  }),
  operation({
    id: 'revokeInvitation',
    method: 'DELETE',
    path: '/workspaces/:id/invitations/:invitation_id',
    tag,
    summary: 'Revoke an invitation',
    description: 'Repeating the call succeeds.',
    access,
    permission: 'members.write',
    alsoNeeds: ['admins.write'],
    bucket: 'safety',
    params: invitation,
    returns: { 204: null },
    fails: ['invitation_not_found', 'invalid_transition'],
    async run(context, { params }) {
      await revokeInvitation(context, params.invitation_id)
      return respond(204, null)
    },
  }),
  operation({
    id: 'acceptInvitation',
    method: 'POST',
    path: '/invitations/accept',
    tag,
    summary: 'Accept an invitation',
    description:
      'The caller must be signed in with the invited address. An unknown, used, revoked or expired token, and a token for another address, give the same 404.',
    access: ['user'],
    body: AcceptInvitation,
    returns: { 200: AcceptedInvitation },
    fails: ['invitation_not_found', 'already_member'],
    example: { token: 'invite_…' },
    run: async (context, { body }) => respond(200, await acceptInvitation(context, body.token)),
  }),
]
