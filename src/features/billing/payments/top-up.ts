/** Charges a payment method to add to the prepaid balance. */
import { createHash } from 'node:crypto'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, withinLimit } from '../../../platform/errors/errors.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import type { ChargingProvider } from '../../../adapters/payment-provider/port.ts'
import { chooseMethod } from '../payment-methods/payment-method.ts'
import { requireCharging } from '../payment-methods/provider-call.ts'
import type { PlanServices } from '../../metering/plans/plan-directory.ts'
import {
  currencyOf,
  fixCurrency,
  lockSubscription,
} from '../../metering/subscriptions/subscription-lock.ts'
import { charge, chargeSoon, checkPayment } from './charge.ts'
import { resultOf } from './payment.ts'
import type { PaymentResult, TopUp } from './schema.ts'
import { recordPayment } from './settlement.ts'
import * as store from './store.ts'
import { creatorOf } from '../../../platform/record/event.ts'

export type TopUpServices = PlanServices

type TopUpContext = Context & TopUpServices

/** Concurrently, to stop runaway scripts. */
const MAX_OPEN = 10

/** Different callers have separate key spaces. */
const requestKeyOf = ({ caller, request }: TopUpContext): Buffer | null =>
  request.idempotencyKey === undefined
    ? null
    : createHash('sha256')
        .update(
          `${caller.kind === 'user' ? caller.userId : caller.kind}\n${request.idempotencyKey}`,
        )
        .digest()

/** The payment started by an earlier request with the same key. */
async function findEarlier(
  trx: Db,
  { workspaceId }: TopUpContext,
  requestKey: Buffer | null,
  { amount, payment_method_id: named }: TopUp,
): Promise<store.PaymentRow | undefined> {
  const row = requestKey && (await store.findByRequestKey.first(trx, { workspaceId, requestKey }))
  if (!row) return undefined
  const isSame = row.amount === amount
  const isSameMethod = named === undefined || formatId('pm', row.method_id ?? '') === named
  if (!isSame || !isSameMethod) throw new Failure('idempotency_key_reused')
  return row
}

async function begin(
  context: TopUpContext,
  provider: ChargingProvider,
  currency: string,
  input: TopUp,
): Promise<{ row: store.PaymentRow; isNew: boolean }> {
  const { db, workspaceId } = context
  const requestKey = requestKeyOf(context)
  return db.transaction(async (trx) => {
    await fixCurrency(trx, await lockSubscription(trx, workspaceId), currency)
    const earlier = await findEarlier(trx, context, requestKey, input)
    if (earlier !== undefined) return { row: earlier, isNew: false }
    const present = (await store.countTopUps.one(trx, { workspaceId })).found
    withinLimit(present, 'top_ups', MAX_OPEN, 'top-ups in progress')
    const methodId = await chooseMethod(trx, workspaceId, provider.name, input.payment_method_id)
    const row = await store.insertPayment.first(trx, {
      workspaceId,
      id: newUuid(),
      kind: 'top_up',
      invoiceId: null,
      provider: provider.name,
      methodId,
      amount: input.amount,
      currency,
      requestKey,
      createdBy: creatorOf(originOf(context)),
    })
    if (row === undefined) throw new Error('two top-ups have one Idempotency-Key')
    await recordPayment(trx, originOf(context), 'payment.created', row)
    return { row, isNew: true }
  })
}

/**
 * Tops up the balance, once per Idempotency-Key, which never expires.
 * @throws Failure payments_by_hand, billing_currency_missing, payment_method_missing,
 * idempotency_key_reused, limit_reached
 */
export async function topUp(
  context: TopUpContext,
  input: TopUp,
): Promise<{ result: PaymentResult; isNew: boolean }> {
  const provider = requireCharging(context.payments)
  const currency = await currencyOf(context.db, context, context.workspaceId)
  if (currency === undefined) throw new Failure('billing_currency_missing')
  const { row, isNew } = await begin(context, provider, currency, input)
  const charged = await chargeSoon(context.db, provider, row, isNew ? charge : checkPayment)
  return { result: resultOf(charged.row, provider, charged.clientSecret), isNew }
}
