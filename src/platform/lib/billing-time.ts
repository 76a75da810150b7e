/** Billing hours and months: UTC, in milliseconds since the epoch. */

export const HOUR_MS = 3_600_000

export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS

/** The start of the month that contains a time. */
export function monthOf(ms: number): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** The start of the following month. */
export function nextMonthOf(ms: number): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
