/** Authenticates brokers: by the name in the path and a secret in the `Authorization` header. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { BrokerEntry, Brokers } from '../broker-entry.ts'

const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Different from every header that contains a secret. */
const NOTHING = Buffer.alloc(0)

interface Known {
  broker: BrokerEntry
  digests: readonly Buffer[]
  /** The last accepted header as bytes: brokers send the same one with every call. */
  accepted: Buffer
}

/** The secret of `Authorization: Bearer …`, or the password of `Basic …` with any user name. */
function presentedSecret(header: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^([A-Za-z]+) +([^\s]+)$/.exec(header ?? '') ?? []
  if (scheme.toLowerCase() === 'bearer') return value
  if (scheme.toLowerCase() !== 'basic') return undefined
  const text = Buffer.from(value, 'base64').toString('utf8')
  const end = text.indexOf(':')
  return end < 0 ? undefined : text.slice(end + 1)
}

export class BrokerSecrets {
  #known = new Map<string, Known>()

  constructor(brokers: Brokers) {
    this.#learn(brokers.present())
    brokers.onChange((present) => this.#learn(present))
  }

  /** The broker; undefined for an unknown name as well as for a wrong secret. */
  find(name: string, authorization: string | undefined): BrokerEntry | undefined {
    const known = this.#known.get(name)
    if (known === undefined || authorization === undefined) return undefined
    const header = Buffer.from(authorization, 'latin1')
    if (header.length === known.accepted.length && timingSafeEqual(header, known.accepted)) {
      return known.broker
    }
    const presented = presentedSecret(authorization)
    if (presented === undefined) return undefined
    const digest = digestOf(presented)
    // Compares with all of them, so that timing does not reveal which one matched.
    let isOne = false
    for (const each of known.digests) isOne = timingSafeEqual(each, digest) || isOne
    if (!isOne) return undefined
    known.accepted = header
    return known.broker
  }

  #learn(brokers: readonly BrokerEntry[]): void {
    this.#known = new Map(
      brokers.map((broker) => {
        const digests = (broker.hook_secrets ?? []).map(digestOf)
        return [broker.name, { broker, digests, accepted: NOTHING }]
      }),
    )
  }
}
