/**
 * Examines a running broker: each probe looks for one security hole from outside, as an attacker
 * would, and names the setting that closes it.
 */

import type { HookFault } from '../../../platform/access/hook-probe.ts'
import { messageOf } from '../../../platform/lib/system-errors.ts'
import type { Advice, AdviceTopic } from '../../../adapters/broker/broker-kind.ts'

export interface Login {
  username: string
  password: string
  clientId: string
  /** The prefix of its own topics, without a trailing slash. */
  prefix: string
}

/** The broker under examination, with devices created for the purpose. */
export interface ExaminedBroker {
  /** The settings of this kind of broker that close the holes. */
  advice: Advice
  url: URL
  /** PEM of the CA to trust; undefined: the system's. */
  ca: string | undefined
  /** The device that the probes act as. */
  own: Login
  /** Another device of the same workspace. */
  neighbour: Login
  /** A device of another workspace. */
  foreign: Login
  /** Makes the service send a command to the foreign device. */
  commandForeign(): Promise<void>
  /** Revokes the own device's right to connect. */
  revokeOwn(): Promise<void>
  /** Seconds within which the revocation must take effect. */
  boundSeconds: number
  /** How the service's hook is made to misbehave; undefined if the broker uses no hooks. */
  hook: ProbedHook | undefined
  /** Whether the service sees the own device connected to this broker; undefined: it can't. */
  seesOwn: (() => Promise<boolean>) | undefined
  /**
   * Why the service is not connected there as a client; null if it is; undefined if it does not
   * connect there.
   */
  bridgeProblem: (() => Promise<string | null>) | undefined
}

export interface ProbedHook {
  /** A login for which the hook misbehaves as requested. */
  faulty(fault: HookFault): Pick<Login, 'username' | 'password'>
  /** Whether the broker has asked its hook about this login; waits a moment for the report. */
  wasAsked(username: string): Promise<boolean>
}

export type Outcome = 'pass' | 'fail' | 'warn' | 'skip'

export interface Finding {
  verdict: Outcome
  /** The observation, in one line. */
  saw: string
}

export interface Probe {
  /** Stable identifier of the probe. */
  id: string
  /** The behaviour of a secure broker. */
  title: string
  run(examined: ExaminedBroker): Promise<Finding>
  /** The change to make if it does not, on any kind of broker. */
  advice: string
  /** The advice of the broker's kind instead; the first that it has. */
  topics?: readonly AdviceTopic[]
}

export interface Result extends Finding {
  id: string
  title: string
  /** The change to make; undefined if none. */
  change: string | undefined
}

export const pass = (saw: string): Finding => ({ verdict: 'pass', saw })
export const fail = (saw: string): Finding => ({ verdict: 'fail', saw })
export const warn = (saw: string): Finding => ({ verdict: 'warn', saw })
export const skip = (saw: string): Finding => ({ verdict: 'skip', saw })

/** The broker cannot be reached, so nothing can be said about it. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

/**
 * Runs the probes one after another, since some affect what others observe.
 * @param onResult called as each probe ends
 * @throws Unreachable
 */
export async function examine(
  examined: ExaminedBroker,
  probes: readonly Probe[],
  onResult: (result: Result) => void,
): Promise<Result[]> {
  const results: Result[] = []
  for (const probe of probes) {
    const { id, title, topics = [] } = probe
    const finding = await probe.run(examined).catch((error: unknown): Finding => {
      if (error instanceof Unreachable) throw error
      return warn(`could not be tested: ${messageOf(error)}`)
    })
    const needsChange = finding.verdict === 'fail' || finding.verdict === 'warn'
    const topic = topics.find((each) => examined.advice[each] !== undefined)
    const advice = (topic && examined.advice[topic]) ?? probe.advice
    const change = needsChange ? advice : undefined
    const result = { ...finding, id, title, change }
    results.push(result)
    onResult(result)
  }
  return results
}
