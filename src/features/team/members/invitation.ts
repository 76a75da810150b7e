/**
 * Invitations to a workspace. The token is only mailed to the invited address, so that anyone who
 * invites someone cannot join in their place.
 */
import { canonicalEmail } from '../../../platform/access/email.ts'
import type { Role } from '../../../platform/access/permissions.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf, type Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, invalid, withinLimit } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { INVITATION_TOKEN_PREFIX, issueSecret } from '../../../platform/lib/secrets.ts'
import { type OutgoingMail, queueMail } from '../../mail/outbox/outbox.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { type ActingUser, lockToAct, requireFor } from './acting-user.ts'
import { invitationChange, recordEnded } from './invitation-revocation.ts'
import * as schema from './schema.ts'
import * as store from './invitation-store.ts'
import { readerOf } from '../../common/resource.ts'
import { rowView } from '../../common/row-view.ts'
import { hasAddress } from './store.ts'

/** A name within a line, stripped of anything that could start a new line. */
const inLine = (name: string): string => name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/**
 * Its id is that of the invitation, so that another link can replace its own. The token is in the
 * link's fragment, which browsers do not send to servers.
 */
export function invitationMail(
  { webConsole, origin }: Pick<Services, 'webConsole' | 'origin'>,
  { workspace_id: workspaceId, id, email: to, role, expires_at: expiresAt }: store.InvitationRow,
  { workspaceName, token }: { workspaceName: string; token: string },
): OutgoingMail & { id: string } {
  const name = inLine(workspaceName)
  const call = `POST ${origin()}/api/v1/invitations/accept {"token":"${token}"}`
  return {
    workspaceId,
    id,
    to,
    subject: `Invitation to the workspace ${name}`,
    text: [
      `You are invited to the workspace "${name}" as ${role}.`,
      '',
      'Follow this link:',
      '',
      `${webConsole.url()}/invitations#token=${token}`,
      '',
      'Or sign in to the API with this e-mail address, and call:',
      '',
      call,
      '',
      `It can be used once, until ${new Date(expiresAt).toUTCString()}.`,
      'If you expected no invitation, you need do nothing.',
      '',
    ].join('\n'),
  }
}

/** Per workspace. Each is a mail to someone who may not want it. */
export const MAX_PENDING = 100
export const MAX_A_DAY = 200

export const readInvitation = readerOf(store.findInvitation, 'invitation_not_found')

const viewOf = rowView<store.InvitationRow>()(schema.InvitationView)

async function requireRoom(trx: Db, workspaceId: string): Promise<void> {
  const { pending, today } = await store.countInvitations.one(trx, { workspaceId })
  withinLimit(pending, 'pending_invitations', MAX_PENDING, 'pending invitations')
  withinLimit(
    today,
    'invitations_a_day',
    MAX_A_DAY,
    'invitations within 24 hours',
    'A workspace sends',
  )
}

/** Admins may revoke the invitation of an owner as well; platform keys neither. */
const requireToRevoke = (requirePermission: ActingUser['requirePermission'], role: Role): void =>
  requireFor(requirePermission, role === 'owner' ? 'admin' : role)

/**
 * Invites an address and revokes a pending invitation to it: its mail may be lost, and two valid
 * tokens are one too many.
 * @throws Failure already_member, limit_reached, invalid_request, permission_denied
 */
export async function createInvitation(
  context: Context<StaffCaller>,
  input: schema.CreateInvitation,
): Promise<schema.InvitationView> {
  const { db, keyring, workspaceId } = context
  const { role, expires_in_s: lifetimeSeconds = schema.DEFAULT_INVITATION_SECONDS } = input
  const email = canonicalEmail(input.email)
  if (email === undefined) throw invalid('/email', 'must be a plain e-mail address')
  return db.transaction(async (trx) => {
    const { requirePermission, workspaceName } = await lockToAct(context, trx)
    requirePermission('members.write')
    requireFor(requirePermission, role)
    const { found: isMember } = await hasAddress.one(trx, { workspaceId, email })
    if (isMember) throw new Failure('already_member')
    const origin = originOf(context)
    const replaced = await store.endInvitationsOfAddress.rows(trx, { workspaceId, email })
    for (const each of replaced) requireToRevoke(requirePermission, each.role)
    await recordEnded(trx, origin, replaced)
    await requireRoom(trx, workspaceId)
    const token = issueSecret(INVITATION_TOKEN_PREFIX)
    const row = await store.insertInvitation.one(trx, {
      workspaceId,
      id: newUuid(),
      email,
      role,
      tokenHash: keyring.hashSecret(token),
      createdBy: origin.actor.id as string,
      expiresAt: lifetimeSeconds,
    })
    await queueMail(context, trx, invitationMail(context, row, { workspaceName, token }))
    await record(trx, origin, invitationChange('invitation.created', row))
    return viewOf(row)
  })
}

export const listInvitations = (context: Context<StaffCaller>, query: schema.ListInvitations) =>
  listFiltered(context, query, {
    name: 'invitations',
    fields: schema.invitationFields,
    conditions: { status: query.status },
    pageOf: store.pageOfInvitations,
    view: viewOf,
  })

/** Idempotent: revoking again succeeds, because a response may get lost. */
export async function revokeInvitation(context: Context<StaffCaller>, id: string): Promise<void> {
  const { db, workspaceId } = context
  await db.transaction(async (trx) => {
    const { requirePermission } = await lockToAct(context, trx)
    requirePermission('members.write')
    const row = await readInvitation(trx, context, id)
    requireToRevoke(requirePermission, row.role)
    if (row.status === 'revoked') return
    if (row.status !== 'pending') {
      throw new Failure('invalid_transition', {
        detail: `The invitation is ${row.status}; only a pending one can become revoked.`,
      })
    }
    const ended = await store.endInvitation.first(trx, { workspaceId, id })
    if (ended !== undefined) await recordEnded(trx, originOf(context), [ended])
  })
}
