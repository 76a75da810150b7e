/** The delivery log of a webhook, and redelivery of single events. */
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { viewOf as eventViewOf } from '../feed/event-reading.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { readerOf } from '../../common/resource.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import * as log from './delivery-log-store.ts'
import * as schema from './schema.ts'
import { findWebhook, lockWebhook, type WebhookRow } from './store.ts'
import type { Paged } from '../../common/results.ts'

const attemptViewOf = (eventId: string, attempt: schema.Attempt): schema.AttemptView => ({
  at: timestamp(attempt.at),
  url: attempt.url,
  headers: {
    'content-type': 'application/json',
    'webhook-id': formatId('evt', eventId),
    'webhook-timestamp': String(Math.floor(attempt.at / 1000)),
    'webhook-signature': attempt.signature,
  },
  status: attempt.status,
  failure: attempt.failure,
  answer: attempt.answer,
  took_ms: attempt.took_ms,
})

const viewOf = ({ webhookId }: log.Place, row: log.DeliveryRow): schema.DeliveryView => {
  const last = row.attempts.at(-1)
  return {
    id: formatId('dlv', row.id),
    webhook_id: formatId('whk', webhookId),
    event_id: formatId('evt', row.event_id),
    type: row.type,
    device_id: row.subject_id && formatId('dev', row.subject_id),
    event: row.event && { occurred_at: timestamp(row.event.occurred_at), data: row.event.data },
    status: row.status,
    tries: row.tries,
    next_try_at: timestampOrNull(row.status === 'waiting' ? row.next_try_at : null),
    last_attempt: last === undefined ? null : attemptViewOf(row.event_id, last),
  }
}

const readWebhook = readerOf(findWebhook, 'webhook_not_found')
const holdWebhook = readerOf(lockWebhook, 'webhook_not_found')

/** Locks a webhook for redelivery. @throws Failure webhook_disabled */
export async function holdEnabled(trx: Db, place: log.Place): Promise<WebhookRow> {
  const row = await holdWebhook(trx, place, place.webhookId)
  requireEnabled(row)
  return row
}

function requireEnabled({ status }: WebhookRow): void {
  if (status === 'disabled') throw new Failure('webhook_disabled')
}

export async function listDeliveries(
  context: Context,
  webhookId: string,
  query: schema.ListDeliveries,
): Promise<Paged<schema.DeliveryView>> {
  const place = { workspaceId: context.workspaceId, webhookId }
  await readWebhook(context.db, place, place.webhookId)
  return listFiltered(context, query, {
    name: `deliveries ${webhookId}`,
    fields: schema.deliveryFields,
    conditions: { status: query.status },
    pageOf: log.pageOfDeliveries,
    whole: webhookId,
    view: (row) => viewOf(place, row),
  })
}

export async function getDelivery(
  { db, workspaceId }: Context,
  webhookId: string,
  id: string,
): Promise<schema.DeliveryDetail> {
  const place = { workspaceId, webhookId }
  await readWebhook(db, place, place.webhookId)
  const row = found(
    await log.findDelivery.first(db, { ...place, id }),
    'webhook_delivery_not_found',
  )
  const { event, event_id: eventId } = row
  // The view omits what readers do not need.
  const sent =
    event && eventViewOf(workspaceId, { ...event, id: eventId, seq: 0, subject_id: null })
  return {
    ...viewOf(place, row),
    attempts: row.attempts.map((attempt) => attemptViewOf(eventId, attempt)),
    body: sent && JSON.stringify(sent),
  }
}

/** Retries a delivery immediately, whatever its state. */
export async function redeliver(
  context: Context,
  webhookId: string,
  id: string,
): Promise<schema.DeliveryView> {
  const { db, feed, workspaceId } = context
  const place = { workspaceId, webhookId }
  return db.transaction(async (trx) => {
    const webhook = await holdWebhook(trx, place, place.webhookId)
    const row = found(
      await log.findDelivery.first(trx, { ...place, id }),
      'webhook_delivery_not_found',
    )
    requireEnabled(webhook)
    if (row.event === null) throw new Failure('events_gone')
    await log.reopenDelivery.run(trx, { ...place, id })
    await log.callUpReceiver.run(trx, place)
    await feed.announce(trx, 'webhook', webhookId)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'webhook.redelivered',
      resource: { kind: 'webhook', id: formatId('whk', webhookId) },
      detail: { delivery_id: formatId('dlv', id) },
    })
    return viewOf(place, (await log.findDelivery.first(trx, { ...place, id })) ?? row)
  })
}
