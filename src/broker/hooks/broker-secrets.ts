/** Which broker calls: known by its name in the path and by a secret that it shows. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { BrokerEntry, Brokers } from '../broker-entry.ts'

const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer')

interface Known {
  broker: BrokerEntry
  digests: readonly Buffer[]
}

/** The secret of `Authorization: Bearer …`, or the password of `Basic …` under any user name. */
function shownSecret(header: string | undefined): string | undefined {
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

  /** The broker, or undefined for an unknown name and for a wrong secret alike. */
  find(name: string, authorization: string | undefined): BrokerEntry | undefined {
    const known = this.#known.get(name)
    const shown = shownSecret(authorization)
    if (known === undefined || shown === undefined) return undefined
    const digest = digestOf(shown)
    // Each is compared, so that the time tells nothing of which one it was.
    let isOne = false
    for (const each of known.digests) isOne = timingSafeEqual(each, digest) || isOne
    return isOne ? known.broker : undefined
  }

  #learn(brokers: readonly BrokerEntry[]): void {
    this.#known = new Map(
      brokers.map((broker) => {
        const digests = (broker.hook_secrets ?? []).map(digestOf)
        return [broker.name, { broker, digests }]
      }),
    )
  }
}
