/** A moment within a sentence. */
import { locale } from '../../i18n/language.ts'

const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const both = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

/** The time; with its date if that is not today. */
export function momentText(at: string): string {
  const then = Date.parse(at)
  return (day.format(then) === day.format() ? time : both).format(then)
}
