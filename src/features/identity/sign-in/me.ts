/** The caller's own account. */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import { found, invalid } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import {
  requireNewPassword,
  findById,
  lockToChange,
  renameAccount,
  replacePassword,
} from '../accounts/account.ts'
import { countRecoveryCodes } from '../mfa/enrolment.ts'
import { hasSecondFactor } from '../mfa/second-factor.ts'
import { countPasskeys } from '../passkeys/passkey.ts'
import { timestamp } from '../../common/shapes.ts'
import { proveOwnPassword } from './password-proof.ts'
import type { ChangePassword, Me } from './schema.ts'
import type { Revised } from '../../common/results.ts'

export async function getMe(context: Context<UserCaller>): Promise<Revised<Me>> {
  const { db, caller } = context
  const account = found(await findById.first(db, { id: caller.userId }), 'credential_rejected')
  const codes = await countRecoveryCodes(db, caller.userId)
  const view: Me = {
    id: formatId('usr', account.id),
    email: account.email,
    name: account.name,
    mfa_enabled: codes !== null,
    password_change_required: account.initial_password,
    recovery_codes_left: codes,
    passkeys: await countPasskeys(db, caller.userId),
    installation_role: account.installation_role === 'operator' ? 'operator' : null,
    session_id: formatId('ses', caller.sessionId),
    workspaces: Array.from(caller.roles, ([id, role]) => ({ id: formatId('ws', id), role })),
    created_at: timestamp(account.created_at),
  }
  return { view, revision: account.revision }
}

/** @throws Failure precondition_failed */
export async function updateMe(
  context: Context<UserCaller>,
  change: { name?: string },
): Promise<Revised<Me>> {
  const { db, caller, request } = context
  await renameAccount(db, originOf(context), caller.userId, change.name, request.ifMatch)
  return getMe(context)
}

/**
 * Changes the password and ends all other sessions, unless they are to stay.
 * @returns how many have ended
 * @throws Failure invalid_credentials, invalid_request, too_many_attempts
 */
export async function changePassword(
  context: Context<UserCaller>,
  input: ChangePassword,
): Promise<number> {
  const { db, caller, passwords } = context
  const present = found(await findById.first(db, { id: caller.userId }), 'credential_rejected')
  const mfa = await hasSecondFactor(db, present.id)
  await requireNewPassword(db, { ...present, mfa }, '/new_password', input.new_password)
  const origin = originOf(context)
  const { account } = await proveOwnPassword(context, origin, {
    email: present.email,
    password: input.current_password,
    session: caller.sessionId,
  })
  if (input.new_password === input.current_password) {
    throw invalid('/new_password', 'must differ from the present password')
  }
  const passwordHash = await passwords.hash(input.new_password)
  return db.transaction(async (trx) => {
    await lockToChange.first(trx, { id: account.id })
    const keep = { own: caller.sessionId, others: input.end_other_sessions === false }
    const change = { account, passwordHash, isInitial: false, keep }
    return replacePassword(context, trx, origin, change)
  })
}
