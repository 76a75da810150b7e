/** Operations that change the role of a member, or remove one. */
import { operationGroup } from '../../../context.ts'
import { changeRole, removeMember } from './member-change.ts'
import { ChangedMember, ChangeMember, LoseAccess, RemovedMember } from './schema.ts'

const operation = operationGroup({ tag: 'People', access: ['user', 'platform-key'] })

export const memberChangeOperations = [
  operation({
    id: 'changeMember',
    route: 'PATCH /workspaces/:id/members/:user_id',
    summary: 'Change the role of a member',
    description:
      'A role with fewer rights takes effect on the next request, in every process within a second. A role with more rights takes effect when the member next refreshes the access token. If an owner or admin becomes a member or viewer, the resources that they created end in the same way as on removal, unless `keep` lists them. A platform key can change only members and viewers. A workspace must keep at least one owner with an active account.',
    needsFreshProof: true,
    permission: 'members.write',
    alsoNeeds: ['admins.write', 'owners.write'],
    isPlanFree: true,
    query: LoseAccess,
    body: ChangeMember,
    returns: { 200: ChangedMember },
    fails: ['member_not_found', 'last_owner'],
    example: { role: 'viewer' },
    run: (context, { params, query, body }) =>
      changeRole(context, params.user_id, body.role, query.keep),
  }),
  operation({
    id: 'removeMember',
    route: 'DELETE /workspaces/:id/members/:user_id',
    summary: 'Remove a member, or leave',
    description:
      'Takes effect on the next request, in every process within a second. The resources that the member created end with the membership, unless `keep` lists them: API keys, and keys created with them, are revoked; MQTT principals are suspended; webhooks are disabled. The response lists the resources that ended and the resources that stay. Pending invitations to the member, and invitations sent by the member or by a revoked key, are revoked. A platform key can remove only members and viewers.',
    permission: 'members.write',
    alsoNeeds: ['admins.write', 'owners.write'],
    selfParam: 'user_id',
    bucket: 'safety',
    query: LoseAccess,
    returns: { 200: RemovedMember },
    fails: ['member_not_found', 'last_owner'],
    run: (context, { params, query }) => removeMember(context, params.user_id, query.keep),
  }),
]
