/**
 * Links of invitations that staff copy and hand on, where no mail can be sent. Anyone who has such
 * a link can join as the invited person, so each one is recorded, and the operator can allow none.
 * A mail that still waits in the outbox gets the same link: its own has stopped.
 */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { INVITATION_TOKEN_PREFIX, issueSecret } from '../../../platform/lib/secrets.ts'
import { timestamp } from '../../common/shapes.ts'
import { replaceText } from '../../mail/outbox/outbox.ts'
import { lockToAct, requireFor } from './acting-user.ts'
import { invitationMail, readInvitation } from './invitation.ts'
import { invitationChange } from './invitation-revocation.ts'
import * as store from './invitation-store.ts'
import type { InvitationLink } from './schema.ts'

/** @throws Failure invitation_links_off, invitation_not_found, invalid_transition */
export async function createInvitationLink(
  context: Context<UserCaller>,
  id: string,
): Promise<InvitationLink> {
  const { db, keyring, webConsole, workspaceId } = context
  const token = issueSecret(INVITATION_TOKEN_PREFIX)
  return db.transaction(async (trx) => {
    const { requirePermission, workspaceName } = await lockToAct(context, trx)
    requirePermission('members.write')
    const before = await readInvitation(trx, context, id)
    requireFor(requirePermission, before.role)
    if (!webConsole.showsInvitationLinks) throw new Failure('invitation_links_off')
    const tokenHash = keyring.hashSecret(token)
    const row = await store.replaceToken.first(trx, { workspaceId, id, tokenHash })
    if (row === undefined) {
      throw new Failure('invalid_transition', {
        detail: `The invitation is ${before.status}; only a pending one has a link.`,
      })
    }
    await replaceText(context, trx, invitationMail(context, row, { workspaceName, token }))
    await record(trx, originOf(context), invitationChange('invitation.link_shown', row))
    const url = `${webConsole.url()}/invitations#token=${token}`
    return { url, expires_at: timestamp(row.expires_at) }
  })
}
