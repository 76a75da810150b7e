/** The rules of payment methods: listed, made the default, removed. */
import { type Context, originOf, type Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { enqueue, taskKind } from '../../../platform/jobs/job.ts'
import { formatId, parseId } from '../../../platform/lib/ids.ts'
import { type PaymentMethodList, PaymentMethodView } from './schema.ts'
import type { RowKey } from '../../common/row-key.ts'
import { rowView } from '../../common/row-view.ts'
import { lockerOf } from '../../common/resource.ts'
import type { MethodRow } from './store.ts'
import * as store from './store.ts'
import type { Revised } from '../../common/results.ts'

/** @param row an active method */
const lock = lockerOf(store.lockMethod, 'payment_method_not_found')

const viewOf = rowView<MethodRow>()(PaymentMethodView, {
  type: () => 'card',
  brand: (row) => row.brand ?? '',
  last4: (row) => row.last4 ?? '',
  exp_month: (row) => row.exp_month ?? 0,
  exp_year: (row) => row.exp_year ?? 0,
})

export const DETACH_METHOD = taskKind<RowKey>('payment_methods.detach')

/** Bounded by the limit per workspace. */
export async function listPaymentMethods({
  db,
  payments,
  workspaceId,
}: Context): Promise<PaymentMethodList> {
  const rows = await store.listMethods.rows(db, { workspaceId })
  const instructions = payments.kind === 'manual' ? payments.instructions : null
  return { items: rows.map(viewOf), next_cursor: null, instructions }
}

export async function makeDefault(
  context: Context,
  methodId: string,
): Promise<Revised<PaymentMethodView>> {
  const { db, workspaceId } = context
  return db.transaction(async (trx) => {
    await store.lockMethods.run(trx, { id: workspaceId })
    const before = await lock(trx, context, methodId)
    if (before.is_default) return { view: viewOf(before), revision: before.revision }
    const row = await store.setDefault(trx, workspaceId, methodId)
    const id = formatId('pm', methodId)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'payment_method.updated',
      resource: { kind: 'payment_method', id },
      data: { payment_method_id: id },
      detail: { before: { is_default: false }, after: { is_default: true } },
    })
    return { view: viewOf(row), revision: row.revision }
  })
}

/** Removed here with the commit, and at the provider as soon as it is reachable. */
export async function removePaymentMethod(context: Context, methodId: string): Promise<void> {
  const { db, workspaceId } = context
  await db.transaction(async (trx) => {
    await store.lockMethods.run(trx, { id: workspaceId })
    const row = await lock(trx, context, methodId)
    await store.markDetached.run(trx, { workspaceId, id: methodId })
    await enqueue(trx, DETACH_METHOD, { workspaceId, id: methodId }, { key: `detach:${methodId}` })
    const id = formatId('pm', methodId)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'payment_method.removed',
      resource: { kind: 'payment_method', id },
      data: { payment_method_id: id, brand: row.brand, last4: row.last4 },
    })
  })
}

/** Detaches a removed method at the provider. */
export async function detachMethod(
  { db, payments }: Pick<Services, 'db' | 'payments'>,
  { workspaceId, id }: RowKey,
): Promise<void> {
  const row = await store.findAnyMethod.first(db, { workspaceId, id })
  if (payments.kind !== 'charging' || row?.status !== 'detached' || row.provider_id === null) return
  if (row.provider === payments.name) await payments.detachMethod(row.provider_id)
}

/** A method that can be charged. */
export interface Chargeable {
  id: string
  /** The provider's id. */
  providerId: string
}

const chargeable = ({ id, provider_id }: store.MethodRow): Chargeable => ({
  id,
  providerId: provider_id ?? '',
})

/**
 * The named method, or the default one.
 * @param named a public id
 * @throws Failure invalid_request for an unknown one, payment_method_missing without a default
 */
export async function chooseMethod(
  trx: Db,
  workspaceId: string,
  provider: string,
  named: string | undefined,
): Promise<Chargeable> {
  const uuid = named === undefined ? undefined : parseId('pm', named)
  if (named !== undefined) {
    const row = uuid && (await store.findMethod.first(trx, { workspaceId, id: uuid }))
    if (row && row.provider === provider) return chargeable(row)
    throw invalid('/payment_method_id', 'names no payment method of this workspace')
  }
  const row = await store.findDefaultMethod.first(trx, { workspaceId })
  if (row?.provider !== provider) throw new Failure('payment_method_missing')
  return chargeable(row)
}

/** Of an ongoing payment; the method may have been removed meanwhile. */
export async function methodOfPayment(
  db: Db,
  workspaceId: string,
  methodId: string,
): Promise<Chargeable | undefined> {
  const row = await store.findAnyMethod.first(db, { workspaceId, id: methodId })
  return row?.provider_id ? chargeable(row) : undefined
}
