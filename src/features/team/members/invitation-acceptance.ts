/**
 * Accepts an invitation: once, with the mailed token, by the user with the invited address.
 * Anything else is the same 404, which does not reveal whether a token is valid.
 */
import { rolePermissions } from '../../../platform/access/permissions.ts'
import type { UserCaller } from '../../../platform/access/principal.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import { type Context, originOf, type Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId, parseId } from '../../../platform/lib/ids.ts'
import { hasGoodChecksum, INVITATION_TOKEN_PREFIX } from '../../../platform/lib/secrets.ts'
import { findById } from '../../identity/accounts/account.ts'
import { invitationChange } from './invitation-revocation.ts'
import * as store from './invitation-store.ts'
import { addMember } from './member.ts'
import type { AcceptedInvitation } from './schema.ts'
import { lockMemberships } from './store.ts'

const notFound = (): Failure => new Failure('invitation_not_found')

/**
 * A disabled account keeps its memberships, but its invitations do not work meanwhile. Up to 0.5.0
 * a platform key could invite admins; such invitations may still be pending.
 */
async function maySenderInvite(
  trx: Db,
  { created_by, role }: store.InvitationRow,
): Promise<boolean> {
  const userId = parseId('usr', created_by)
  if (userId === undefined) return rolePermissions[role] === undefined
  return (await findById.first(trx, { id: userId }))?.status === 'active'
}

/** In a separate transaction: the refusal rolls the request's transaction back. */
async function refuse(
  context: Context<UserCaller>,
  invitation: store.InvitationRow,
): Promise<never> {
  await record(
    context.autonomousDb,
    originOf(context),
    invitationChange('invitation.refused', invitation),
  )
  throw notFound()
}

/** @throws Failure invitation_not_found, already_member */
export async function acceptInvitation(
  context: Context<UserCaller>,
  token: string,
): Promise<AcceptedInvitation> {
  const { db, feed, keyring, caller } = context
  const { userId, limitedTo } = caller
  return db.transaction(async (trx) => {
    const found = await findPending(trx, keyring, token)
    if (limitedTo !== null && limitedTo !== found.workspace_id) throw notFound()
    const account = await findById.first(trx, { id: userId })
    if (account?.email !== found.email) return refuse(context, found)
    const tokenHash = keyring.hashSecret(token)
    return becomeMember({ db: trx, feed }, originOf(context), found, { userId, tokenHash })
  })
}

/** @throws Failure invitation_not_found for a token that is unknown or ended */
export async function findPending(
  db: Db,
  keyring: Pick<Keyring, 'hashSecret'>,
  token: string,
): Promise<store.InvitationRow> {
  if (!hasGoodChecksum(INVITATION_TOKEN_PREFIX, token)) throw notFound()
  const found = await store.findByToken.first(db, { tokenHash: keyring.hashSecret(token) })
  if (found?.status !== 'pending' || !(await maySenderInvite(db, found))) throw notFound()
  return found
}

/**
 * Accepts an invitation for the account with its address.
 * @param used with which token; another one may have replaced it since the invitation was read
 * @throws Failure invitation_not_found, also if another request was faster; already_member
 */
export async function becomeMember(
  { db: trx, feed }: Pick<Services, 'db' | 'feed'>,
  origin: Origin,
  invitation: store.InvitationRow,
  used: { userId: string; tokenHash: Buffer },
): Promise<AcceptedInvitation> {
  const { workspace_id: workspaceId, id, role } = invitation
  const { userId, tokenHash } = used
  const workspace = await lockMemberships.first(trx, { id: workspaceId })
  const isValid =
    workspace?.status === 'active' &&
    (await store.markAccepted.any(trx, { workspaceId, id, acceptedBy: userId, tokenHash }))
  if (!isValid) throw notFound()
  await record(trx, origin, invitationChange('invitation.accepted', invitation))
  const invitationId = formatId('inv', id)
  await addMember({ db: trx, feed }, origin, { workspaceId, userId, role, invitationId })
  return {
    invitation_id: invitationId,
    workspace_id: formatId('ws', workspaceId),
    user_id: formatId('usr', userId),
    role,
  }
}
