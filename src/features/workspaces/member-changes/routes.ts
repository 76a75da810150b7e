/** Operations that change the role of a member, or remove one. */
import { operation } from '../../../context.ts'
import { answer, idParam } from '../../../platform/http/operation.ts'
import { changeRole, removeMember } from './member-change.ts'
import { ChangedMember, ChangeMember, LoseAccess, RemovedMember } from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'People'
const member = {
  id: idParam('ws', 'workspace_not_found'),
  user_id: idParam('usr', 'member_not_found'),
}

export const memberChangeOperations = [
  operation({
    id: 'changeMember',
    method: 'PATCH',
    path: '/workspaces/:id/members/:user_id',
    tag,
    summary: 'Change the role of a member',
    description:
      'A narrower role takes effect on the next request, on every process within a second; a wider one when the member next refreshes the access token. An owner or admin who becomes a member or viewer loses what they created as when they are removed, unless `keep` names it. A platform key changes members and viewers only. A workspace keeps at least one owner whose account is active.',
    access,
    needsFreshProof: true,
    permission: 'members.write',
    alsoNeeds: ['admins.write', 'owners.write'],
    isPlanFree: true,
    params: member,
    query: LoseAccess,
    body: ChangeMember,
    returns: { 200: ChangedMember },
    fails: ['member_not_found', 'last_owner'],
    example: { role: 'viewer' },
    run: async (context, { params, query, body }) =>
      answer(200, await changeRole(context, params.user_id, body.role, query.keep)),
  }),
  operation({
    id: 'removeMember',
    method: 'DELETE',
    path: '/workspaces/:id/members/:user_id',
    tag,
    summary: 'Remove a member, or leave',
    description:
      'Takes effect on the next request, on every process within a second. What the member has created ends with the membership, unless `keep` names it: API keys are revoked, and keys created with those; MQTT principals are suspended; webhooks are disabled. The answer names what has ended and what stays. Pending invitations to the member, and those that the member or a revoked key sent, are revoked. A platform key removes members and viewers only.',
    access,
    permission: 'members.write',
    alsoNeeds: ['admins.write', 'owners.write'],
    selfParam: 'user_id',
    bucket: 'safety',
    params: member,
    query: LoseAccess,
    returns: { 200: RemovedMember },
    fails: ['member_not_found', 'last_owner'],
    run: async (context, { params, query }) =>
      answer(200, await removeMember(context, params.user_id, query.keep)),
  }),
]
