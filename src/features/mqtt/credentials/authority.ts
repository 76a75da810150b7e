/**
 * The one authority that brokers ask. A CONNECT is decided from a bounded cache that the change
 * feed keeps true; a miss costs one point read. Secrets are compared by keyed hash, which is fast.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type {
  ConnectDecision,
  ConnectRequest,
  Grant,
  Refusal,
} from '../../../adapters/broker/port.ts'
import type { TrafficMeter } from '../../../adapters/broker/traffic-meter.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db, PointReader } from '../../../platform/database/connect.ts'
import { FeedCache } from '../../../platform/database/feed-cache.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import type { Soon } from '../../../platform/lib/soon.ts'
import { hasGoodChecksum } from '../../../platform/lib/secrets.ts'
import { admitsByHosts } from '../../domains/ownership/domain-admission.ts'
import type { DomainDirectory } from '../../domains/ownership/directory.ts'
import { MQTT_PASSWORD_PREFIX } from '../device-secrets/device-secret.ts'
import {
  type Credential,
  credentialChanges,
  grantOf,
  hasLiveSecret,
  type Match,
  matchOf,
  matchSecret,
  ownsClientId,
  plainHashOf,
  recogniseSecret,
  whyBanned,
} from './credential.ts'
import { type CredentialReads, credentialReads, readCredential } from './credential-kinds.ts'
import { basedOn, basisOf } from './grant-basis.ts'
import { type Identity, readIdentity } from './identity.ts'
import { SecretUses, type SecretUseServices } from './secret-use.ts'
import { type Source, sourceOf, WrongSecrets } from './wrong-secrets.ts'

export interface AuthorityServices extends Pick<SecretUseServices, 'elsewhere'> {
  db: Db
  points: PointReader
  feed: ChangeFeed
  keyring: Keyring
  clock: Clock
  /** What the sessions of a credential are counted on; without it they are not counted. */
  meterOf?: (credential: Credential) => TrafficMeter
  domains: Pick<DomainDirectory, 'find'>
  /** How many credentials are kept in memory at most; one takes about 2 kB. */
  cachedCredentials: number
}

const refuse = (reason: Refusal): ConnectDecision => ({ accepted: false, reason })

interface Shown {
  identity: Identity
  secret: Buffer
  /** Counts wrong secrets by name and address, so that nobody locks a device out from afar. */
  source: Source
}

export class CredentialAuthority {
  readonly #services: AuthorityServices
  readonly #reads: CredentialReads
  /** By the user name: an id alone would be found under the name of another kind as well. */
  readonly #credentials: FeedCache<Credential>
  readonly #uses: SecretUses
  readonly #wrong = new WrongSecrets()
  readonly #bans = new WeakMap<ConnectRequest, string>()

