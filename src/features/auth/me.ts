/** The caller's own account. */
import type { UserCaller } from '../../access/principal.ts'
import { type Context, originOf } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { formatId } from '../../lib/ids.ts'
import {
  demandPassword,
  findById,
  lockToChange,
  renameAccount,
  replacePassword,
} from '../accounts/account.ts'
import { countRecoveryCodes } from '../second-factors/enrolment.ts'
import { timestamp } from '../shapes.ts'
import { provePassword } from './password-proof.ts'
import type { ChangePassword, Me } from './schema.ts'

export async function getMe(context: Context<UserCaller>): Promise<{ view: Me; revision: number }> {
  const { db, caller } = context
  const account = await findById(db, caller.userId)
  if (account === undefined) throw new Failure('credential_rejected')
  const codes = await countRecoveryCodes(db, caller.userId)
  const view: Me = {
    id: formatId('usr', account.id),
    email: account.email,
    name: account.name,
    mfa_enabled: codes !== null,
    recovery_codes_left: codes,
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
): Promise<{ view: Me; revision: number }> {
  const { db, caller, request } = context
  await renameAccount(db, originOf(context), caller.userId, change.name, request.ifMatch)
  return getMe(context)
}

/**
 * Changes the password and ends all other sessions.
 * @throws Failure invalid_credentials, invalid_request, too_many_attempts, rate_limited
 */
export async function changePassword(
  context: Context<UserCaller>,
  input: ChangePassword,
): Promise<void> {
  const { db, caller, passwords } = context
  demandPassword('/new_password', input.new_password)
  const present = await findById(db, caller.userId)
  if (present === undefined) throw new Failure('credential_rejected')
  const origin = originOf(context)
  const account = await provePassword(context, origin, present.email, input.current_password)
  const passwordHash = await passwords.hash(input.new_password)
  await db.transaction(async (trx) => {
    await lockToChange(trx, account.id)
    const keepSession = caller.sessionId
    await replacePassword(context, trx, origin, { account, passwordHash, keepSession })
  })
}
