/** Disables the webhooks of a creator who has lost the right to have any. */
import type { StaffCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { recordAll } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import * as store from './store.ts'

const REASON = 'creator_lost_access'

export interface CreatedWebhook {
  id: string
  publicId: string
}

/** Webhooks that are enabled. @param creators public ids */
export async function findEnabledCreatedBy(
  db: Db,
  workspaceId: string,
  creators: readonly string[],
): Promise<CreatedWebhook[]> {
  const rows = await store.findEnabledCreatedBy.rows(db, { workspaceId, creators })
  return rows.map(({ id }) => ({ id, publicId: formatId('whk', id) }))
}

/** @returns public ids */
export async function disableWebhooks(
  context: Context<StaffCaller>,
  trx: Db,
  webhooks: readonly CreatedWebhook[],
): Promise<string[]> {
  const { feed, workspaceId } = context
  const changes = []
  for (const { id, publicId } of webhooks) {
    const url = (await store.disableEnabled.first(trx, { workspaceId, id, disabledReason: REASON }))
      ?.url
    if (url === undefined) continue
    await feed.announce(trx, 'webhook', id)
    changes.push({
      workspaceId,
      action: 'webhook.disabled' as const,
      resource: { kind: 'webhook', id: publicId },
      data: { webhook_id: publicId, url, reason: REASON },
    })
  }
  await recordAll(trx, originOf(context), changes)
  return changes.map(({ resource }) => resource.id)
}
