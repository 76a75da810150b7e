/** Hours and months as bills know them: in UTC, in milliseconds since the epoch. */

export const HOUR_MS = 3_600_000

export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS

/** The beginning of the month that a time is in. */
export function monthOf(ms: number): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** The beginning of the month after the one that a time is in. */
export function nextMonthOf(ms: number): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
