/**
 * Disables a webhook whose receiver has failed for days or wants no more deliveries: once, with an
 * event, an audit entry, and a mail to the workspace's owners and admins.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { queueMail } from '../../mail/outbox/outbox.ts'
import { findManagerAddresses } from '../../team/members/member.ts'
import * as store from './store.ts'

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

export async function disableWebhook(
  { keyring }: { keyring: Keyring },
  trx: Db,
  place: { workspace_id: string; webhook_id: string },
  reason: DisabledReason,
): Promise<void> {
  const { workspace_id: workspaceId, webhook_id: id } = place
  const url = (await store.disableEnabled.first(trx, { workspaceId, id, disabledReason: reason }))
    ?.url
  if (url === undefined) return
  const webhookId = formatId('whk', id)
  await record(trx, serviceOrigin, {
    workspaceId,
    action: 'webhook.disabled',
    resource: { kind: 'webhook', id: webhookId },
    data: { webhook_id: webhookId, url, reason },
  })
  const { host } = new URL(url)
  for (const to of await findManagerAddresses(trx, workspaceId)) {
    await queueMail({ keyring }, trx, { workspaceId, to, ...mailOf(host, reason) })
  }
}
