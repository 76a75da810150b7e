/** Lengths of time as people type and read them. */
import { counted } from '../i18n/frame.ts'

const units: readonly (readonly [name: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
]

/** Days have no abbreviation that all languages know. */
export const daysText = (days: number): string => counted(days, '1 d', '{n} d')

/** In the largest unit that gives a whole number: `7 d`, `90 min`. */
export function durationText(seconds: number): string {
  const [name, size] = units.find(([, each]) => seconds % each === 0) ?? ['s', 1]
  const count = seconds / size
  return name === 'd' ? daysText(count) : `${count} ${name}`
}

/** The unit of days, in German too. */
const DAYS = /^(?:d|Tage?)$/

/** @returns seconds; undefined for what is no length of time */
export function secondsOf(text: string): number | undefined {
  const [, count = '', name = 's'] = /^(\d{1,9})\s*(s|min|h|d|Tage?)?$/.exec(text.trim()) ?? []
  const size = units.find(([each]) => each === (DAYS.test(name) ? 'd' : name))?.[1]
  return count === '' || size === undefined ? undefined : Number(count) * size
}
