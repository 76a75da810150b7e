/**
 * Maps host names to workspaces, and workspaces to the host name of their devices, from memory kept
 * current by the change feed. Unknown names are cached too, so an unauthenticated caller's `Host`
 * costs at most one query; the cache is bounded.
 */
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db, PointReader } from '../../../platform/database/connect.ts'
import { FeedCache } from '../../../platform/database/feed-cache.ts'
import type { NameRules } from '../../../adapters/dns/domain-name.ts'
import { bytesToUuid } from '../../../platform/lib/ids.ts'
import { andThen, type MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import * as store from './store.ts'

export type { DomainOfHost, MqttHost } from './store.ts'

/** Cached values are returned synchronously. */
export interface DomainDirectory {
  /**
   * The domain of a host name, without a port: the workspace that has verified it, else its last
   * owner. Never a pending one.
   */
  find(host: string): MaybePromise<store.DomainOfHost | undefined>
  /** The change feed reference of a host name; undefined if it cannot be a domain. */
  refOf(host: string): string | undefined
  /**
   * The workspace's longest-held MQTT domain that clients can use now; undefined if it has none.
   */
  mqttHostOf(workspaceId: string): MaybePromise<string | undefined>
  /**
   * Invalidates a name and its workspace in every process; call it for every change of a domain.
   */
  announce(trx: Db, domain: { workspaceId: string; name: string }): Promise<void>
}

/** Additional services of operations on domains. */
export interface DomainServices {
  domains: DomainDirectory
  domainRules: NameRules
}

const MAX_HOSTS = 20_000
const MAX_WORKSPACES = 20_000
const HOST = /^(?=.{4,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/

/** The lookup name of a host; undefined if it cannot be a domain. */
function nameOf(host: string): string | undefined {
  const name = host.toLowerCase().replace(/\.$/, '')
  return HOST.test(name) && isIP(name) === 0 ? name : undefined
}

/** The feed uses UUIDs; a name without an owner has none, so one is derived. */
export const refOfName = (name: string): string =>
  bytesToUuid(createHash('sha256').update(`domain ${name}`).digest().subarray(0, 16))

interface Known<T> {
  ref: string
  found: T | undefined
}

/** A lookup cache that also stores misses. */
function lookups<T>(feed: ChangeFeed, max: number) {
  const known = new FeedCache<Known<T>>({
    feed,
    max,
    kinds: ['domain', 'certificate'],
    refsOf: ({ ref }) => [ref],
  })
  return (
    key: string,
    refOfKey: (key: string) => string,
    read: () => Promise<T | undefined>,
  ): MaybePromise<T | undefined> => {
    const remembered = known.get(key)
    if (remembered !== undefined) return remembered.found
    const ref = refOfKey(key)
    return known.load(key, async () => ({ ref, found: await read() })).then((each) => each?.found)
  }
}

export function createDomainDirectory(services: {
  /** Sees the rows of all workspaces. */
  points: PointReader
  feed: ChangeFeed
  /** Whether the host belongs to the installation itself. */
  isOwn: (host: string) => boolean
  /** Whether TLS clients that ask for the host get a certificate that covers it. */
  isUsable: (host: store.MqttHost) => boolean
}): DomainDirectory {
  const { points, feed, isOwn, isUsable } = services
  const hosts = lookups<store.DomainOfHost>(feed, MAX_HOSTS)
  const mqttHosts = lookups<store.MqttHost[]>(feed, MAX_WORKSPACES)
  const usable = (all: readonly store.MqttHost[] | undefined): string | undefined =>
    all?.find(isUsable)?.name
  const domainOf = (host: string): string | undefined => (isOwn(host) ? undefined : nameOf(host))
  return {
    find(host) {
      const name = domainOf(host)
      return name === undefined
        ? undefined
        : hosts(name, refOfName, () => store.findByHost.first(points, { name }))
    },
    refOf(host) {
      const name = domainOf(host)
      return name === undefined ? undefined : refOfName(name)
    },
    mqttHostOf(workspaceId) {
      const same = (id: string): string => id
      const all = mqttHosts(workspaceId, same, () =>
        store.findMqttHosts.rows(points, { workspaceId }),
      )
      return andThen(all, usable)
    },
    announce: (trx, { workspaceId, name }) =>
      feed.announceAll(trx, 'domain', [refOfName(name), workspaceId]),
  }
}
