/**
 * CONNECTs that were let in, by the whole question: a fleet that comes back asks it again, byte for
 * byte. What was decided is given once more while the authority stands by it, so nothing has to be
 * read, compared and written anew. Neither the question nor the secret in it is kept, only a hash.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { BrokerEntry } from '../broker-entry.ts'
import type { RemoteAuthority } from '../external-port.ts'
import type { ConnectRequest, Grant } from '../port.ts'
import type { Answer } from './hook.ts'

/** Two kilobytes each, most of it the rules in a broker's words. */
const REMEMBERED = 20_000
/** Characters of all together: rules may be many, and a client id as long as its client likes. */
const ALL_TOGETHER = 64 * 1_048_576

export interface Admission {
  request: ConnectRequest
  grant: Grant
}

interface Remembered extends Admission {
  answer: Answer
  /** As the brokers file described it when this was answered. */
  broker: BrokerEntry
}

export class RememberedAnswers {
  /** Made for the first answer, since it takes its memory at once. */
  #answers: LRUCache<string, Remembered> | undefined
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
  find(key: string, broker: BrokerEntry): Remembered | undefined {
    const found = this.#answers?.get(key)
    if (found === undefined || found.broker !== broker) return undefined
    return this.#authority.stillGives(found.grant) ? found : undefined
  }

  /** The first connection of all is told of as such, so its answer is none to give again. */
  add(key: string, broker: BrokerEntry, { request, grant }: Admission, answer: Answer): void {
    if (grant.isFirst || !this.#authority.stillGives(grant)) return
    const shown = { ...request, password: undefined }
    this.#answers ??= new LRUCache<string, Remembered>({
      max: REMEMBERED,
      maxSize: ALL_TOGETHER,
      sizeCalculation: (each, name) =>
        name.length + each.answer.body.length + each.request.clientId.length,
    })
    this.#answers.set(key, { request: shown, grant, answer, broker })
  }
}
