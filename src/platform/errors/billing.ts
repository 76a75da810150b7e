/** Failures of subscriptions and invoices. */
import { entry } from './entry.ts'

export const billing = {
  currency_fixed: entry(
    409,
    'Currency is fixed',
    'The workspace pays in another currency than this plan has.',
    'Choose a plan in the currency of the workspace.',
  ),
  subscription_just_changed: entry(
    409,
    'Subscription just changed',
    'The plan was changed within this hour already.',
    'Wait for the seconds of `Retry-After`: every hour has one plan.',
  ),
  invoice_not_found: entry(
    404,
    'Invoice not found',
    'There is no such invoice of this workspace.',
    'List the invoices of the workspace.',
  ),
  payment_not_found: entry(
    404,
    'Payment not found',
    'There is no such payment of this workspace.',
    'List the payments of the workspace.',
  ),
  payment_method_not_found: entry(
    404,
    'Payment method not found',
    'There is no such payment method of this workspace.',
    'List the payment methods of the workspace.',
  ),
  payment_method_missing: entry(
    409,
    'Payment method missing',
    'The workspace has no default payment method.',
    'Set one up, make one the default, or name one.',
  ),
  payments_by_hand: entry(
    409,
    'Payments by hand',
    'Nobody is charged here: payments are made by hand.',
    'Pay as the answer says; the operator records it then.',
  ),
  billing_currency_missing: entry(
    409,
    'Currency missing',
    'The workspace has no plan yet, and so no currency that it pays in.',
    'Choose a plan first.',
  ),
  payment_provider_unavailable: entry(
    503,
    'Payment provider unavailable',
    'The payment provider can not be reached, or has refused what was asked.',
    'Try again later. The operator finds the reason in the log.',
  ),
} as const
