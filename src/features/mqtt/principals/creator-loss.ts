/** Suspends the principals of a creator who has lost the right to have any. */
import type { StaffCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { recordAll } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { openReceipt } from '../revocation/receipt-issue.ts'
import { microseconds } from './principal-status.ts'
import * as store from './store.ts'

export interface CreatedPrincipal {
  id: string
  publicId: string
  name: string
}

/** Principals that are not suspended. @param creators public ids */
export async function findActiveCreatedBy(
  db: Db,
  workspaceId: string,
  creators: readonly string[],
): Promise<CreatedPrincipal[]> {
  const rows = await store.findActiveCreatedBy.rows(db, { workspaceId, createdBies: creators })
  return rows.map((row) => ({ ...row, publicId: formatId('mqp', row.id) }))
}

/** Their sessions end within a second. @returns public ids */
export async function suspendPrincipals(
  context: Context<StaffCaller>,
  trx: Db,
  principals: readonly CreatedPrincipal[],
): Promise<string[]> {
  const { feed, workspaceId } = context
  const ids = principals.map(({ id }) => id)
  const suspended = new Set(await store.suspendActive(trx, workspaceId, ids, microseconds(context)))
  const ended = principals.filter(({ id }) => suspended.has(id))
  await feed.announceAll(trx, 'mqtt-principal', [...suspended])
  for (const { publicId } of ended) {
    const reason = 'mqtt_principal.suspended'
    await openReceipt(context, trx, { workspaceId, reason, subject: publicId })
  }
  const changes = ended.map(({ publicId, name }) => ({
    workspaceId,
    action: 'mqtt_principal.suspended' as const,
    resource: { kind: 'mqtt_principal', id: publicId },
    data: { principal_id: publicId, name },
    detail: { before: { status: 'active' }, after: { status: 'suspended' } },
  }))
  await recordAll(trx, originOf(context), changes)
  return ended.map(({ publicId }) => publicId)
}
