/** The name of an invoice: its number, or the draft of its month. */
import type { Invoice } from '../../../sdk/schema.ts'
import { t } from '../i18n/frame.ts'
import { locale } from '../i18n/language.ts'

const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })

export const monthOf = ({ period_start }: Pick<Invoice, 'period_start'>): string =>
  month.format(Date.parse(period_start))

export const nameOf = (invoice: Pick<Invoice, 'number' | 'period_start'>): string =>
  invoice.number ?? t('Draft of {month}', { month: monthOf(invoice) })
