/** Billing hours and months: UTC, in milliseconds since the epoch. */
import { HOUR_MS } from './time.ts'

export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS

/** The start of the month that contains a time, or of the one so many months later. */
export function monthOf(ms: number, later = 0): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later)
}
