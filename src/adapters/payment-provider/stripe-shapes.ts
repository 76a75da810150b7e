/** Maps Stripe's objects and errors to the types of the port. */
import type Stripe from 'stripe'
import {
  type ProviderEvent,
  type ProviderMethod,
  type ProviderPayment,
  type ProviderPaymentState,
  ProviderRefusal,
  type ProviderSetup,
  ProviderUnavailable,
  type Reversal,
} from './port.ts'

/** The metadata key of our payment id. */
export const PAYMENT_ID = 'mooring_payment_id'

const states: Readonly<Record<string, ProviderPaymentState>> = {
  requires_confirmation: 'unconfirmed',
  // Our intents are opened with a method: needing another one means it was declined.
  requires_payment_method: 'declined',
  requires_action: 'requires_action',
  // We always capture at once; should it wait nevertheless, nothing is decided.
  requires_capture: 'processing',
  processing: 'processing',
  succeeded: 'succeeded',
  canceled: 'cancelled',
}

export function paymentOf(intent: Stripe.PaymentIntent): ProviderPayment {
  const { last_payment_error: error } = intent
  return {
    id: intent.id,
    paymentId: intent.metadata[PAYMENT_ID],
    // An unknown state decides nothing.
    state: states[intent.status] ?? 'processing',
    amount: intent.status === 'succeeded' ? intent.amount_received : intent.amount,
    currency: intent.currency.toUpperCase(),
    clientSecret: intent.client_secret ?? undefined,
    failure: error
      ? {
          code: error.decline_code ?? error.code ?? 'declined',
          message: error.message ?? 'The payment was declined.',
        }
      : undefined,
  }
}

/** @returns undefined for anything but a card */
export function methodOf(method: Stripe.PaymentMethod): ProviderMethod | undefined {
  const { id, card } = method
  if (!card) return undefined
  const { brand, last4, exp_month: expMonth, exp_year: expYear } = card
  return { id, card: { brand, last4, expMonth, expYear } }
}

export function setupOf(intent: Stripe.SetupIntent): ProviderSetup {
  const { id, status, payment_method: method } = intent
  const isDone = status === 'succeeded' && method !== null && typeof method === 'object'
  return {
    id,
    state: isDone ? 'succeeded' : status === 'canceled' ? 'cancelled' : 'waiting',
    clientSecret: intent.client_secret ?? undefined,
    method: isDone ? methodOf(method) : undefined,
  }
}

export function reversalOfRefund({ id, amount, currency, status }: Stripe.Refund): Reversal {
  const state =
    status === 'succeeded'
      ? 'done'
      : status === 'failed' || status === 'canceled'
        ? 'undone'
        : 'pending'
  return { id, kind: 'refund', amount, currency: currency.toUpperCase(), state }
}

/**
 * A dispute withdraws the money when it opens, an inquiry does not; winning it returns the money.
 */
export function reversalOfDispute({ id, amount, currency, status }: Stripe.Dispute): Reversal {
  const isInquiry = status.startsWith('warning_') || status === 'prevented'
  const state = status === 'won' ? 'undone' : isInquiry ? 'pending' : 'done'
  return { id, kind: 'dispute', amount, currency: currency.toUpperCase(), state }
}

/** The fields of an event's object that are read. */
interface EventObject {
  id?: string
  payment_intent?: string | { id: string } | null
  customer?: string | { id: string } | null
}

type Reference = EventObject['customer']

const idOf = (reference: Reference): string | undefined =>
  typeof reference === 'string' ? reference : reference?.id

/** The customer whose methods changed: a detached method no longer names one. */
function customerOf({ data }: Stripe.Event): string | undefined {
  const before = data.previous_attributes as EventObject | undefined
  return idOf((data.object as EventObject).customer) ?? idOf(before?.customer)
}

/** Only the type and an id are trusted; everything else is queried by that id. */
export function eventOf(event: Stripe.Event): ProviderEvent {
  const { id, type } = event
  const object = event.data.object as EventObject
  if (type.startsWith('payment_intent.') && object.id !== undefined) {
    return { id, subject: { kind: 'payment', id: object.id } }
  }
  if (type.startsWith('setup_intent.') && object.id !== undefined) {
    return { id, subject: { kind: 'setup', id: object.id } }
  }
  const intent = idOf(object.payment_intent)
  if (/^(?:charge\.refund|refund\.|charge\.dispute\.)/.test(type) && intent !== undefined) {
    return { id, subject: { kind: 'reversal', id: intent } }
  }
  const customer = customerOf(event)
  if (/^payment_method\.(?:detached|.*updated)$/.test(type) && customer !== undefined) {
    return { id, subject: { kind: 'customer', id: customer } }
  }
  return { id, subject: undefined }
}

interface StripeFailure {
  type?: string
  code?: string
  message?: string
}

/** Whether Stripe reports a declined card. */
export const isDecline = (error: unknown): boolean =>
  (error as StripeFailure).type === 'StripeCardError'

/** Whether the request does not fit the object's state. */
export const isUnexpectedState = (error: unknown): boolean =>
  (error as StripeFailure).code?.endsWith('_unexpected_state') === true

/** Maps a failure: a refusal had no effect, anything else may have had one. */
export function failureOf(error: unknown): Error {
  if (error instanceof ProviderRefusal || error instanceof ProviderUnavailable) return error
  const { type, code, message } = error as StripeFailure
  if (type === 'StripeInvalidRequestError' || type === 'StripeCardError') {
    return new ProviderRefusal(code ?? 'refused', message ?? 'Stripe has refused the request.')
  }
  return new ProviderUnavailable('Stripe sent an unexpected response', { cause: error })
}
