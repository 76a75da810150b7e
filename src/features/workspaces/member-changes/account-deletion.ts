/**
 * Deletes an account, by its owner. Nothing personal stays but what the audit log holds, which
 * cannot be changed; there and elsewhere its acts keep its id.
 */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { eraseAccount, lockToErase } from '../../identity/accounts/account.ts'
import { closeConsoleSession } from '../../identity/console-sessions/console-session.ts'
import { requireOrdinarySession } from '../../identity/sessions/ordinary-session.ts'
import { revokeInvitationsAbout } from '../../team/members/invitation-revocation.ts'
import {
  findOnlyOwned,
  lockWorkspaces,
  type MembershipRow,
  membershipsOf,
  resourceOf,
} from '../../team/members/member.ts'
import { endCreatedThings } from './created-things.ts'

async function requireOtherOwners(trx: Db, userId: string): Promise<void> {
  const alone = await findOnlyOwned.rows(trx, { userId })
  if (alone.length === 0) return
  const names = alone.map(({ id, slug }) => `${slug} (${formatId('ws', id)})`)
  throw new Failure('last_owner', {
    detail:
      `You are the only owner of ${names.join(', ')}. For each of them, make another member an ` +
      'owner or delete the workspace. Then delete your account.',
  })
}

/** Ends the membership with what it has created, as its removal does. */
async function endMembership(
  context: Context<UserCaller>,
  trx: Db,
  email: string,
  { workspace_id: workspaceId, role }: MembershipRow,
): Promise<void> {
  const { userId } = context.caller
  const origin = originOf(context)
  const resource = resourceOf(userId)
  const about = { workspaceId, userId, email, keeps: null }
  const revoked = await revokeInvitationsAbout(trx, origin, about)
  const within = { ...context, workspaceId }
  const created = await endCreatedThings(within, trx, resource.id, new Set())
  await record(trx, origin, {
    workspaceId,
    action: 'member.removed',
    resource,
    data: { user_id: resource.id },
    detail: {
      before: { role },
      ...created,
      invitations_revoked: created.invitations_revoked + revoked,
    },
  })
}

/** @returns false if the account has joined a workspace meanwhile, so that it has to start again */
async function deleteOnce(
  context: Context<UserCaller>,
  trx: Db,
  confirm: string,
): Promise<boolean> {
  const { userId } = context.caller
  const before = await membershipsOf.rows(trx, { userId })
  const ids = before.map(({ workspace_id: id }) => id)
  // Workspaces before the account, as everywhere. Two owners thus leave one after the other.
  await lockWorkspaces.rows(trx, { ids })
  const account = await lockToErase.first(trx, { id: userId })
  if (account === undefined) throw new Failure('credential_rejected')
  if (account.email !== confirm) throw invalid('/confirm', 'must be the address of the account')
  // Nobody can add a membership any more.
  const memberships = await membershipsOf.rows(trx, { userId })
  if (memberships.some(({ workspace_id: id }) => !ids.includes(id))) return false
  await requireOtherOwners(trx, userId)
  for (const each of memberships) await endMembership(context, trx, account.email, each)
  await eraseAccount(context, trx, originOf(context), account)
  return true
}

/**
 * @throws Failure invalid_request unless `confirm` is the address; last_owner, permission_denied
 */
export async function deleteAccount(
  context: Context<UserCaller>,
  { confirm }: { confirm: string },
): Promise<void> {
  requireOrdinarySession(context, 'delete your account')
  let isDone = false
  while (!isDone) isDone = await context.db.transaction((trx) => deleteOnce(context, trx, confirm))
  await closeConsoleSession(context)
}
