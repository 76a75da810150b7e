/** Numbers as people read them. */
import type { DeviceCount } from '../../../sdk/schema.ts'
import { locale } from '../i18n/language.ts'

const format = new Intl.NumberFormat(locale)
const oneDigit = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })

/** `1,204` */
export const numberText = (value: number): string => format.format(value)

/** `12.6`, with one digit after the point at most. */
export const shortNumberText = (value: number): string => oneDigit.format(value)

const oneDigitPercent = new Intl.NumberFormat(locale, {
  style: 'percent',
  maximumFractionDigits: 1,
})

/** The percentage of a share of 1: `12.6%` in English, `12,6 %` in German. */
export const percentText = (share: number): string => oneDigitPercent.format(share)

/** `1,204`, or `10,000+` where counting has stopped. */
export const countText = ({ value, is_lower_bound }: DeviceCount): string =>
  `${numberText(value)}${is_lower_bound ? '+' : ''}`
