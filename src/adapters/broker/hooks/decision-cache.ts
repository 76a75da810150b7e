/**
 * Caches accepted CONNECTs by the whole request: a reconnecting fleet repeats its requests byte for
 * byte. A response is reused as long as the authority confirms the grant, without reading,
 * comparing or building anything again. Only a hash of the request and its secret is kept.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { BrokerEntry } from '../broker-entry.ts'
import type { RemoteAuthority } from '../external-port.ts'
import type { ConnectRequest, Grant } from '../port.ts'
import type { HookResponse } from './hook.ts'

/** About two kilobytes each, mostly rules in the broker's format. */
const REMEMBERED = 20_000
/** Total characters: there may be many rules, and client ids may be long. */
const ALL_TOGETHER = 64 * 1_048_576

export interface Admission {
  request: ConnectRequest
  grant: Grant
}

interface Remembered extends Admission {
  response: HookResponse
  /** The broker's entry at the time of the response. */
  broker: BrokerEntry
}

export class DecisionCache {
  /** Created for the first response, since it allocates its memory up front. */
  #responses: LRUCache<string, Remembered> | undefined
  readonly #authority: RemoteAuthority

  constructor(authority: RemoteAuthority) {
    this.#authority = authority
  }

  /**
   * @param parts everything that the response depends on besides the body
   * @returns the cache key
   */
  static keyOf(body: Buffer, ...parts: readonly (string | undefined)[]): string {
    return `${parts.join(' ')} ${hash('sha256', body, 'base64')}`
  }

  /** The cached response and its recipient, if it would be the same now. */
  find(key: string, broker: BrokerEntry): Remembered | undefined {
    const found = this.#responses?.get(key)
    if (found === undefined || found.broker !== broker) return undefined
    return this.#authority.stillGives(found.grant) ? found : undefined
  }

  /** The response to a principal's first ever connection differs, so it is not cached. */
  add(
    key: string,
    broker: BrokerEntry,
    { request, grant }: Admission,
    response: HookResponse,
  ): void {
    if (grant.isFirst || !this.#authority.stillGives(grant)) return
    const presented = { ...request, password: undefined }
    this.#responses ??= new LRUCache<string, Remembered>({
      max: REMEMBERED,
      maxSize: ALL_TOGETHER,
      sizeCalculation: (each, name) =>
        name.length + each.response.body.length + each.request.clientId.length,
    })
    this.#responses.set(key, { request: presented, grant, response, broker })
  }
}
