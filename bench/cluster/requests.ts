/** Requests through the balancer, and what callers see of an outage. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from '../support/delays.ts'

export type Headers = Record<string, string>

const TIMEOUT_MS = 10_000
/** Between two tries of one request, and of the same caller. */
const PAUSE_MS = 50

/** @returns undefined if there was no response */
export async function send(
  url: string,
  method: string,
  headers: Headers,
  body?: object,
): Promise<Reply | undefined> {
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  } catch {
    return undefined
  }
}

const isUnknown = (received: Reply | undefined): received is undefined =>
  received === undefined || received.status === 503

/** When requests of one kind were answered, and how many were not. */
export class ResponseTimes {
  #times: number[] = []
  #failed = 0

  begin(): void {
    this.#times = [performance.now()]
    this.#failed = 0
  }

  /** Sends until there is a response other than "unavailable", as callers do that repeat. */
  async persist(ask: () => Promise<Reply | undefined>): Promise<Reply> {
    for (;;) {
      const received = await ask()
      if (!isUnknown(received)) {
        this.#times.push(performance.now())
        return received
      }
      this.#failed += 1
      await sleep(PAUSE_MS)
    }
  }

  get count(): number {
    return this.#times.length - 1
  }

  /** Requests without a response, or with "unavailable". */
  get failed(): number {
    return this.#failed
  }

  /** The longest time without any response, in milliseconds; to the present if none came since. */
  get longestPauseMs(): number {
    const times = [...this.#times, performance.now()]
    return times.reduce((max, at, index) => Math.max(max, at - (times[index - 1] ?? at)), 0)
  }

  /** Milliseconds since the last response. */
  get sinceLastMs(): number {
    return performance.now() - (this.#times.at(-1) ?? 0)
  }
}
