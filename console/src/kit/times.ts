/** Lengths of time in words. */
import { daysText } from '../api/duration.ts'
import * as frame from '../i18n/frame.ts'
import { locale } from '../i18n/language.ts'

const steps: readonly [seconds: number, name: string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]

const unitOf = (seconds: number): readonly [size: number, name: string] =>
  steps.find(([each]) => seconds >= each) ?? [1, 's']

/** @param count of the unit */
function inLargestUnit(
  milliseconds: number,
  count = Math.floor,
): readonly [n: number, unit: string] {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  const [step] = unitOf(seconds)
  // A time that is rounded up to 24 h is 1 d.
  const whole = count(seconds / step) * step
  const [size, name] = unitOf(whole)
  return [whole / size, name]
}

/** `3 h`, `12 s`: the largest unit alone, of which whole ones count. */
export function inWords(milliseconds: number): string {
  const [n, unit] = inLargestUnit(milliseconds)
  return unit === 'd' ? daysText(n) : `${n} ${unit}`
}

const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })

/** @param at in milliseconds since the epoch */
export const timeOfDay = (at: number): string => clock.format(at)

/** Between two looks at the clock of all times that are shown. */
export const TICK_MS = 10_000

/**
 * How long ago or until when, in the words of a language.
 * @returns of the milliseconds since then; they are negative for what is to come
 */
export const awayIn =
  ({ t, counted }: Pick<typeof frame, 't' | 'counted'>) =>
  (away: number): string => {
    // A time that is later than the last reading of the clock by less counts as now.
    if (away < 1000 && away > -TICK_MS) return t('now')
    const isPast = away >= 0
    const [n, unit] = isPast ? inLargestUnit(away) : inLargestUnit(-away, Math.round)
    if (unit !== 'd') {
      const time = `${n} ${unit}`
      return isPast ? t('{time} ago', { time }) : t('in {time}', { time })
    }
    return isPast ? counted(n, '1 d ago', '{n} d ago') : counted(n, 'in 1 d', 'in {n} d')
  }

export const awayInWords = awayIn(frame)