  constructor(services: AuthorityServices) {
    this.#services = services
    this.#reads = credentialReads(services.points)
    this.#uses = new SecretUses(services)
    this.#credentials = new FeedCache<Credential>({
      feed: services.feed,
      max: services.cachedCredentials,
      kinds: credentialChanges,
      refsOf: ({ refs }) => refs,
    })
  }

  /** Decides one CONNECT; what can't be decided is refused as unavailable. */
  connect(request: ConnectRequest): Soon<ConnectDecision> {
    const since = this.#services.feed.sequence
    const known = this.#recognise(request)
    const isByName = (request.hosts ?? []).length > 0
    if (known !== undefined && !isByName && !SecretUses.isNew(known))
      return this.#judge(request, known, since)
    const shown = this.#read(request)
    if (shown === undefined) return refuse('bad_credentials')
    return this.#look(request, shown, since, known)
  }

  /** What a client may now, whose secret was looked at before; no first connection is used up. */
  async authorize(username: string, clientId: string): Promise<ConnectDecision> {
    const identity = readIdentity(username)
    if (identity === undefined) return refuse('bad_credentials')
    try {
      const credential = await this.decisive(identity)
      if (credential === undefined) return refuse('bad_credentials')
      if (!ownsClientId(credential, clientId)) return refuse('client_id_invalid')
      const now = this.#services.clock.now()
      const isIn = whyBanned(credential, now) === undefined && hasLiveSecret(credential, now)
      if (!isIn) return refuse('banned')
      const generations = credential.secrets.map(({ generation }) => generation)
      return { accepted: true, grant: grantOf(credential, Math.max(0, ...generations)) }
    } catch {
      return refuse('unavailable')
    }
  }

  /** Whether nothing that the grant depends on was heard to change since it was made here. */
  isUnchanged(grant: Grant): boolean {
    const { credential, since = 0 } = basisOf(grant) ?? {}
    const { feed } = this.#services
    return credential?.refs.every((ref) => feed.lastChange(ref) <= since) === true
  }

  /**
   * Whether the same request would get this grant again: the credential is still the one in memory,
   * its secret is confirmed, and neither has run out.
   */
  stillGives(grant: Grant): boolean {
    const basis = basisOf(grant)
    if (basis === undefined || basis.secret.expiresAt !== null) return false
    const { credential } = basis
    const isPresent = this.#credentials.get(credential.name) === credential
    return isPresent && whyBanned(credential, this.#services.clock.now()) === undefined
  }

  /** UUIDs of what the grant depends on. */
  refsOf(grant: Grant): readonly string[] {
    return basisOf(grant)?.credential.refs ?? []
  }

  /** Why this very request was refused, for staff: who asks is told less. */
  banOf(request: ConnectRequest): string | undefined {
    return this.#bans.get(request)
  }

  /** What a credential is now, past the cache. */
  present(identity: Identity): Promise<Credential | undefined> {
    return readCredential(this.#reads, identity)
  }

  /** Whether this is the newest of somebody's secrets, past the cache. */
  async isNewest(username: string, secret: string): Promise<boolean> {
    const identity = readIdentity(username)
    const credential = identity && (await this.present(identity))
    if (credential === undefined) return false
    const { keyring, clock } = this.#services
    const found = matchSecret(credential, keyring.hashSecret(secret), clock.now())?.generation
    return found !== undefined && credential.secrets.every(({ generation }) => generation <= found)
  }

  /**
   * Told of the session that got this grant: from here on none is the first any more. Not earlier,
   * since a CONNECT may be decided anew.
   */
  noteOpened(grant: Grant): void {
    const { credential } = basisOf(grant) ?? {}
    if (credential !== undefined) credential.isFirst = false
  }

  /** Forgets what is cached of a credential: the next CONNECT reads it anew. */
  forget(identity: Identity): void {
    this.#credentials.drop(identity.id)
  }

  /** What a CONNECT would be decided on now: from the cache, where it is known there. */
  async decisive(identity: Identity): Promise<Credential | undefined> {
    return this.#credentials.load(identity.name, () => this.present(identity))
  }

  #read({ username, password, address }: ConnectRequest): Shown | undefined {
    const identity = username === undefined ? undefined : readIdentity(username)
    if (identity === undefined || password === undefined) return undefined
    return { identity, secret: password, source: sourceOf(identity.name, address) }
  }

  /** Decides by the database what memory does not know, or what has to be written first. */
  async #look(
    request: ConnectRequest,
    shown: Shown,
    since: number,
    known: Match | undefined,
  ): Promise<ConnectDecision> {
    try {
      const found = known ?? (await this.#match(shown))
      if (found === undefined) return refuse('bad_credentials')
      const decision = await this.#decide(request, found, since)
      if (SecretUses.isNew(found)) await this.#uses.note(found, request, decision.accepted)
      return decision
    } catch {
      return refuse('unavailable')
    }
  }

  async #decide(request: ConnectRequest, found: Match, since: number): Promise<ConnectDecision> {
    const { domains } = this.#services
    const { workspaceId } = found.credential
    if (await admitsByHosts(domains, request.hosts ?? [], workspaceId)) {
      return this.#judge(request, found, since)
    }
    this.#bans.set(request, 'other_domain')
    return refuse('bad_credentials')
  }

  #judge(request: ConnectRequest, found: Match, since: number): ConnectDecision {
    const { credential, secret } = found
    if (!ownsClientId(credential, request.clientId)) return refuse('client_id_invalid')
    const ban = whyBanned(credential, this.#services.clock.now())
    if (ban !== undefined) {
      this.#bans.set(request, ban)
      return refuse('banned')
    }
    const meter = this.#services.meterOf?.(credential)
    const grant = grantOf(credential, secret.generation, meter)
    return { accepted: true, grant: basedOn(grant, { since, credential, secret }) }
  }

  /** Who shows a secret that was shown before, from memory; the name needs no reading for that. */
  #recognise({ username, password }: ConnectRequest): Match | undefined {
    if (username === undefined || password === undefined) return undefined
    const credential = this.#credentials.get(username)
    if (credential === undefined) return undefined
    const now = this.#services.clock.now()
    const secret = recogniseSecret(credential, plainHashOf(password), now)
    return secret && { credential, secret }
  }

  /**
   * The credential and the secret that was shown. A rotation by another process only adds a secret,
   * which no feed tells of: what the cache doesn't know is read once more before it is refused.
   */
  async #match(shown: Shown): Promise<Match | undefined> {
    const now = this.#services.clock.now()
    const cached = this.#credentials.get(shown.identity.name)
    // What was never issued is refused by grammar alone.
    const secret = shown.secret.toString('latin1')
    if (!hasGoodChecksum(MQTT_PASSWORD_PREFIX, secret)) return undefined
    const keyedHash = this.#services.keyring.hashSecret(secret)
    const found = matchOf(cached, keyedHash, now) ?? (await this.#readOnce(shown, keyedHash, now))
    if (found !== undefined) found.secret.recognisedBy = plainHashOf(shown.secret)
    return found
  }

  /** Reads the credential, unless too many wrong secrets have just been shown for it. */
  async #readOnce(shown: Shown, keyedHash: Buffer, now: number): Promise<Match | undefined> {
    if (!this.#wrong.mayAsk(shown.source)) return undefined
    const { identity } = shown
    this.#credentials.drop(identity.id)
    const credential = await this.#credentials.load(identity.name, () => this.present(identity))
    const found = matchOf(credential, keyedHash, now)
    if (found === undefined) this.#wrong.add(shown.source)
    return found
  }
}
