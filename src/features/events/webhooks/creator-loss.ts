/** Disables the webhooks of a creator who has lost the right to have any. */
import type { Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { Origin } from '../../../platform/record/event.ts'
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
  { feed }: Pick<Services, 'feed'>,
  trx: Db,
  { workspaceId, by }: { workspaceId: string; by: Origin },
  webhooks: readonly CreatedWebhook[],
): Promise<string[]> {
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
  await recordAll(trx, by, changes)
  return changes.map(({ resource }) => resource.id)
}
