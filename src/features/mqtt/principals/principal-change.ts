/** The common part of all changes of a principal: it is locked, and the change is recorded. */
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { AuditAction, Change } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { lockerOf } from '../../common/resource.ts'
import { issueReceipt } from '../revocation/receipt-issue.ts'
import * as store from './store.ts'

export const lockPrincipal = lockerOf(store.lockPrincipal, 'mqtt_principal_not_found')

/** @param id the public id */
export const recordPrincipal = (
  context: Context,
  trx: Db,
  action: AuditAction,
  { id, ...data }: { id: string; name?: string; changed?: string[] },
  detail: Change['detail'] = {},
): Promise<void> =>
  record(trx, originOf(context), {
    workspaceId: context.workspaceId,
    action,
    resource: { kind: 'mqtt_principal', id },
    data: { principal_id: id, ...data },
    detail,
  })

export interface PrincipalChange<Result> {
  action: AuditAction
  /**
   * `processes` are notified and act on it with their next poll; for `sessions` a receipt also says
   * when those that must end have ended.
   */
  reaches: 'nobody' | 'processes' | 'sessions'
  detail?: Change['detail']
  write: (trx: Db, before: store.PrincipalRow) => Promise<Result>
}

/** Locks a principal, changes it and records the change, in one transaction. */
export function changePrincipal<Result>(
  context: Context,
  principalId: string,
  { action, reaches, detail, write }: PrincipalChange<Result>,
): Promise<Result> {
  return context.db.transaction(async (trx) => {
    const before = await lockPrincipal(trx, context, principalId)
    const result = await write(trx, before)
    const id = formatId('mqp', principalId)
    if (reaches !== 'nobody') await context.feed.announce(trx, 'mqtt-principal', principalId)
    if (reaches === 'sessions') await issueReceipt(context, trx, action, id)
    await recordPrincipal(context, trx, action, { id, name: before.name }, detail)
    return result
  })
}
