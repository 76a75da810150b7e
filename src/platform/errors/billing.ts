/** Failures of subscriptions and invoices. */
import { conflict, notFound, unavailable } from './entry.ts'

export const billing = {
  currency_fixed: conflict(
    'Currency is fixed',
    'The currency of the plan differs from that of the workspace.',
    'Choose a plan in the currency of the workspace.',
  ),
  subscription_just_changed: conflict(
    'Subscription just changed',
    'The plan was already changed within this hour.',
    'Wait for the number of seconds in `Retry-After`: the plan can change once an hour.',
  ),
  invoice_not_found: notFound(
    'Invoice not found',
    'There is no such invoice of this workspace.',
    'List the invoices of the workspace.',
  ),
  payment_not_found: notFound(
    'Payment not found',
    'There is no such payment of this workspace.',
    'List the payments of the workspace.',
  ),
  payment_method_not_found: notFound(
    'Payment method not found',
    'There is no such payment method of this workspace.',
    'List the payment methods of the workspace.',
  ),
  payment_method_missing: conflict(
    'Payment method missing',
    'The workspace has no default payment method.',
    'Set one up, make one the default, or name one.',
  ),
  payments_by_hand: conflict(
    'Manual payments',
    'This installation takes payments manually.',
    'Follow the instructions in the response. The operator records the payment.',
  ),
  billing_currency_missing: conflict(
    'Currency not set',
    'The workspace has no plan yet, and therefore no currency.',
    'Choose a plan first.',
  ),
  payment_provider_unavailable: unavailable(
    'Payment provider unavailable',
    'The payment provider cannot be reached, or refused the request.',
    'Try again later. The operator finds the reason in the log.',
  ),
} as const
