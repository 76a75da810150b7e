/** Numbers as people read them. */
import { locale } from '../words/language.ts'
const format = new Intl.NumberFormat(locale)

/** `1,204` */
export const numberText = (value: number): string => format.format(value)
