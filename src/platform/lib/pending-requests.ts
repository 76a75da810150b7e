/** Requests to another process: each has a number, which its response repeats. */
import { withDeadline } from './deadline.ts'

export class PendingRequests<Response> {
  readonly #waiting = new Map<number, (response: Response) => void>()
  readonly #ms: number
  #sent = 0

  /** @param ms how long a request waits for its response, in milliseconds */
  constructor(ms: number) {
    this.#ms = ms
  }

  /** @returns undefined if no response comes in time */
  async send(send: (id: number) => void): Promise<Response | undefined> {
    this.#sent += 1
    const id = this.#sent
    const { promise, resolve } = Promise.withResolvers<Response>()
    this.#waiting.set(id, resolve)
    send(id)
    try {
      return await withDeadline<Response | undefined>(this.#ms, promise, () => undefined)
    } finally {
      this.#waiting.delete(id)
    }
  }

  /** A response that comes too late is dropped. */
  receive(id: number, response: Response): void {
    this.#waiting.get(id)?.(response)
  }
}
