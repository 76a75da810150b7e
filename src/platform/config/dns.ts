/** Configuration variables of DNS and of workspaces' domains. */
import { isIP } from 'node:net'
import { choice, list } from './kinds.ts'

/** `192.0.2.53`, `192.0.2.53:53`, `2001:db8::53` or `[2001:db8::53]:53`. */
function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const isAddress = isIP(bracketed ?? '') === 6 || isIP(plain ?? '') === 4
  return isAddress && (port === undefined || (Number(port) > 0 && Number(port) <= 65_535))
}

const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/

export const dnsVariables = {
  dnsServers: list(
    'MOORING_DNS_SERVERS',
    "the system's",
    'Name servers to query, such as 192.0.2.53 or 192.0.2.53:53.',
    isServer,
    'must hold IP addresses, each perhaps with a port',
  ),
  ownDomains: list(
    'MOORING_OWN_DOMAINS',
    'the hosts of the origin and of MQTT',
    'Domains of the installation itself: workspaces cannot add them or their subdomains.',
    (item) => NAME.test(item),
    'must hold names in lower case',
  ),
  privateDomains: choice(
    'MOORING_PRIVATE_DOMAINS',
    ['on', 'off'],
    'off',
    'Whether workspaces can add domains outside the public DNS, such as gateway.factory.internal.',
  ),
} as const
