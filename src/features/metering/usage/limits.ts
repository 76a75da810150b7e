/** The limits that a plan can have, and which of them are reached. */
import type { Explanation } from '../../../adapters/broker/traffic-meter.ts'
import { type Failure, limited } from '../../../platform/errors/errors.ts'
import { meters } from '../../common/plan-shapes.ts'

export type Meter = (typeof meters)[number]

export type Use = Record<Meter, number>

/** The names of limits in plans and refusals. */
const limitNames = {
  connected_devices: 'connected_devices',
  messages: 'messages_per_month',
  bytes: 'bytes_per_month',
  api_calls: 'api_calls_per_month',
} as const satisfies Record<Meter, string>

export type LimitName = (typeof limitNames)[Meter]

/** A missing meter is unlimited. */
export type Limits = Readonly<Partial<Record<LimitName, number | undefined>>>

/** The limits of a workspace's plan, usually from memory; undefined if there are none. */
export type LimitsOf = (workspaceId: string) => Promise<Limits | undefined>

/** The limits that stop clients from publishing. */
export const publishMeters: readonly Meter[] = ['messages', 'bytes']

export interface Reached {
  meter: Meter
  name: LimitName
  value: number
  use: number
}

/** An exhausted limit. */
export interface Spent extends Reached {
  /** Milliseconds since the epoch. */
  resetAt: number
}

const secondsUntil = (resetAt: number, now: number): number =>
  Math.max(1, Math.ceil((resetAt - now) / 1_000))

const describeLimit = ({ name, value, use }: Omit<Reached, 'meter'>, free: string): string =>
  `The limit ${name} of the plan, ${value}, is used up: ${use} were used. It is free again ${free}.`

/**
 * The explanation for MQTT clients. Without a reset time, the limit is free when another device
 * disconnects.
 */
export function explain(
  spent: Omit<Spent, 'meter' | 'resetAt'> & { resetAt?: number },
  now: number,
): Explanation {
  const { name, value, use, resetAt } = spent
  const seconds = resetAt === undefined ? undefined : secondsUntil(resetAt, now)
  const free = seconds === undefined ? 'once another device has gone' : `in ${seconds} s`
  const facts: Record<string, string> = { limit: name, value: String(value), use: String(use) }
  if (seconds !== undefined) facts.reset_seconds = String(seconds)
  return { message: describeLimit(spent, free), facts }
}

export function planLimitReached({ name, value, use, resetAt }: Spent, now: number): Failure {
  const seconds = secondsUntil(resetAt, now)
  const detail = describeLimit({ name, value, use }, `in ${seconds} s`)
  return limited('plan_limit_reached', { name, value, use, resetSeconds: seconds }, { detail })
}

/** Limits of which a percentage is used; at 100 they are exhausted. */
export const reachedLimits = (limits: Limits, use: Use, percent = 100): Reached[] =>
  meters.flatMap((meter) => {
    const name = limitNames[meter]
    const value = limits[name]
    if (value === undefined || use[meter] * 100 < value * percent) return []
    return [{ meter, name, value, use: use[meter] }]
  })
