/** Refusals by subscriptions and invoices. */
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
} as const
