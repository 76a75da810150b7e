/**
 * Ends what a person has created who loses the right to: keys, MQTT principals and webhooks, also
 * those created with such keys. Each of them would be a way back in, or a way out for data.
 */
import type { Services } from '../../../context.ts'
import type { Role } from '../../../platform/access/permissions.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { keysCreatedBy, revokeKeys } from '../../team/key-lineage/key-lineage.ts'
import {
  revokeInvitationsAbout,
  revokeInvitationsOfKeys,
} from '../../team/members/invitation-revocation.ts'
import { findActiveCreatedBy, suspendPrincipals } from '../../mqtt/principals/creator-loss.ts'
import type { ReceiptServices } from '../../mqtt/revocation/receipt-issue.ts'
import { resourceOf } from '../../team/members/member.ts'
import { disableWebhooks, findEnabledCreatedBy } from '../../events/webhooks/webhook-disabling.ts'
import { type CreatedKind, createdKinds, type CreatedResources } from './schema.ts'

type Kept = ReadonlySet<CreatedKind>

export type EndingServices = ReceiptServices & Pick<Services, 'clock'>

/** The creator whose resources end, and the actor who ends them. */
export interface CreatorLoss {
  workspaceId: string
  /** UUID. */
  userId: string
  by: Origin
}

export const NOTHING_CREATED: CreatedResources = {
  api_keys_revoked: [],
  api_keys_kept: [],
  mqtt_principals_suspended: [],
  mqtt_principals_kept: [],
  webhooks_disabled: [],
  webhooks_kept: [],
  invitations_revoked: 0,
}

export const withInvitations = (created: CreatedResources, revoked: number): CreatedResources => ({
  ...created,
  invitations_revoked: created.invitations_revoked + revoked,
})

const isCreatedKind = (name: string): name is CreatedKind =>
  (createdKinds as readonly string[]).includes(name)

/**
 * Reads `keep`. Someone who leaves may not decide to keep access.
 * @throws Failure invalid_request, permission_denied
 */
export function requireKept(keep: string | undefined, isSelf: boolean): Kept {
  if (keep === undefined) return new Set()
  const names = keep.split(',')
  if (!names.every(isCreatedKind)) {
    throw invalid(
      '/query/keep',
      `must be names separated by commas, of: ${createdKinds.join(', ')}`,
    )
  }
  if (isSelf) {
    throw new Failure('permission_denied', {
      detail:
        'What you have created ends with your rights. Ask another owner or admin to make this ' +
        'change with `keep`, or to create what is to stay.',
    })
  }
  return new Set(names)
}

type Ended = Pick<
  CreatedResources,
  'api_keys_revoked' | 'api_keys_kept' | 'invitations_revoked'
> & {
  /** Public ids of the person and all their keys, also of ended ones. */
  creators: string[]
}

async function endKeys(
  services: EndingServices,
  trx: Db,
  { workspaceId, userId, by }: CreatorLoss,
  kept: Kept,
): Promise<Ended> {
  const creator = formatId('usr', userId)
  const keys = await keysCreatedBy(trx, workspaceId, creator)
  // Expired keys as well: a new expiry would bring them back.
  const lost = keys.filter(({ kind, status }) => status !== 'revoked' && !kept.has(`${kind}_keys`))
  const ids = lost.map(({ id }) => id)
  await revokeKeys(services, trx, by, workspaceId, ids)
  const publicIds = lost.map(({ publicId }) => publicId)
  const staying = keys.filter(({ kind, status }) => status === 'active' && kept.has(`${kind}_keys`))
  return {
    creators: [creator, ...keys.map(({ publicId }) => publicId)],
    api_keys_revoked: publicIds,
    api_keys_kept: staying.map(({ publicId }) => publicId),
    invitations_revoked: await revokeInvitationsOfKeys(trx, by, workspaceId, publicIds),
  }
}

/** Call it under the lock of the memberships, which creating these resources takes as well. */
export async function endCreatedResources(
  services: EndingServices,
  trx: Db,
  loss: CreatorLoss,
  kept: Kept,
): Promise<CreatedResources> {
  const { creators, ...keys } = await endKeys(services, trx, loss, kept)
  const { workspaceId } = loss
  const principals = await findActiveCreatedBy(trx, workspaceId, creators)
  const webhooks = await findEnabledCreatedBy(trx, workspaceId, creators)
  const [keepPrincipals, keepWebhooks] = [kept.has('mqtt_principals'), kept.has('webhooks')]
  return {
    ...keys,
    mqtt_principals_suspended: keepPrincipals
      ? []
      : await suspendPrincipals(services, trx, loss, principals),
    mqtt_principals_kept: keepPrincipals ? principals.map(({ publicId }) => publicId) : [],
    webhooks_disabled: keepWebhooks ? [] : await disableWebhooks(services, trx, loss, webhooks),
    webhooks_kept: keepWebhooks ? webhooks.map(({ publicId }) => publicId) : [],
  }
}

/**
 * Ends what somebody has created in a workspace that they have left, with invitations to and by
 * them, and records the removal.
 */
export async function endMembership(
  services: EndingServices,
  trx: Db,
  loss: CreatorLoss,
  { email, role }: { email: string; role: Role },
  kept: Kept = new Set(),
): Promise<CreatedResources> {
  const { workspaceId, userId, by } = loss
  const about = { workspaceId, userId, email, keeps: null }
  const revoked = await revokeInvitationsAbout(trx, by, about)
  const created = await endCreatedResources(services, trx, loss, kept)
  const resources = withInvitations(created, revoked)
  const resource = resourceOf(userId)
  await record(trx, by, {
    workspaceId,
    action: 'member.removed',
    resource,
    data: { user_id: resource.id },
    detail: { before: { role }, ...resources },
  })
  return resources
}
