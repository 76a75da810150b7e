/**
 * Redelivers a range of events: its dead letters, or all. Runs in the background in portions that
 * commit with their progress, throttled by the number of waiting deliveries.
 */
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { columnsOf } from '../../../platform/database/sql.ts'
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { enqueue, taskKind } from '../../../platform/jobs/job.ts'
import { formatId, leastUuidAt, newUuid } from '../../../platform/lib/ids.ts'
import { readTypes, typesNamed } from '../feed/event-types.ts'
import { timeOf } from '../../../platform/lib/time.ts'
import { timestamp } from '../../common/shapes.ts'
import { holdEnabled } from './delivery-log.ts'
import * as log from './delivery-log-store.ts'
import type { Redeliver, Redelivery } from './schema.ts'

export const REDELIVER = taskKind<Order>('webhooks.redeliver')

interface Order extends log.Range {
  /** Dead letters only. */
  isDead: boolean
}

const PORTION = 500
/** Waiting deliveries above which no more are added. */
const MAX_WAITING = 5_000
const PAUSE_MS = 2_000

export async function redeliverRange(
  context: Context,
  webhookId: string,
  input: Redeliver,
  isDryRun: boolean,
): Promise<Redelivery> {
  const { db, clock, workspaceId } = context
  const after = timeOf(input.after)
  const until = input.until === undefined ? clock.now() : timeOf(input.until)
  if (until <= after) throw invalid('/until', 'must lie after the other end')
  const chosen = input.types && readTypes(input.types, '/types')
  const isDead = input.status === 'dead'
  const place = { workspaceId, webhookId }
  const events = await db.transaction(async (trx) => {
    const row = await holdEnabled(trx, place)
    const types = chosen ?? (row.types && !isDead ? typesNamed(row.types) : null)
    // Ids have millisecond resolution; the end is inclusive.
    const ids = { from: leastUuidAt(after), before: leastUuidAt(until + 1) }
    const order = { ...place, ...ids, types, isDead } satisfies Order
    const count = await log.countRange(trx, order)
    if (isDryRun) return count
    await enqueue(trx, REDELIVER, order)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'webhook.redelivered',
      resource: { kind: 'webhook', id: formatId('whk', webhookId) },
      detail: { after: timestamp(after), until: timestamp(until), types: chosen ?? null, isDead },
    })
    return count
  })
  return {
    webhook_id: formatId('whk', webhookId),
    after: timestamp(after),
    until: timestamp(until),
    types: input.types ?? null,
    status: input.status ?? null,
    events,
  }
}

/** @returns where the next portion starts; undefined: done */
async function addPortion(trx: Db, order: Order): Promise<string | undefined> {
  if (order.isDead) {
    const count = await log.reopenDead.count(trx, { ...order, limit: PORTION })
    return count === PORTION ? order.from : undefined
  }
  const events = await log.eventsBetween.rows(trx, { ...order, limit: PORTION + 1 })
  const rows = events.slice(0, PORTION).map((event) => ({ ...event, deliveryId: newUuid() }))
  await log.insertDeliveries.run(trx, { ...order, ...columnsOf(rows) })
  return events[PORTION]?.id
}

/** Adds a portion and enqueues the next; ends if the webhook is no longer enabled. */
export async function redeliverPortion({ db }: { db: Db }, order: Order): Promise<void> {
  await db.transaction(async (trx) => {
    try {
      await holdEnabled(trx, order)
    } catch (error) {
      if (error instanceof Failure) return
      throw error
    }
    if ((await log.countWaiting.one(trx, order)).waiting >= MAX_WAITING) {
      return enqueue(trx, REDELIVER, order, { runAtMs: Date.now() + PAUSE_MS })
    }
    const from = await addPortion(trx, order)
    await log.callUpReceiver.run(trx, order)
    if (from !== undefined) await enqueue(trx, REDELIVER, { ...order, from })
  })
}
