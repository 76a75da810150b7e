/**
 * Sets up the first account in the console, with the link that the first start printed: it turns
 * the made-up owner into a person, once, and only as long as nobody has replaced its initial
 * password.
 */
import { type AnyContext, originAs } from '../../../context.ts'
import { found } from '../../../platform/errors/errors.ts'
import {
  recordOfAccount,
  personalizeAccount,
  prepareAccount,
} from '../../identity/accounts/account.ts'
import { openForBrowser } from '../../identity/console-sessions/console-session.ts'
import { requireLink, useLink } from '../../identity/one-time-links/one-time-link.ts'
import { endSessionsOfUser } from '../../identity/sessions/session.ts'
import { nameFirstWorkspace, requireFreeName } from '../lifecycle/workspace.ts'
import type { SetUp, SetUpDone } from './schema.ts'

/** @throws Failure link_not_found, invalid_request, slug_taken, slug_fixed */
export async function setUp(context: AnyContext, input: SetUp): Promise<SetUpDone> {
  const { db, feed, keyring, passwords } = context
  const { token, email, name, password } = input
  const { workspace_name: workspaceName, workspace_slug: slug } = input
  const { user_id: userId } = await requireLink(token, keyring, db, 'setup')
  const id = found(userId ?? undefined, 'link_not_found')
  const workspaces = [workspaceName, slug]
  const prepared = await prepareAccount(passwords, { email, name, password, workspaces })
  const origin = originAs(context, id)
  requireFreeName(slug, '/workspace_slug')
  const { session, workspaceId } = await db.transaction(async (trx) => {
    await useLink(token, keyring, trx, 'setup')
    const owner = found(await personalizeAccount(trx, id, prepared), 'link_not_found')
    const keep = { own: null, others: false }
    await endSessionsOfUser(feed, trx, id, 'password_changed', keep)
    const workspace = { ownerId: id, name: workspaceName, slug }
    const workspaceId = await nameFirstWorkspace(context, trx, origin, workspace)
    await recordOfAccount(trx, origin, id, 'account.set_up', {
      before: owner.before,
      after: { email: prepared.email, name: prepared.name },
    })
    const user = { userId: id, version: owner.version }
    const session = found(await openForBrowser(context, trx, origin, user), 'link_not_found')
    return { session, workspaceId }
  })
  return { ...session(), workspace_id: workspaceId }
}
