/** Configuration variables of plans and invoices. */
import { integer, optional, text } from './kinds.ts'

export const billingVariables = {
  plansFile: optional(
    'MOORING_PLANS_FILE',
    'no plans: no limits, no invoices',
    'JSON file with the plans that workspaces can have, as examples/plans.json. It is read at the start.',
  ),
  invoiceSeller: text(
    'MOORING_INVOICE_SELLER',
    'Mooring',
    'The issuer of the invoices: name, address and tax id, with `|` between the lines.',
  ),
  invoiceDueDays: integer(
    'MOORING_INVOICE_DUE_DAYS',
    14,
    [0, 365],
    'Days after which an invoice that is not paid is overdue.',
  ),
  invoiceFont: optional(
    'MOORING_INVOICE_FONT',
    'Helvetica, which has Latin letters only',
    'TrueType or OpenType font for PDFs of invoices, which is embedded in them.',
  ),
  usageHourDays: integer(
    'MOORING_USAGE_HOUR_DAYS',
    400,
    [62, 36_500],
    'Days for which usage is kept by hour; after that by day, as long as the workspace.',
  ),
  taxName: text('MOORING_TAX_NAME', 'VAT', 'The name of the tax on invoices.'),
  taxRateBp: integer(
    'MOORING_TAX_RATE_BP',
    0,
    [0, 10_000],
    'Rate of the tax on invoices in basis points: 1900 is 19 %. 0: no tax.',
  ),
}
