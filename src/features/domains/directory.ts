/**
 * Whose domain a host name is, and which host a workspace's devices are sent to: from memory, which
 * the change feed keeps true. That a name is nobody's is remembered as well, so a stranger's `Host`
 * costs one look-up at most, and what is remembered is bounded.
 */
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Db, PointReader } from '../../database/connect.ts'
import { FeedCache } from '../../database/feed-cache.ts'
import type { NameRules } from '../../dns/domain-name.ts'
import { bytesToUuid } from '../../lib/ids.ts'
import * as store from './directory-store.ts'

export type { DomainOfHost, MqttHost } from './directory-store.ts'

/** What is known already comes without a promise. */
type Soon<T> = T | Promise<T>

export interface DomainDirectory {
  /**
   * The domain that a host name is, without a port: of the workspace that has verified it, or else
   * of the one that had it last. Never one that is merely pending.
   */
  find(host: string): Soon<store.DomainOfHost | undefined>
  /** What `announce` announces of a host's name; undefined for what can't be a domain. */
  refOf(host: string): string | undefined
  /**
   * The domain that a workspace has had for MQTT for longest, of those that clients can use now.
   * Undefined: it has none.
   */
  mqttHostOf(workspaceId: string): Soon<string | undefined>
  /** Has every process look anew at a name and at the workspace; for whatever changes a domain. */
  announce(trx: Db, domain: { workspaceId: string; name: string }): Promise<void>
}

/** What operations on domains find beside the services of all. */
export interface DomainServices {
  domains: DomainDirectory
  domainRules: NameRules
}

const MAX_HOSTS = 20_000
const MAX_WORKSPACES = 20_000
const HOST = /^(?=.{4,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/

/** The name that a host is looked for by; undefined for what can't be a domain. */
function nameOf(host: string): string | undefined {
  const name = host.toLowerCase().replace(/\.$/, '')
  return HOST.test(name) && isIP(name) === 0 ? name : undefined
}

/** The feed names things by UUIDs; a name that is nobody's has none of its own. */
export const refOfName = (name: string): string =>
  bytesToUuid(createHash('sha256').update(`domain ${name}`).digest().subarray(0, 16))

interface Known<T> {
  ref: string
  found: T | undefined
}

/** A cache of look-ups, in which finding nothing is an answer too. */
function lookUps<T>(feed: ChangeFeed, max: number) {
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
  ): Soon<T | undefined> => {
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
  /** Whether a host is the installation's own, which nobody else can have. */
  isOwn: (host: string) => boolean
  /** Whether TLS clients that ask for a host are shown a certificate that is good for it. */
  isUsable: (host: store.MqttHost) => boolean
}): DomainDirectory {
  const { points, feed, isOwn, isUsable } = services
  const hosts = lookUps<store.DomainOfHost>(feed, MAX_HOSTS)
  const mqttHosts = lookUps<store.MqttHost[]>(feed, MAX_WORKSPACES)
  const usable = (all: readonly store.MqttHost[] | undefined): string | undefined =>
    all?.find(isUsable)?.name
  const domainOf = (host: string): string | undefined => (isOwn(host) ? undefined : nameOf(host))
  return {
    find(host) {
      const name = domainOf(host)
      return name === undefined
        ? undefined
        : hosts(name, refOfName, () => store.findByHost(points, name))
    },
    refOf(host) {
      const name = domainOf(host)
      return name === undefined ? undefined : refOfName(name)
    },
    mqttHostOf(workspaceId) {
      const same = (id: string): string => id
      const all = mqttHosts(workspaceId, same, () => store.findMqttHosts(points, workspaceId))
      return all instanceof Promise ? all.then(usable) : usable(all)
    },
    announce: (trx, { workspaceId, name }) =>
      feed.announceAll(trx, 'domain', [refOfName(name), workspaceId]),
  }
}
