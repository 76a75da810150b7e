/**
 * Maps topics to devices: the broker lets only the device itself publish below its prefix, so the
 * topic identifies the sender.
 */
import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { columnsOf } from '../../../platform/database/sql.ts'
import { upTo } from '../../../platform/lib/cache-size.ts'
import type { DeviceSession } from '../sessions/session-registry.ts'
import { findByPrefix } from './store.ts'

export interface PrefixedDevice {
  device: DeviceSession
  /** Whether it had never connected before the lookup. */
  isFirst: boolean
}

const MAX_KNOWN = 100_000
const MAX_UNKNOWN = 10_000
/** How long an unknown prefix is not looked up again. */
const UNKNOWN_MS = 5_000

/** The `slug/key` prefix of a topic, and the rest. */
export function splitTopic(topic: string): { prefix: string; rest: string } | undefined {
  const slugEnd = topic.indexOf('/')
  const keyEnd = topic.indexOf('/', slugEnd + 1)
  if (slugEnd <= 0 || keyEnd <= slugEnd + 1) return undefined
  return { prefix: topic.slice(0, keyEnd), rest: topic.slice(keyEnd + 1) }
}

type Feed = Pick<ChangeFeed, 'on' | 'onGap' | 'sequence' | 'lastChange'>

export class DevicePrefixes {
  readonly #db: Db
  readonly #feed: Feed
  readonly #known = new LRUCache<string, PrefixedDevice>({
    ...upTo(MAX_KNOWN),
    dispose: ({ device }, prefix) => {
      const { deviceId } = device
      if (this.#prefixOf.get(deviceId) === prefix) this.#prefixOf.delete(deviceId)
    },
  })
  /** The prefixes of known devices. */
  readonly #prefixOf = new Map<string, string>()
  readonly #unknown = new LRUCache<string, true>({ ...upTo(MAX_UNKNOWN), ttl: UNKNOWN_MS })
  #gaps = 0

  constructor({ db, feed }: { db: Db; feed: Feed }) {
    this.#db = db
    this.#feed = feed
    feed.on('device', (deviceId) => {
      const prefix = this.#prefixOf.get(deviceId)
      if (prefix !== undefined) this.#known.delete(prefix)
      this.#unknown.clear()
    })
    feed.on('workspace', () => this.#clear())
    feed.onGap(() => {
      this.#gaps += 1
      this.#clear()
    })
  }

  #clear(): void {
    this.#known.clear()
    this.#unknown.clear()
  }

  /** The given prefixes that belong to devices that may connect, by at most one read. */
  async find(prefixes: ReadonlySet<string>): Promise<ReadonlyMap<string, PrefixedDevice>> {
    const found = new Map<string, PrefixedDevice>()
    const wanted: string[] = []
    for (const prefix of prefixes) {
      const known = this.#known.get(prefix)
      if (known !== undefined) found.set(prefix, known)
      else if (!this.#unknown.has(prefix)) wanted.push(prefix)
    }
    if (wanted.length === 0) return found
    const parts = wanted.map((prefix) => {
      const at = prefix.indexOf('/')
      return { slug: prefix.slice(0, at), deviceKey: prefix.slice(at + 1) }
    })
    const [since, gaps] = [this.#feed.sequence, this.#gaps]
    for (const row of await findByPrefix.rows(this.#db, columnsOf(parts))) {
      const topicPrefix = `${row.slug}/${row.device_key}`
      const device = { workspaceId: row.workspace_id, deviceId: row.id, topicPrefix }
      const entry = { device, isFirst: row.is_first }
      found.set(topicPrefix, entry)
      const refs = [row.id, row.workspace_id]
      const isOld = gaps !== this.#gaps || refs.some((ref) => this.#feed.lastChange(ref) > since)
      // The device changed during the read, so the result may be outdated.
      if (isOld) continue
      this.#known.set(topicPrefix, entry)
      this.#prefixOf.set(row.id, topicPrefix)
    }
    for (const prefix of wanted) if (!found.has(prefix)) this.#unknown.set(prefix, true)
    return found
  }

  /** The device has been reported as connected: further connections are not its first. */
  noteConnected({ topicPrefix }: DeviceSession): void {
    const known = this.#known.get(topicPrefix)
    if (known !== undefined) known.isFirst = false
  }
}
