/** Addresses and networks, as the configuration and URLs have them. */
import { BlockList, isIPv6 } from 'node:net'

export class Networks {
  readonly #list = new BlockList()

  /** @param networks addresses and networks (CIDR) */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', bits] = network.split('/', 2)
      const family = isIPv6(address) ? 'ipv6' : 'ipv4'
      if (bits === undefined) this.#list.addAddress(address, family)
      else this.#list.addSubnet(address, Number(bits), family)
    }
  }

  /** An IPv4 address may also be written as an IPv6 one (`::ffff:10.0.0.1`). */
  has(address: string): boolean {
    return this.#list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }
}

/** A host as URLs have it: IPv6 in brackets. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)
