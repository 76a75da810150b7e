/** What Stripe's objects and errors mean in the words of the port. */
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

/** The name under which our payment's id travels with Stripe's. */
export const PAYMENT_ID = 'mooring_payment_id'

const states: Readonly<Record<string, ProviderPaymentState>> = {
  requires_confirmation: 'unconfirmed',
  // Every intent of ours is opened with a method: where it wants another one, that was refused.
  requires_payment_method: 'declined',
  requires_action: 'requires_action',
  // Captured at once, always; should it wait for that nevertheless, nothing is decided.
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
    // Of a state that is not known yet nothing is decided.
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

/** @returns undefined for what is no card. */
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

/** A dispute takes the money when it is opened, an inquiry doesn't; who wins gets it back. */
export function reversalOfDispute({ id, amount, currency, status }: Stripe.Dispute): Reversal {
  const isInquiry = status.startsWith('warning_') || status === 'prevented'
  const state = status === 'won' ? 'undone' : isInquiry ? 'pending' : 'done'
  return { id, kind: 'dispute', amount, currency: currency.toUpperCase(), state }
}

/** Of an event's object, as much as is read of it. */
interface EventObject {
  id?: string
  payment_intent?: string | { id: string } | null
  customer?: string | { id: string } | null
}

type Reference = EventObject['customer']

const idOf = (reference: Reference): string | undefined =>
  typeof reference === 'string' ? reference : reference?.id

/** Whose methods have changed: one that is detached is nobody's by then. */
function customerOf({ data }: Stripe.Event): string | undefined {
  const before = data.previous_attributes as EventObject | undefined
  return idOf((data.object as EventObject).customer) ?? idOf(before?.customer)
}

/** Only the type and an id are believed; everything else is asked for by that id. */
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

/** Whether it is Stripe's word that a card was refused. */
export const isDecline = (error: unknown): boolean =>
  (error as StripeFailure).type === 'StripeCardError'

/** Whether what was asked doesn't fit the state that it is in. */
export const isUnexpectedState = (error: unknown): boolean =>
  (error as StripeFailure).code?.endsWith('_unexpected_state') === true

/** A failure in the words of the port: a refusal has done nothing, all others may have. */
export function failureOf(error: unknown): Error {
  if (error instanceof ProviderRefusal || error instanceof ProviderUnavailable) return error
  const { type, code, message } = error as StripeFailure
  if (type === 'StripeInvalidRequestError' || type === 'StripeCardError') {
    return new ProviderRefusal(code ?? 'refused', message ?? 'Stripe has refused the request.')
  }
  return new ProviderUnavailable('Stripe has not answered as it should', { cause: error })
}
