/**
 * An examination of a live broker: probes that each look for one hole from outside, as somebody who
 * means harm would, and say what to change where they find it.
 */

import type { Disturbance } from '../access/hook-probe.ts'
import type { BrokerEntry } from '../broker/broker-entry.ts'

/** What kind of broker is looked at; it decides which setting a finding names. */
export type BrokerKind = BrokerEntry['kind'] | 'embedded'

export interface Login {
  username: string
  password: string
  clientId: string
  /** What its own topics begin with, without a slash at the end. */
  prefix: string
}

/** The broker, and devices that were made for the examination. */
export interface Patient {
  kind: BrokerKind
  url: URL
  /** PEM of the authority to trust; undefined: those of the system. */
  ca: string | undefined
  /** The device that the probes act as. */
  own: Login
  /** Another device of its workspace. */
  neighbour: Login
  /** A device of another workspace. */
  foreign: Login
  /** Has the service send the foreign device a command. */
  commandForeign(): Promise<void>
  /** Takes the right to connect from the own device. */
  revokeOwn(): Promise<void>
  /** Seconds within which that has to act. */
  boundSeconds: number
  /** A login that the service answers for as asked; undefined where the broker asks no hook. */
  disturbed: ((disturbance: Disturbance) => Pick<Login, 'username' | 'password'>) | undefined
}

export type Verdict = 'pass' | 'fail' | 'warn' | 'skip'

export interface Finding {
  verdict: Verdict
  /** What was seen, in one line. */
  saw: string
}

export interface Probe {
  /** Stable, for those who look for one. */
  id: string
  /** What a good broker does. */
  title: string
  run(patient: Patient): Promise<Finding>
  /** What to change where it does not. */
  cure: Partial<Record<BrokerKind, string>> & { any: string }
}

export interface Result extends Finding {
  id: string
  title: string
  /** What to change; undefined for what needs nothing. */
  change: string | undefined
}

export const pass = (saw: string): Finding => ({ verdict: 'pass', saw })
export const fail = (saw: string): Finding => ({ verdict: 'fail', saw })
export const warn = (saw: string): Finding => ({ verdict: 'warn', saw })
export const skip = (saw: string): Finding => ({ verdict: 'skip', saw })

/** The broker can't be reached at all: then nothing can be said of it. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

/**
 * Runs the probes one after the other, since some change what others see.
 * @param onResult told of each as it ends.
 * @throws Unreachable
 */
export async function examine(
  patient: Patient,
  probes: readonly Probe[],
  onResult: (result: Result) => void,
): Promise<Result[]> {
  const results: Result[] = []
  for (const probe of probes) {
    const { id, title, cure } = probe
    const finding = await probe.run(patient).catch((error: unknown): Finding => {
      if (error instanceof Unreachable) throw error
      return warn(`could not be tried: ${error instanceof Error ? error.message : String(error)}`)
    })
    const needsChange = finding.verdict === 'fail' || finding.verdict === 'warn'
    const change = needsChange ? (cure[patient.kind] ?? cure.any) : undefined
    const result = { ...finding, id, title, change }
    results.push(result)
    onResult(result)
  }
  return results
}
