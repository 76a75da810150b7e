/** The metered quantities, in words. */
import type { Plan } from '../../../../sdk/schema.ts'
import { type Meter, moneyText } from '../../api/money.ts'
import { numberText } from '../../kit/numbers.ts'
import { locale } from '../../i18n/language.ts'
import { t } from './translations.ts'

export interface MeterLabels {
  meter: Meter
  label: string
  /** The label within a sentence. */
  inSentence: string
  /** In place of a chart without bars; reading the page is an API request already. */
  none?: string
  /** The limit of a plan. */
  limit: keyof Plan['limits']
  text: (value: number) => string
  /** A period's value is its highest, not its sum. */
  isPeak?: true
}

const STEPS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `1.2 MB`, in powers of a thousand. */
export function bytesText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(STEPS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** step
  return `${value.toLocaleString(locale, { maximumFractionDigits: 1 })} ${STEPS[step]}`
}

export const meters: readonly MeterLabels[] = [
  {
    meter: 'connected_devices',
    label: t('Devices connected at once'),
    inSentence: t('devices connected at once'),
    none: t('No device connected in this period.'),
    limit: 'connected_devices',
    text: numberText,
    isPeak: true,
  },
  {
    meter: 'messages',
    label: t('Messages'),
    inSentence: t('messages'),
    none: t('No messages in this period.'),
    limit: 'messages_per_month',
    text: numberText,
  },
  {
    meter: 'bytes',
    label: t('Bytes of messages'),
    inSentence: t('bytes of messages'),
    none: t('No messages in this period.'),
    limit: 'bytes_per_month',
    text: bytesText,
  },
  {
    meter: 'api_calls',
    label: t('API requests'),
    inSentence: t('API requests'),
    limit: 'api_calls_per_month',
    text: numberText,
  },
]

/** The price of what is beyond the included quantity, if the plan has one. */
export function priceText({ currency, prices }: Plan, words: MeterLabels): string | undefined {
  const price = prices.find(({ meter }) => meter === words.meter)
  if (price === undefined) return undefined
  const values = { included: words.text(price.included), price: moneyText(price.amount, currency) }
  const unit = words.text(price.unit)
  // The number connected at once is no quantity of a month; its price is.
  if (words.isPeak) {
    return price.unit === 1
      ? t('{included} included, then {price} a month each', values)
      : t('{included} included, then {price} a month for {unit}', { ...values, unit })
  }
  if (price.unit === 1) return t('{included} a month included, then {price} each', values)
  return t('{included} a month included, then {price} for {unit}', { ...values, unit })
}
