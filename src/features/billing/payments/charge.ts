/**
 * Advances a payment by the provider's responses. The row exists first; then the payment is opened
 * at the provider, its id is stored, and only then is it confirmed. Each step can be interrupted
 * and repeated by anyone: an opened payment charges at most once, and one whose id is not stored
 * never does. See docs/decisions/0049-payments.md.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import {
  type ChargingProvider,
  type ProviderPayment,
  ProviderRefusal,
  ProviderUnavailable,
} from '../../../adapters/payment-provider/port.ts'
import { methodOfPayment } from '../payment-methods/payment-method.ts'
import { customerOf } from '../payment-methods/provider-call.ts'
import { keyOf } from '../../common/row-key.ts'
import { endFailed, settle } from './settlement.ts'
import * as store from './store.ts'

export interface Charged {
  row: store.PaymentRow
  /** For the payer's browser, while action is required. */
  clientSecret: string | undefined
}

const ABANDONED = { code: 'abandoned', message: 'The payment was not completed in time.' }
const CANCELLED = { code: 'cancelled', message: 'The payment was cancelled.' }
const DECLINED = { code: 'declined', message: 'The payment was declined.' }
const NO_METHOD = new ProviderRefusal('method_missing', 'The payment method no longer exists.')

export const isOpen = ({ ended_at }: store.PaymentRow): boolean => ended_at === null

/** A payment that is not ours, or has another amount, decides nothing here. */
function requireSame(row: store.PaymentRow, payment: ProviderPayment): ProviderPayment {
  const { paymentId, amount, currency } = payment
  if (paymentId === formatId('pay', row.id) && amount === row.amount && currency === row.currency) {
    return payment
  }
  throw new Error(
    `the provider reports different data for ${formatId('pay', row.id)} than was asked`,
  )
}

/** Opens it at the provider, which moves no money, and stores its id. */
async function open(
  db: Db,
  provider: ChargingProvider,
  row: store.PaymentRow,
): Promise<ProviderPayment> {
  const { workspace_id: workspaceId, method_id: methodId, amount, currency } = row
  const providerMethodId = methodId && (await methodOfPayment(db, workspaceId, methodId))
  if (!providerMethodId) throw NO_METHOD
  const paymentId = formatId('pay', row.id)
  const opened = await provider.openPayment({
    paymentId,
    attempt: row.checks + 1,
    amount,
    currency,
    customerId: await customerOf(db, provider, workspaceId),
    methodId: providerMethodId,
    description: row.kind === 'invoice' ? `Invoice, ${paymentId}` : `Prepayment, ${paymentId}`,
  })
  requireSame(row, opened)
  const bound = await store.bindPayment.first(db, { ...keyOf(row), providerId: opened.id })
  // A payment reported as failed must not be charged after all.
  if (bound === undefined) throw new ProviderUnavailable('the payment has ended meanwhile')
  // Another process was faster: the payment opened here is never confirmed.
  return bound.provider_id === opened.id ? opened : provider.readPayment(bound.provider_id)
}

/** Fails a payment that cannot continue, unless it succeeds just now. */
async function giveUp(
  db: Db,
  provider: ChargingProvider,
  row: store.PaymentRow,
  providerId: string,
  failure: { code: string; message: string },
): Promise<void> {
  const last = requireSame(row, await provider.cancelPayment(providerId))
  if (last.state === 'succeeded') return settle(db, row)
  if (last.state === 'cancelled') return endFailed(db, row, failure)
}

async function apply(
  db: Db,
  provider: ChargingProvider,
  row: store.PaymentRow,
  { id, state, failure }: ProviderPayment,
  isOld: boolean,
): Promise<void> {
  const isWaiting = state === 'requires_action' || state === 'unconfirmed'
  if (isOld && isWaiting) return giveUp(db, provider, row, id, ABANDONED)
  switch (state) {
    case 'succeeded':
      return settle(db, row)
    case 'processing':
    case 'requires_action':
      return store.advancePayment.run(db, { ...keyOf(row), status: state })
    case 'declined':
      return giveUp(db, provider, row, id, failure ?? DECLINED)
    case 'cancelled':
      return endFailed(db, row, failure ?? CANCELLED)
    case 'unconfirmed':
  }
}

async function again(
  db: Db,
  row: store.PaymentRow,
  clientSecret: string | undefined,
): Promise<Charged> {
  return { row: (await store.findPayment.first(db, keyOf(row))) ?? row, clientSecret }
}

/** A step of a payment, whose present state it returns. */
type Advance = (db: Db, provider: ChargingProvider, row: store.PaymentRow) => Promise<Charged>

/** Reads a payment's state and stores it. Charges nothing. */
export const checkPayment: Advance = async (db, provider, row) => {
  if (!isOpen(row) || row.provider_id === null) return { row, clientSecret: undefined }
  const payment = requireSame(row, await provider.readPayment(row.provider_id))
  await apply(db, provider, row, payment, false)
  return again(db, row, payment.clientSecret)
}

/**
 * Opens and confirms as needed, and stores the result.
 * @param isOld it has waited too long: it is ended instead of started
 * @throws ProviderUnavailable if the provider cannot report it; the payment continues later
 */
export async function charge(
  db: Db,
  provider: ChargingProvider,
  row: store.PaymentRow,
  isOld = false,
): Promise<Charged> {
  if (!isOpen(row)) return { row, clientSecret: undefined }
  if (row.provider_id === null && isOld) {
    await endFailed(db, row, ABANDONED)
    return again(db, row, undefined)
  }
  let bound = row
  try {
    let payment =
      row.provider_id === null
        ? await open(db, provider, row)
        : await provider.readPayment(row.provider_id)
    bound = { ...row, provider_id: payment.id }
    if (requireSame(row, payment).state === 'unconfirmed' && !isOld) {
      payment = requireSame(row, await provider.confirmPayment(payment.id, row.checks + 1))
    }
    await apply(db, provider, bound, payment, isOld)
    return await again(db, row, payment.clientSecret)
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error
    const { code, message } = error
    if (bound.provider_id === null) await endFailed(db, row, { code, message })
    else await giveUp(db, provider, bound, bound.provider_id, { code, message })
    return again(db, row, undefined)
  }
}

/** The same within a request: the job determines a result that is still unknown. */
export async function chargeSoon(
  db: Db,
  provider: ChargingProvider,
  row: store.PaymentRow,
  advance: Advance,
): Promise<Charged> {
  try {
    return await advance(db, provider, row)
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error
    return again(db, row, undefined)
  }
}

/** Ends a payment that waits for its payer, so that another can replace it. */
export const replaceWaiting: Advance = async (db, provider, row) => {
  if (row.provider_id !== null) await giveUp(db, provider, row, row.provider_id, CANCELLED)
  return again(db, row, undefined)
}
