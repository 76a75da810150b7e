/** Numbers as people read them. */
import type { DeviceCount } from '../../../sdk/schema.ts'
import { locale } from '../words/language.ts'

const format = new Intl.NumberFormat(locale)

/** `1,204` */
export const numberText = (value: number): string => format.format(value)

/** `1,204`, or `10,000+` where counting has stopped. */
export const countText = ({ value, is_lower_bound }: DeviceCount): string =>
  `${numberText(value)}${is_lower_bound ? '+' : ''}`
