/**
 * A login that hooks deliberately answer badly, so that `mooring doctor` can observe how a broker
 * fails. It is signed and expires within minutes, so that nobody else can make a hook hang. It
 * never grants access.
 */
import { createHash } from 'node:crypto'
import { bytesToUuid } from '../lib/ids.ts'
import { constantTimeEqual } from '../lib/secrets.ts'
import type { Keyring } from './keyring.ts'

/** No response; a 500; a 200 without a body, or with garbage; a dropped connection. */
export const hookFaults = ['hang', 'error', 'empty', 'garbage', 'drop'] as const
export type HookFault = (typeof hookFaults)[number]

const LIFETIME_SECONDS = 300
const PREFIX = 'hook-probe'
const LABEL = 'hook-probe'

export interface HookProbe {
  username: string
  password: string
}

/** @param now milliseconds since the epoch. */
export function makeHookProbe(keyring: Keyring, fault: HookFault, now: number): HookProbe {
  const username = `${PREFIX}-${fault}-${Math.floor(now / 1_000) + LIFETIME_SECONDS}`
  return { username, password: keyring.mac(LABEL, username).toString('hex') }
}

/** The fault that this login asks for; undefined for other logins and expired ones. */
export function readHookProbe(
  keyring: Keyring,
  username: string | undefined,
  password: string | undefined,
  now: number,
): HookFault | undefined {
  if (username?.startsWith(PREFIX) !== true || password === undefined) return undefined
  const [, name, end] = /^hook-probe-([a-z]+)-(\d{1,12})$/.exec(username) ?? []
  const fault = hookFaults.find((each) => each === name)
  if (fault === undefined || Number(end) * 1_000 < now) return undefined
  const signature = keyring.mac(LABEL, username)
  const presented = Buffer.from(password, 'hex')
  return constantTimeEqual(signature, presented) ? fault : undefined
}

/**
 * How a process announces that a broker asked its hook about a probe login. The feed uses UUIDs;
 * a login has none, so one is derived.
 */
export const probeSeen = (broker: string, username: string): string =>
  bytesToUuid(
    createHash('sha256').update(`hook-probe ${broker} ${username}`).digest().subarray(0, 16),
  )
