/**
 * CONNECTs that were let in, by the whole question: a fleet that comes back asks it again, byte for
 * byte. What was decided is given once more while the authority stands by it, so nothing has to be
 * read, compared and written anew. Neither the question nor the secret in it is kept, only a hash.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ConnectRequest, Grant, RemoteAuthority } from '../port.ts'
import type { Answer } from './hook.ts'

/** Two kilobytes each, most of it the rules in a broker's words. */
const REMEMBERED = 20_000

export interface Admission {
  request: ConnectRequest
  grant: Grant
}

interface Remembered extends Admission {
  answer: Answer
}

export class RememberedAnswers {
  readonly #answers = new LRUCache<string, Remembered>({ max: REMEMBERED })
  readonly #authority: RemoteAuthority

  constructor(authority: RemoteAuthority) {
    this.#authority = authority
  }

  /**
   * @param parts all that the answer depends on beside the body.
   * @returns under what the question is remembered.
   */
  static keyOf(body: Buffer, ...parts: readonly (string | undefined)[]): string {
    return `${parts.join(' ')} ${hash('sha256', body, 'base64')}`
  }

  /** What was answered, and to whom, if it would be answered so again. */
  find(key: string): Remembered | undefined {
    const found = this.#answers.get(key)
    return found && this.#authority.stillGives(found.grant) ? found : undefined
  }

  /** The first connection of all is told of as such, so its answer is none to give again. */
  add(key: string, { request, grant }: Admission, answer: Answer): void {
    if (grant.isFirst || !this.#authority.stillGives(grant)) return
    this.#answers.set(key, { request: { ...request, password: undefined }, grant, answer })
  }

  clear(): void {
    this.#answers.clear()
  }
}
