/**
 * A login that the hooks answer badly on purpose, so that whoever examines a broker sees what it
 * does then. It is signed and ends within minutes: nobody else can have a hook hang. It never
 * admits anybody.
 */
import { constantTimeEqual } from '../lib/secrets.ts'
import type { Keyring } from './keyring.ts'

/** No answer; a 500; a 200 without a body, or with nonsense; a connection that is dropped. */
export const disturbances = ['hang', 'error', 'empty', 'garbage', 'drop'] as const
export type Disturbance = (typeof disturbances)[number]

const LIFETIME_SECONDS = 300
const PREFIX = 'hook-probe'
const LABEL = 'hook-probe'

export interface HookProbe {
  username: string
  password: string
}

/** @param now milliseconds since the epoch. */
export function makeHookProbe(keyring: Keyring, disturbance: Disturbance, now: number): HookProbe {
  const username = `${PREFIX}-${disturbance}-${Math.floor(now / 1_000) + LIFETIME_SECONDS}`
  return { username, password: keyring.mac(LABEL, username).toString('hex') }
}

/** How this login wants to be answered; undefined for any other, and for one that is over. */
export function readHookProbe(
  keyring: Keyring,
  username: string | undefined,
  password: string | undefined,
  now: number,
): Disturbance | undefined {
  if (username?.startsWith(PREFIX) !== true || password === undefined) return undefined
  const [, name, end] = /^hook-probe-([a-z]+)-(\d{1,12})$/.exec(username) ?? []
  const disturbance = disturbances.find((each) => each === name)
  if (disturbance === undefined || Number(end) * 1_000 < now) return undefined
  const signature = keyring.mac(LABEL, username)
  const shown = Buffer.from(password, 'hex')
  return constantTimeEqual(signature, shown) ? disturbance : undefined
}
