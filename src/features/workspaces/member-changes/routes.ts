/** Operations that change the role of a member, or remove one. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
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
      'A role with fewer rights takes effect on the next request, in every process within a second. A role with more rights takes effect when the member next refreshes the access token. If an owner or admin becomes a member or viewer, the resources that they created end in the same way as on removal, unless `keep` lists them. A platform key can change only members and viewers. A workspace must keep at least one owner with an active account.',
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
      respond(200, await changeRole(context, params.user_id, body.role, query.keep)),
  }),
  operation({
    id: 'removeMember',
    method: 'DELETE',
    path: '/workspaces/:id/members/:user_id',
    tag,
    summary: 'Remove a member, or leave',
    description:
      'Takes effect on the next request, in every process within a second. The resources that the member created end with the membership, unless `keep` lists them: API keys, and keys created with them, are revoked; MQTT principals are suspended; webhooks are disabled. The response lists the resources that ended and the resources that stay. Pending invitations to the member, and invitations sent by the member or by a revoked key, are revoked. A platform key can remove only members and viewers.',
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
      respond(200, await removeMember(context, params.user_id, query.keep)),
  }),
]
