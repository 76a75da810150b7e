/** The steps of adding a card and of paying, whatever is paid. */
import type { Stripe, StripeElements } from '@stripe/stripe-js'
import type { PaymentResult } from '../../../sdk/schema.ts'
import type { Handover, Purpose } from '../session/handover.ts'
import { call } from './client.ts'
import { CardRefusal, checkForm, confirmPayment, sendCard } from './card.ts'
import { t } from './translations.ts'

/** How long the page waits for the notification of the service by Stripe. */
const WAIT_MS = 90_000
const POLL_MS = 1_000

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, POLL_MS))

/** Asks until there is a response, or the wait is over. */
async function waitFor<Value>(ask: () => Promise<Value | undefined>): Promise<Value | undefined> {
  const end = Date.now() + WAIT_MS
  for (;;) {
    const found = await ask()
    if (found !== undefined || Date.now() > end) return found
    await pause()
  }
}

export interface CardForm {
  stripe: Stripe
  elements: StripeElements
}

/** A set-up whose card was refused takes the next one. */
export interface Setup {
  id: string
  clientSecret: string
}

async function isListed({ token, workspace }: Handover, id: string): Promise<true | undefined> {
  const { items } = await call(token, 'listPaymentMethods', { params: { id: workspace.id } })
  return items.some((each) => each.id === id) || undefined
}

/**
 * Gives the card in the form to Stripe, and waits until the service has heard of it.
 * @param present of an earlier attempt
 * @param keep called with the set-up, for the next attempt
 * @returns the id of the payment method
 * @throws Problem; CardRefusal
 */
export async function addCard(
  handover: Handover,
  { stripe, elements }: CardForm,
  present: Setup | undefined,
  keep: (setup: Setup) => void,
): Promise<string> {
  await checkForm(elements)
  let setup = present
  if (setup === undefined) {
    const params = { id: handover.workspace.id }
    const made = await call(handover.token, 'createPaymentMethod', { params })
    setup = { id: made.id, clientSecret: made.client_secret }
    keep(setup)
  }
  const { id, clientSecret } = setup
  await sendCard(stripe, elements, clientSecret)
  await waitFor(() => isListed(handover, id))
  return id
}

/** The invoice that is paid, and the means of payment. */
export interface Order {
  purpose: Exclude<Purpose, 'method'>
  /** For the balance, in minor units. */
  amount?: number
  /** Undefined: from the balance. */
  methodId?: string
  /** The key of this attempt to add to the balance. */
  key: string
}

function ask({ token, workspace, invoiceId }: Handover, order: Order): Promise<PaymentResult> {
  const { purpose, amount = 0, methodId, key } = order
  const method = methodId === undefined ? {} : { payment_method_id: methodId }
  if (purpose === 'invoice') {
    const params = { id: workspace.id, invoice_id: invoiceId ?? '' }
    return call(token, 'payInvoice', { params, body: method })
  }
  const params = { id: workspace.id }
  const body = { amount, ...method }
  return call(token, 'topUpBalance', { params, body, idempotencyKey: key })
}

/** Waits while Stripe has not decided. */
async function decided(handover: Handover, result: PaymentResult): Promise<PaymentResult> {
  const { payment, status } = result
  if (status !== 'processing' || payment === null) return result
  const { token, workspace } = handover
  const params = { id: workspace.id, payment_id: payment.id }
  const ended = await waitFor(async () => {
    const present = await call(token, 'getPayment', { params })
    return present.ended_at === null ? undefined : present
  })
  if (ended === undefined) return result
  return { ...result, payment: ended, status: ended.status === 'failed' ? 'failed' : 'paid' }
}

/**
 * Pays, and lets the payer do what the bank asks for.
 * @returns what became of it: `paid`, `processing` or `by_hand`
 * @throws Problem; CardRefusal if no money has moved
 */
export async function pay(
  handover: Handover,
  stripe: Stripe,
  order: Order,
): Promise<PaymentResult> {
  let result = await ask(handover, order)
  if (result.status === 'requires_action' && result.client_secret !== null) {
    const refusal = await confirmPayment(stripe, result.client_secret)
    result = await ask(handover, order)
    if (result.status === 'requires_action') {
      throw refusal ?? new CardRefusal(t('The bank has not confirmed the payment.'))
    }
  }
  const last = await decided(handover, result)
  if (last.status !== 'failed') return last
  throw new CardRefusal(last.payment?.failure?.message ?? t('The payment has failed.'))
}
