/** The rules of payment methods: listed, made the default, removed. */
import { type Context, originOf, type Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import type { Change, Origin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { enqueue, taskKind } from '../../../platform/jobs/job.ts'
import { formatId, parseId } from '../../../platform/lib/ids.ts'
import { type PaymentMethodList, PaymentMethodView } from './schema.ts'
import { keyOf, type RowKey } from '../../common/row-key.ts'
import { rowView } from '../../common/row-view.ts'
import { lockerOf } from '../../common/resource.ts'
import * as store from './store.ts'
import { type Revised, revisedBy } from '../../common/results.ts'

/** Only of active methods. */
const lock = lockerOf(store.lockMethod, 'payment_method_not_found')

const viewOf = rowView<store.MethodRow>()(PaymentMethodView, {
  type: () => 'card',
  brand: (row) => row.brand ?? '',
  last4: (row) => row.last4 ?? '',
  exp_month: (row) => row.exp_month ?? 0,
  exp_year: (row) => row.exp_year ?? 0,
})
const revisedOf = revisedBy(viewOf)

/** Records a change of a method; `data` is what events say of it besides its id. */
export function recordMethod(
  trx: Db,
  origin: Origin,
  action: `payment_method.${'setup_begun' | 'added' | 'updated' | 'removed'}`,
  { workspaceId, id: uuid }: RowKey,
  { data, detail = {} }: Pick<Change, 'data' | 'detail'> = {},
): Promise<void> {
  const id = formatId('pm', uuid)
  const resource = { kind: 'payment_method', id }
  const known = { payment_method_id: id, ...data }
  return record(trx, origin, { workspaceId, action, resource, data: known, detail })
}

/** The card's members in the event of an added or a removed method. */
export const cardOf = ({ brand, last4 }: store.MethodRow) => ({ brand, last4 })

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
    if (before.is_default) return revisedOf(before)
    const row = await store.setDefault(trx, workspaceId, methodId)
    const detail = { before: { is_default: false }, after: { is_default: true } }
    await recordMethod(trx, originOf(context), 'payment_method.updated', keyOf(row), { detail })
    return revisedOf(row)
  })
}

/** Removed here with the commit, and at the provider as soon as it is reachable. */
export async function removePaymentMethod(context: Context, methodId: string): Promise<void> {
  const { db, workspaceId } = context
  await db.transaction(async (trx) => {
    await store.lockMethods.run(trx, { id: workspaceId })
    const row = await lock(trx, context, methodId)
    await store.markDetached.run(trx, keyOf(row))
    await enqueue(trx, DETACH_METHOD, keyOf(row), { key: `detach:${methodId}` })
    const data = cardOf(row)
    await recordMethod(trx, originOf(context), 'payment_method.removed', keyOf(row), { data })
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

/**
 * The named method, or the default one.
 * @param named a public id
 * @returns its UUID
 * @throws Failure invalid_request for an unknown one, payment_method_missing without a default
 */
export async function chooseMethod(
  trx: Db,
  workspaceId: string,
  provider: string,
  named: string | undefined,
): Promise<string> {
  if (named !== undefined) {
    const id = parseId('pm', named)
    const row = id && (await store.findMethod.first(trx, { workspaceId, id }))
    if (row && row.provider === provider) return row.id
    throw invalid('/payment_method_id', 'names no payment method of this workspace')
  }
  const row = await store.findDefaultMethod.first(trx, { workspaceId })
  if (row?.provider !== provider) throw new Failure('payment_method_missing')
  return row.id
}

/** The provider's id of an ongoing payment's method, which may have been removed meanwhile. */
export const methodOfPayment = async (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<string | null | undefined> =>
  (await store.findAnyMethod.first(db, { workspaceId, id }))?.provider_id
