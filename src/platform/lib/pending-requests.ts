/** Requests to another process: each has a number, which its response repeats. */
import { withDeadline } from './deadline.ts'

export class PendingRequests<Result> {
  readonly #waiting = new Map<number, PromiseWithResolvers<Result>>()
  readonly #ms: number
  #sent = 0

  /** @param ms how long a request waits for its response, in milliseconds */
  constructor(ms: number) {
    this.#ms = ms
  }

  /** @returns what the response contains; undefined if none comes in time */
  async send(transmit: (id: number) => void): Promise<Result | undefined> {
    this.#sent += 1
    const id = this.#sent
    const waiting = Promise.withResolvers<Result>()
    this.#waiting.set(id, waiting)
    transmit(id)
    try {
      return await withDeadline<Result | undefined>(this.#ms, waiting.promise, () => undefined)
    } finally {
      this.#waiting.delete(id)
    }
  }

  /** A response that comes too late is dropped. */
  receive(id: number, result: Result): void {
    this.#waiting.get(id)?.resolve(result)
  }

  /** The other process is gone: requests that wait fail. */
  rejectAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error)
  }
}
