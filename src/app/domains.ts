/** Builds workspaces' domains, and the host names that are reserved for the service itself. */
import { createAcmeAuthority } from '../adapters/acme/authority.ts'
import { X509Certificate } from 'node:crypto'
import type { Brokers } from '../adapters/broker/broker-entry.ts'
import { type Config, readPem } from '../platform/config/config.ts'
import type { Services } from '../context.ts'
import type { ChangeFeed } from '../platform/database/change-feed.ts'
import type { Database } from '../platform/database/connect.ts'
import { createDnsResolver } from '../adapters/dns/resolver.ts'
import type { AcmeServices } from '../features/domains/certificates/acme-order.ts'
import {
  createDomainDirectory,
  type DomainDirectory,
  type DomainOfHost,
  type DomainServices,
  type MqttHost,
} from '../features/domains/ownership/directory.ts'
import type { FindHost, HostDomain } from '../platform/http/host-domain.ts'
import type { Clock } from '../platform/lib/clock.ts'
import { andThen } from '../platform/lib/maybe-promise.ts'
import type { Certificate } from './certificate.ts'

const plain = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')

const hostOf = (url: string | undefined): string => URL.parse(url ?? '')?.hostname ?? ''

/** Used by every request, so it is computed once per version of its sources. */
function ownHostsOf(
  config: Config,
  origin: () => string,
  brokers: Brokers,
): (host: string) => boolean {
  const { consoleUrl, mqttPublicHost = '', ownDomains } = config
  let known: { origin: string; hosts: Set<string> } | undefined
  brokers.onChange(() => {
    known = undefined
  })
  const gather = (at: string): Set<string> => {
    const external = brokers.present().flatMap(({ endpoints = [] }) => endpoints)
    const hosts = [hostOf(at), hostOf(consoleUrl), mqttPublicHost, ...external.map((e) => e.host)]
    return new Set(['localhost', ...hosts.map(plain), ...ownDomains])
  }
  return (host) => {
    const at = origin()
    if (known?.origin !== at) known = { origin: at, hosts: gather(at) }
    if (known.hosts.has(host)) return true
    const name = plain(host)
    return known.hosts.has(name) || ownDomains.some((own) => name.endsWith(`.${own}`))
  }
}

function acmeOf(config: Config): AcmeServices['acme'] {
  const { acmeDirectoryUrl, acmeContact, acmeCaFile, acmeKeyId, acmeHmacKey } = config
  if (acmeDirectoryUrl === undefined) return undefined
  const isBound = acmeKeyId !== undefined && acmeHmacKey !== undefined
  return createAcmeAuthority({
    directoryUrl: acmeDirectoryUrl,
    contact: acmeContact,
    roots: acmeCaFile && readPem(acmeCaFile, 'MOORING_ACME_CA_FILE').toString(),
    binding: isBound ? { keyId: acmeKeyId, hmacKey: acmeHmacKey } : undefined,
  })
}

/**
 * Whether TLS with a name works when this process's broker terminates it: with the domain's
 * certificate, or if ours covers the name. A TLS-terminating proxy has its own certificates.
 */
function usabilityOf(
  config: Config,
  clock: Clock,
  certificate: Pick<Certificate, 'present'>,
): (host: MqttHost) => boolean {
  const isEndedHere = config.mqttTlsPort !== undefined && config.mqttPublicTls !== 'off'
  if (!isEndedHere) return () => true
  let read: { pem: Buffer; leaf: X509Certificate } | undefined
  const isOurs = (name: string): boolean => {
    const pem = certificate.present()?.cert
    if (pem === undefined) return false
    if (read?.pem !== pem) read = { pem, leaf: new X509Certificate(pem) }
    return read.leaf.checkHost(name) !== undefined
  }
  return ({ name, certifiedFrom, certifiedUntil }) => {
    const now = clock.now()
    return ((certifiedFrom ?? now) <= now && (certifiedUntil ?? 0) > now) || isOurs(name)
  }
}

export function createDomains(parts: {
  config: Config
  clock: Clock
  certificate: Pick<Certificate, 'present'>
  database: Database
  feed: ChangeFeed
  origin: () => string
  brokers: Brokers
}): DomainServices & AcmeServices & Pick<Services, 'dns'> {
  const { config, clock, certificate, database, feed, origin, brokers } = parts
  const isOwn = ownHostsOf(config, origin, brokers)
  const isUsable = usabilityOf(config, clock, certificate)
  return {
    domains: createDomainDirectory({ points: database.points, feed, isOwn, isUsable }),
    domainRules: { isOwn, allowsPrivate: config.privateDomains === 'on' },
    dns: createDnsResolver({ servers: config.dnsServers }),
    acme: acmeOf(config),
  }
}

const asApiHost = (found: DomainOfHost | undefined): HostDomain | undefined =>
  found && { workspaceId: found.workspaceId, isForApi: found.purpose === 'api' }

/** Domains as the API's gate sees them. */
export const apiHostsOf =
  (domains: DomainDirectory): FindHost =>
  (host) =>
    andThen(domains.find(host), asApiHost)
