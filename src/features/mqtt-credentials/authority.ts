/**
 * The one authority that brokers ask. A CONNECT is decided from a bounded cache that the change
 * feed keeps true; a miss costs one point read. Machine-made secrets are compared by keyed hash, so
 * nothing slow is ever on this path.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Keyring } from '../../access/keyring.ts'
import type { ConnectDecision, ConnectRequest, Grant } from '../../broker/port.ts'
import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Db, PointReader } from '../../database/connect.ts'
import { FeedCache } from '../../database/feed-cache.ts'
import type { Clock } from '../../lib/clock.ts'
import { parseId } from '../../lib/ids.ts'
import { hasGoodChecksum } from '../../lib/secrets.ts'
import { confirmDeviceSecret, MQTT_PASSWORD_PREFIX } from '../device-secrets/device-secret.ts'
import {
  type DeviceCredential,
  grantOf,
  matchSecret,
  ownsClientId,
  recogniseSecret,
  type Secret,
  toCredential,
  whyBanned,
} from './credential.ts'
import { findCredential } from './store.ts'

export interface AuthorityServices {
  db: Db
  points: PointReader
  feed: ChangeFeed
  keyring: Keyring
  clock: Clock
  /** How many credentials are kept in memory at most; one takes about 2 kB. */
  cachedCredentials: number
}

const refuse = (
  reason: Exclude<ConnectDecision, { accepted: true }>['reason'],
): ConnectDecision => ({
  accepted: false,
  reason,
})

/** Wrong secrets of one address for one device before the database is spared for a while. */
const WRONG_SECRETS = 10
const WRONG_SECRETS_MS = 60_000
/** How often the database is asked even then, since the secret may be a new one. */
const SPARED_MS = 1_000

interface Wrong {
  count: number
  /** When the database was asked last, on the clock of `performance`. */
  readAt: number
}

/** What a credential is made of: a change of any of them may change it. */
const refsOf = ({ deviceId, templateId, workspaceId }: DeviceCredential): string[] =>
  templateId === null ? [deviceId, workspaceId] : [deviceId, workspaceId, templateId]

/** What a grant was decided on. */
interface Basis {
  refs: readonly string[]
  /** The feed's sequence before anything was read. */
  since: number
}

interface Shown {
  deviceId: string
  secret: string
  /** Counts wrong secrets by device and address, so that nobody locks a device out from afar. */
  source: string
}

export class DeviceAuthority {
  readonly #services: AuthorityServices
  readonly #credentials: FeedCache<DeviceCredential>
  readonly #wrong = new LRUCache<string, Wrong>({ max: 20_000, ttl: WRONG_SECRETS_MS })
  readonly #bases = new WeakMap<Grant, Basis>()
  readonly #bans = new WeakMap<ConnectRequest, string>()

