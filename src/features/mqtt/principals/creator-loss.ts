/** Suspends the principals of a creator who has lost the right to have any. */
import type { Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { recordAll } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { openReceipt, type ReceiptServices } from '../revocation/receipt-issue.ts'
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
  const rows = await store.findActiveCreatedBy.rows(db, { workspaceId, creators })
  return rows.map((row) => ({ ...row, publicId: formatId('mqp', row.id) }))
}

/** Their sessions end in every process. @returns public ids */
export async function suspendPrincipals(
  services: ReceiptServices & Pick<Services, 'clock'>,
  trx: Db,
  { workspaceId, by }: { workspaceId: string; by: Origin },
  principals: readonly CreatedPrincipal[],
): Promise<string[]> {
  const ids = principals.map(({ id }) => id)
  const change = { workspaceId, ids, sessionsFrom: microseconds(services) }
  const suspended = new Set((await store.suspendActive.rows(trx, change)).map(({ id }) => id))
  const ended = principals.filter(({ id }) => suspended.has(id))
  await services.feed.announceAll(trx, 'mqtt-principal', [...suspended])
  for (const { publicId } of ended) {
    const reason = 'mqtt_principal.suspended'
    await openReceipt(services, trx, { workspaceId, reason, subject: publicId })
  }
  const changes = ended.map(({ publicId, name }) => ({
    workspaceId,
    action: 'mqtt_principal.suspended' as const,
    resource: { kind: 'mqtt_principal', id: publicId },
    data: { principal_id: publicId, name },
    detail: { before: { status: 'active' }, after: { status: 'suspended' } },
  }))
  await recordAll(trx, by, changes)
  return ended.map(({ publicId }) => publicId)
}
