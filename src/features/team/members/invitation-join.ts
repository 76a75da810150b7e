/**
 * Joins a workspace by an invitation without having an account: creates that of the invited address
 * and accepts, in one transaction. The token was sent to the address, so the address is proven.
 */
import { type AnyContext, originAs, originOf } from '../../../context.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import { insertAccount, prepareAccount } from '../../identity/accounts/account.ts'
import { openForBrowser } from '../../identity/console-sessions/console-session.ts'
import { timestamp } from '../../common/shapes.ts'
import { becomeMember, findPending } from './invitation-acceptance.ts'
import * as store from './invitation-store.ts'
import type { JoinByInvitation, JoinedWorkspace, ShownInvitation } from './schema.ts'

/** The invitation of a token, unless it belongs to another workspace than the host name. */
async function findShown({ db, keyring, request }: AnyContext, token: string) {
  const invitation = await findPending(db, keyring, token)
  const { workspace_id: workspaceId, email, created_by: createdBy } = invitation
  const { hostWorkspaceId = workspaceId } = request
  if (hostWorkspaceId !== workspaceId) throw new Failure('invitation_not_found')
  const sender = parseId('usr', createdBy) ?? null
  const about = await store.findContext.first(db, { email, workspaceId, createdBy: sender })
  return { invitation, about: found(about, 'invitation_not_found') }
}

/** @throws Failure invitation_not_found */
export async function lookAtInvitation(
  context: AnyContext,
  token: string,
): Promise<ShownInvitation> {
  const { invitation, about } = await findShown(context, token)
  const { email, role, expires_at: expiresAt } = invitation
  return { email, role, ...about, expires_at: timestamp(expiresAt) }
}

/** @throws Failure invitation_not_found, account_exists, registration_closed, invalid_request */
export async function joinByInvitation(
  context: AnyContext,
  { token, name, password }: JoinByInvitation,
): Promise<JoinedWorkspace> {
  const { db, feed, keyring, passwords, webConsole } = context
  const { invitation, about } = await findShown(context, token)
  if (about.has_account) throw new Failure('account_exists')
  if (webConsole.registration === 'closed') throw new Failure('registration_closed')
  const { email } = invitation
  const workspaces = [about.workspace_name]
  const prepared = await prepareAccount(passwords, { email, name, password, workspaces })
  const { session, workspace_id } = await db.transaction(async (trx) => {
    const account = await insertAccount(trx, originOf(context), prepared)
    if (account === undefined) throw new Failure('account_exists')
    const { id: userId, sign_in_version: version } = account
    const as = originAs(context, userId)
    const joined = await becomeMember({ db: trx, feed }, as, invitation, {
      userId,
      tokenHash: keyring.hashSecret(token),
    })
    const opened = await openForBrowser(context, trx, as, { userId, version })
    return { ...joined, session: found(opened, 'invitation_not_found') }
  })
  return { ...session(), workspace_id }
}
