/**
 * Lengths of time, and the only reader of times that callers send: RFC 3339, from the year 0001 to
 * 9999 in UTC. An accepted time has a form that JavaScript, Postgres and every reader of RFC 3339
 * can hold.
 */

export const MINUTE_S = 60
export const HOUR_S = 3_600
export const DAY_S = 86_400
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** 0001-01-01T00:00:00Z; Postgres has no year 0. */
export const EARLIEST_MS = -62_135_596_800_000
/** 9999-12-31T23:59:59.999Z; a later year would need five digits. */
export const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

// The separators and the offsets without a colon or minutes are what has always been taken.
const FORM =
  /^(\d{4})-(\d\d)-(\d\d)[T ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/i
const DAY = /^\d{4}-\d\d-\d\d$/

/** The start of a day that exists, in UTC; undefined for one such as February 30. */
function dayOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  // Unlike `Date.UTC`, this does not take the years 0 to 99 for those of the last century.
  const ms = date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms : undefined
}

/** A leap second is the last one of a month in UTC (RFC 3339 section 5.7). */
const startsMonth = (ms: number): boolean => ms % DAY_MS === 0 && new Date(ms).getUTCDate() === 1

/**
 * Milliseconds since the epoch, without the digits after the third; undefined if the text is no
 * time. A leap second is read as the second that follows, as Postgres and POSIX do.
 */
export function parseTime(text: string): number | undefined {
  const found = FORM.exec(text)
  if (found === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map(Number)
  const [fraction = '', sign, offsetHours = 0, offsetMinutes = 0] = found.slice(7)
  const start = dayOf(year, month, day)
  if (start === undefined) return undefined
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1)
  const seconds = (hour * 60 + minute - offset) * 60 + second
  const whole = start + seconds * 1_000
  if (second === 60 && !startsMonth(whole)) return undefined
  const ms = whole + Number(fraction.slice(0, 3).padEnd(3, '0'))
  return ms >= EARLIEST_MS && ms <= LATEST_MS ? ms : undefined
}

/** The same, or a day, which stands for its start in UTC. */
export const parseTimeOrDay = (text: string): number | undefined =>
  parseTime(DAY.test(text) ? `${text}T00:00:00Z` : text)

export const isTime = (text: string): boolean => parseTime(text) !== undefined

/** The time in a member that its schema (`format: 'date-time'`) has checked. */
export function timeOf(text: string): number {
  const ms = parseTime(text)
  if (ms === undefined) throw new TypeError('a time was not checked by a schema')
  return ms
}

/** The nearest time that can be represented, for times that are computed from others. */
export const nearestTime = (ms: number): number => Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS)
