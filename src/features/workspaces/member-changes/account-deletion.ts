/**
 * Deletes an account, by its owner or by the operator. Nothing personal stays but what the audit
 * log holds, which cannot be changed; there and elsewhere its acts keep its id.
 */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf, type Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found, invalid } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { eraseAccount, lockToErase } from '../../identity/accounts/account.ts'
import { closeConsoleSession } from '../../identity/console-sessions/console-session.ts'
import { requireOrdinarySession } from '../../identity/sessions/ordinary-session.ts'
import { findOnlyOwned, lockWorkspaces, membershipsOf } from '../../team/members/member.ts'
import { type EndingServices, endMembership } from './created-resources.ts'

export type DeletionServices = EndingServices & Pick<Services, 'db' | 'keyring'>

/** The account to delete, and the actor who deletes it. */
export interface Deletion {
  /** UUID. */
  userId: string
  /** The address of the account in canonical form, repeated. */
  confirm: string
  by: Origin
}

async function requireOtherOwners(trx: Db, { userId, by }: Deletion): Promise<void> {
  const alone = await findOnlyOwned.rows(trx, { userId })
  if (alone.length === 0) return
  const names = alone.map(({ id, slug }) => `${slug} (${formatId('ws', id)})`).join(', ')
  const [who, whose] =
    by.actor.kind === 'user' ? ['You are', 'your account'] : ['The account is', 'the account']
  throw new Failure('last_owner', {
    detail:
      `${who} the only owner of ${names}. For each of them, make another member an ` +
      `owner or delete the workspace. Then delete ${whose}.`,
  })
}

/** @returns false if the account has joined a workspace meanwhile, so that it has to start again */
async function deleteOnce(
  services: DeletionServices,
  trx: Db,
  deletion: Deletion,
): Promise<boolean> {
  const { userId, confirm, by } = deletion
  const before = await membershipsOf.rows(trx, { userId })
  const ids = before.map(({ workspace_id: id }) => id)
  // Workspaces before the account, as everywhere. Two owners thus leave one after the other.
  await lockWorkspaces.rows(trx, { ids })
  const account = found(await lockToErase.first(trx, { id: userId }), 'credential_rejected')
  if (account.email !== confirm) throw invalid('/confirm', 'must be the address of the account')
  // Nobody can add a membership any more.
  const memberships = await membershipsOf.rows(trx, { userId })
  if (memberships.some(({ workspace_id: id }) => !ids.includes(id))) return false
  await requireOtherOwners(trx, deletion)
  for (const { workspace_id: workspaceId, role } of memberships) {
    await endMembership(services, trx, { workspaceId, userId, by }, { ...account, role })
  }
  await eraseAccount(services, trx, by, account)
  return true
}

/**
 * @throws Failure credential_rejected if the account is gone; invalid_request unless `confirm` is
 *   its address; last_owner
 */
export async function eraseWithMemberships(
  services: DeletionServices,
  deletion: Deletion,
): Promise<void> {
  let isDone = false
  while (!isDone) {
    isDone = await services.db.transaction((trx) => deleteOnce(services, trx, deletion))
  }
}

/**
 * Deletes the account of the caller.
 * @throws Failure invalid_request unless `confirm` is the address; last_owner, permission_denied
 */
export async function deleteAccount(
  context: Context<UserCaller>,
  { confirm }: { confirm: string },
): Promise<void> {
  requireOrdinarySession(context, 'delete your account')
  const { userId } = context.caller
  await eraseWithMemberships(context, { userId, confirm, by: originOf(context) })
  await closeConsoleSession(context)
}
