/**
 * Disables webhooks, once, with an event and an audit entry: those of a creator who has lost the
 * right to have any; and one whose receiver has failed for days or wants no more deliveries, with a
 * mail to the workspace's owners and admins.
 */
import type { Services } from '../../../context.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { type Origin, serviceOrigin } from '../../../platform/record/event.ts'
import { record, recordAll } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { queueMail } from '../../mail/outbox/outbox.ts'
import { findManagerAddresses } from '../../team/members/member.ts'
import * as store from './store.ts'

const CREATOR_LOST = 'creator_lost_access'

export type DisabledReason = 'receiver_gone' | 'receiver_failing'

const descriptions: Readonly<Record<DisabledReason, string>> = {
  receiver_gone: 'Its receiver responded with 410 Gone, which means that it wants no more events.',
  receiver_failing: 'Nothing could be delivered to it for three days.',
}

const mailOf = (url: string, reason: DisabledReason): { subject: string; text: string } => ({
  subject: 'A webhook was disabled',
  text: [
    `The webhook to ${url} was disabled.`,
    '',
    descriptions[reason],
    '',
    'No event is lost: when you enable it again, it continues where it stopped, as long as ' +
      'the events',
    'are kept.',
    '',
  ].join('\n'),
})

/** @returns what to record; undefined if it is no longer enabled */
async function disable(
  trx: Db,
  workspaceId: string,
  id: string,
  reason: DisabledReason | typeof CREATOR_LOST,
) {
  const row = await store.disableEnabled.first(trx, { workspaceId, id, disabledReason: reason })
  if (row === undefined) return undefined
  const webhookId = formatId('whk', id)
  return {
    workspaceId,
    action: 'webhook.disabled',
    resource: { kind: 'webhook', id: webhookId },
    data: { webhook_id: webhookId, url: row.url, reason },
  } as const
}

export async function disableWebhook(
  { keyring }: { keyring: Keyring },
  trx: Db,
  { workspace_id: workspaceId, webhook_id: id }: { workspace_id: string; webhook_id: string },
  reason: DisabledReason,
): Promise<void> {
  const change = await disable(trx, workspaceId, id, reason)
  if (change === undefined) return
  await record(trx, serviceOrigin, change)
  const { host } = new URL(change.data.url)
  for (const to of await findManagerAddresses(trx, workspaceId)) {
    await queueMail({ keyring }, trx, { workspaceId, to, ...mailOf(host, reason) })
  }
}

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

/** Disables all webhooks of a creator who has lost the right to have any. @returns public ids */
export async function disableWebhooks(
  { feed }: Pick<Services, 'feed'>,
  trx: Db,
  { workspaceId, by }: { workspaceId: string; by: Origin },
  webhooks: readonly CreatedWebhook[],
): Promise<string[]> {
  const changes = []
  for (const { id } of webhooks) {
    const change = await disable(trx, workspaceId, id, CREATOR_LOST)
    if (change === undefined) continue
    await feed.announce(trx, 'webhook', id)
    changes.push(change)
  }
  await recordAll(trx, by, changes)
  return changes.map(({ resource }) => resource.id)
}
