/** Follows changes of cards at the provider: renewed by a bank, or removed. */
import type { Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import { changedFields } from '../../../platform/record/record.ts'
import { enqueue, taskKind } from '../../../platform/jobs/job.ts'
import type { Card } from '../../../adapters/payment-provider/port.ts'
import { keyOf } from '../../common/row-key.ts'
import { cardOf, recordMethod } from './payment-method.ts'
import * as store from './store.ts'

export const SYNC_METHODS = taskKind<{ workspaceId: string }>('payment_methods.sync')

const fieldsOf = (row: store.MethodRow) => ({
  brand: row.brand,
  last4: row.last4,
  exp_month: row.exp_month,
  exp_year: row.exp_year,
})

/** @param card undefined: it no longer exists */
async function follow(trx: Db, row: store.MethodRow, card: Card | undefined): Promise<void> {
  const key = keyOf(row)
  if (card === undefined) {
    await store.markDetached.run(trx, key)
    return recordMethod(trx, serviceOrigin, 'payment_method.removed', key, { data: cardOf(row) })
  }
  const { brand, last4, expMonth: exp_month, expYear: exp_year } = card
  const detail = changedFields(fieldsOf(row), { brand, last4, exp_month, exp_year })
  if (Object.keys(detail.after).length === 0) return
  await store.updateCardOf.run(trx, { ...key, ...card })
  await recordMethod(trx, serviceOrigin, 'payment_method.updated', key, { detail })
}

/** Compares a workspace's cards with those of its customer at the provider. */
export async function syncMethods(
  { db, payments }: Pick<Services, 'db' | 'payments'>,
  workspaceId: string,
): Promise<void> {
  if (payments.kind !== 'charging') return
  const customer = await store.findCustomer.first(db, { workspaceId, provider: payments.name })
  if (customer === undefined) return
  // Ours are read first: a card being set up meanwhile must not look removed.
  const known = await store.listMethods.rows(db, { workspaceId })
  const there = await payments.listMethods(customer.customer_id)
  const cards = new Map(there.map(({ id, card }) => [id, card]))
  await db.transaction(async (trx) => {
    await store.lockMethods.run(trx, { id: workspaceId })
    for (const { id, provider, provider_id: providerId } of known) {
      if (provider !== payments.name || providerId === null) continue
      const row = await store.lockMethod.first(trx, { workspaceId, id })
      if (row !== undefined) await follow(trx, row, cards.get(providerId))
    }
  })
}

/** Enqueues that if a provider event names one of our customers. */
export async function enqueueMethodSync(
  trx: Db,
  provider: string,
  customerId: string,
): Promise<void> {
  const customer = await store.findByCustomer.first(trx, { provider, customerId })
  if (customer === undefined) return
  const workspaceId = customer.workspace_id
  await enqueue(trx, SYNC_METHODS, { workspaceId }, { key: `methods:${workspaceId}` })
}