  constructor(services: AuthorityServices) {
    this.#services = services
    this.#credentials = new FeedCache<DeviceCredential>({
      feed: services.feed,
      max: services.cachedCredentials,
      kinds: ['device', 'template', 'workspace'],
      refsOf,
    })
  }

  /** Decides one CONNECT; what can't be decided is refused as unavailable. */
  async connect(request: ConnectRequest): Promise<ConnectDecision> {
    const shown = this.#read(request)
    if (shown === undefined) return refuse('bad_credentials')
    try {
      return await this.#decide(request, shown)
    } catch {
      return refuse('unavailable')
    }
  }

  /**
   * Whether nothing that the grant depends on was heard to change since it was decided on. Other
   * changes don't matter: a busy feed must not cost each CONNECT another read. False for a grant
   * that was not made here.
   */
  isUnchanged(grant: Grant): boolean {
    const basis = this.#bases.get(grant)
    if (basis === undefined) return false
    return basis.refs.every((ref) => this.#services.feed.lastChange(ref) <= basis.since)
  }

  /** Why this very request was refused as banned, for staff. */
  banOf(request: ConnectRequest): string | undefined {
    return this.#bans.get(request)
  }

  /** What the credential of a device is now, past the cache. */
  async present(deviceId: string): Promise<DeviceCredential | undefined> {
    const row = await findCredential(this.#services.points, deviceId)
    return row && toCredential(row)
  }

  /** Forgets what is cached of a device: the next CONNECT reads it anew. */
  forget(deviceId: string): void {
    this.#credentials.drop(deviceId)
  }

  /** What a CONNECT would be decided on now: from the cache, where it is known there. */
  async decisive(deviceId: string): Promise<DeviceCredential | undefined> {
    return this.#credentials.load(deviceId, () => this.present(deviceId))
  }

  #read({ username, password, address }: ConnectRequest): Shown | undefined {
    const deviceId = username === undefined ? undefined : parseId('dev', username)
    const secret = password?.toString('latin1')
    if (deviceId === undefined || secret === undefined) return undefined
    return { deviceId, secret, source: `${deviceId} ${address}` }
  }

  async #decide(request: ConnectRequest, shown: Shown): Promise<ConnectDecision> {
    const since = this.#services.feed.sequence
    const found = await this.#match(shown)
    if (found === undefined) return refuse('bad_credentials')
    const { credential, secret } = found
    if (!ownsClientId(credential, request.clientId)) return refuse('client_id_invalid')
    const ban = whyBanned(credential)
    if (ban !== undefined) {
      this.#bans.set(request, ban)
      return refuse('banned')
    }
    if (secret.expiresAt !== null) {
      const { workspaceId, deviceId } = credential
      const { db } = this.#services
      await confirmDeviceSecret(
        this.#services,
        db,
        workspaceId,
        deviceId,
        'mqtt',
        secret.generation,
      )
    }
    const grant = grantOf(credential, secret.generation)
    this.#bases.set(grant, { refs: refsOf(credential), since })
    // From here on it is connected for the first time no more; the database hears of it in a batch.
    if (credential.status === 'registered') credential.status = 'active'
    return { accepted: true, grant }
  }

  /**
   * The credential and the secret that was shown. A rotation by another process only adds a secret,
   * which no feed tells of: what the cache doesn't know is read once more before it is refused.
   */
  async #match(shown: Shown): Promise<Match | undefined> {
    const now = this.#services.clock.now()
    const cached = this.#credentials.get(shown.deviceId)
    const plainHash = hash('sha256', shown.secret, 'base64')
    const recognised = cached && recogniseSecret(cached, plainHash, now)
    if (cached !== undefined && recognised !== undefined) {
      return { credential: cached, secret: recognised }
    }
    // What was never issued is refused by grammar alone.
    if (!hasGoodChecksum(MQTT_PASSWORD_PREFIX, shown.secret)) return undefined
    const keyedHash = this.#services.keyring.hashSecret(shown.secret)
    const found = matchOf(cached, keyedHash, now) ?? (await this.#readOnce(shown, keyedHash, now))
    if (found !== undefined) found.secret.recognisedBy = plainHash
    return found
  }

  /** Reads the credential, unless too many wrong secrets have just been shown for it. */
  async #readOnce(shown: Shown, keyedHash: Buffer, now: number): Promise<Match | undefined> {
    const wrong = this.#wrong.get(shown.source) ?? { count: 0, readAt: Number.NEGATIVE_INFINITY }
    const readAt = performance.now()
    if (wrong.count >= WRONG_SECRETS && readAt - wrong.readAt < SPARED_MS) return undefined
    wrong.readAt = readAt
    this.#credentials.drop(shown.deviceId)
    const credential = await this.#credentials.load(shown.deviceId, () =>
      this.present(shown.deviceId),
    )
    const found = matchOf(credential, keyedHash, now)
    if (found !== undefined) return found
    wrong.count += 1
    this.#wrong.set(shown.source, wrong, { noUpdateTTL: true })
    return undefined
  }
}

interface Match {
  credential: DeviceCredential
  secret: Secret
}

function matchOf(
  credential: DeviceCredential | undefined,
  keyedHash: Buffer,
  now: number,
): Match | undefined {
  const secret = credential && matchSecret(credential, keyedHash, now)
  return credential && secret && { credential, secret }
}
