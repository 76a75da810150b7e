/** Operations on members and invitations. */
import { operationGroup } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import { acceptInvitation } from './invitation-acceptance.ts'
import { createInvitation, listInvitations, revokeInvitation } from './invitation.ts'
import { listMembers } from './member.ts'
import * as schema from './schema.ts'

const operation = operationGroup({ tag: 'People', access: ['user', 'platform-key'] })

export const memberOperations = [
  operation({
    id: 'listMembers',
    route: 'GET /workspaces/:id/members',
    summary: 'List members',
    description: 'Ordered by the creation of the account, newest first.',
    permission: 'members.read',
    isPlanFree: true,
    query: schema.ListMembers,
    returns: { 200: Page(schema.MemberView) },
    run: (context, { query }) => listMembers(context, query),
  }),
]

export const invitationOperations = [
  operation({
    id: 'listInvitations',
    route: 'GET /workspaces/:id/invitations',
    summary: 'List invitations',
    description: 'Newest first. Ended invitations are kept for 90 days.',
    permission: 'invitations.read',
    isPlanFree: true,
    query: schema.ListInvitations,
    returns: { 200: Page(schema.InvitationView) },
    run: (context, { query }) => listInvitations(context, query),
  }),
  operation({
    id: 'createInvitation',
    route: 'POST /workspaces/:id/invitations',
    summary: 'Invite someone',
    description:
      'Sends a token to the address by e-mail. No response contains it. It works once, and only for the account with that address. A second invitation of an address replaces the pending one. A platform key can invite only members and viewers. At most 100 invitations can be pending, and 200 can be sent within 24 hours.',
    needsFreshProof: true,
    permission: 'members.write',
    alsoNeeds: ['admins.write', 'owners.write'],
    body: schema.CreateInvitation,
    returns: { 201: schema.InvitationView },
    fails: ['already_member', 'limit_reached'],
    example: { email: 'ada@example.com', role: 'member' },
    run: (context, { body }) => createInvitation(context, body),
  }),
  operation({
    id: 'revokeInvitation',
    route: 'DELETE /workspaces/:id/invitations/:invitation_id',
    summary: 'Revoke an invitation',
    description: 'Repeating the call succeeds.',
    permission: 'members.write',
    alsoNeeds: ['admins.write'],
    bucket: 'safety',
    returns: { 204: null },
    fails: ['invitation_not_found', 'invalid_transition'],
    run: (context, { params }) => revokeInvitation(context, params.invitation_id),
  }),
  operation({
    id: 'acceptInvitation',
    route: 'POST /invitations/accept',
    summary: 'Accept an invitation',
    description:
      'The caller must be signed in with the invited address. An unknown, used, revoked or expired token, and a token for another address, give the same 404.',
    access: ['user'],
    body: schema.AcceptInvitation,
    returns: { 200: schema.AcceptedInvitation },
    fails: ['invitation_not_found', 'already_member'],
    example: { token: 'invite_…' },
    run: (context, { body }) => acceptInvitation(context, body.token),
  }),
]
