/**
 * Decides every CONNECT: finds the credential and the presented secret, asks the deciders, records
 * the use of the secret, and issues the grant. Credentials come from a bounded cache that the
 * change feed keeps current; a miss costs one point read.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type {
  ConnectDecision,
  ConnectRefusal,
  ConnectRequest,
  Grant,
  Refusal,
} from '../../../adapters/broker/port.ts'
import type { TrafficMeter } from '../../../adapters/broker/traffic-meter.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db, PointReader } from '../../../platform/database/connect.ts'
import { FeedCache } from '../../../platform/database/feed-cache.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { andThen, type MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import { hasGoodChecksum } from '../../../platform/lib/secrets.ts'
import { MQTT_PASSWORD_PREFIX } from '../device-secrets/device-secret.ts'
import {
  basisOf,
  type Credential,
  credentialChanges,
  denialReason,
  grantOf,
  hasLiveSecret,
  type Match,
  matchOf,
  matchSecret,
  ownsClientId,
  plainHashOf,
  recogniseSecret,
} from './credential.ts'
import { type CredentialReads, credentialReads, readCredential } from './credential-kinds.ts'
import { type Decider, firstRefusal } from './deciders.ts'
import { FailedAuthLimiter, type Source, sourceOf } from './failed-auth-limiter.ts'
import { type Identity, readIdentity } from './identity.ts'
import { SecretUses, type SecretUseServices } from './secret-use.ts'

export interface AuthorityServices extends Pick<SecretUseServices, 'externalBrokers'> {
  db: Db
  points: PointReader
  feed: ChangeFeed
  keyring: Keyring
  clock: Clock
  /** Asked in this order once the credential and the secret are known. */
  deciders: readonly Decider[]
  /** Meters the traffic of a credential's sessions; without it they are not metered. */
  usage?: { meterOf: (credential: Credential) => TrafficMeter }
  /** Passes each decision on; it may watch how one is made. */
  watch?: (
    request: ConnectRequest,
    decide: () => MaybePromise<ConnectDecision>,
  ) => MaybePromise<ConnectDecision>
  /** Maximum number of credentials in memory; one takes about 2 kB. */
  cachedCredentials: number
}

const refuse = (refusal: ConnectRefusal): ConnectDecision => ({ accepted: false, ...refusal })
const refuseFor = (reason: Refusal): ConnectDecision => ({ accepted: false, reason })

interface Presented {
  identity: Identity
  secret: Buffer
  source: Source
}

export class CredentialAuthority {
  readonly #services: AuthorityServices
  readonly #reads: CredentialReads
  /** By user name: an id alone would also be found under the name of another kind. */
  readonly #credentials: FeedCache<Credential>
  readonly #uses: SecretUses
  readonly #failures = new FailedAuthLimiter()

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

  /**
   * Decides one CONNECT, synchronously if everything is in memory. If it cannot be decided, the
   * reason is `unavailable`.
   * @param limits deciders that are asked last, after the secret counts as used
   */
  connect(request: ConnectRequest, limits: readonly Decider[] = []): MaybePromise<ConnectDecision> {
    const { watch } = this.#services
    const decide = (): MaybePromise<ConnectDecision> => this.#connect(request, limits)
    return watch === undefined ? decide() : watch(request, decide)
  }

  #connect(request: ConnectRequest, limits: readonly Decider[]): MaybePromise<ConnectDecision> {
    const since = this.#services.feed.sequence
    const found = this.#recognise(request) ?? this.#find(request)
    if (found === undefined) return refuseFor('bad_credentials')
    const decision = andThen(found, (match) => this.#decide(request, match, since, limits))
    if (!(decision instanceof Promise)) return decision
    return decision.catch(() => refuseFor('unavailable'))
  }

  /**
   * What a client whose secret was checked earlier may do now. Does not count as a connection.
   */
  async authorize(username: string, clientId: string): Promise<ConnectDecision> {
    const identity = readIdentity(username)
    if (identity === undefined) return refuseFor('bad_credentials')
    try {
      const credential = await this.load(identity)
      if (credential === undefined) return refuseFor('bad_credentials')
      if (!ownsClientId(credential, clientId)) return refuseFor('client_id_invalid')
      const now = this.#services.clock.now()
      const isAdmitted =
        denialReason(credential, now) === undefined && hasLiveSecret(credential, now)
      if (!isAdmitted) return refuseFor('banned')
      const generations = credential.secrets.map(({ generation }) => generation)
      return { accepted: true, grant: grantOf(credential, Math.max(0, ...generations)) }
    } catch {
      return refuseFor('unavailable')
    }
  }

  /** Whether no change of anything that the grant depends on was reported since it was issued. */
  isUnchanged(grant: Grant): boolean {
    const { credential, since = 0 } = basisOf(grant) ?? {}
    const { feed } = this.#services
    return credential?.refs.every((ref) => feed.lastChange(ref) <= since) === true
  }

  /**
   * Whether the same request would get this grant again: the credential is still the one in memory,
   * its secret is confirmed, and neither has expired.
   */
  stillGives(grant: Grant): boolean {
    const basis = basisOf(grant)
    if (basis === undefined || basis.secret.expiresAt !== null) return false
    const { credential } = basis
    const isCached = this.#credentials.get(credential.name) === credential
    return isCached && denialReason(credential, this.#services.clock.now()) === undefined
  }

  /** The credential as it is in the database. */
  read(identity: Identity): Promise<Credential | undefined> {
    return readCredential(this.#reads, identity)
  }

  /** The credential that would decide a CONNECT now: from the cache, else from the database. */
  async load(identity: Identity): Promise<Credential | undefined> {
    return this.#credentials.load(identity.name, () => this.read(identity))
  }

  /** Whether this is the principal's newest secret, according to the database. */
  async isNewest(username: string, secret: string): Promise<boolean> {
    const identity = readIdentity(username)
    const credential = identity && (await this.read(identity))
    if (credential === undefined) return false
    const { keyring, clock } = this.#services
    const found = matchSecret(credential, keyring.hashSecret(secret), clock.now())?.generation
    return found !== undefined && credential.secrets.every(({ generation }) => generation <= found)
  }

  /**
   * A session with this grant opened: later ones are not the first. Not set when the CONNECT is
   * decided, since a CONNECT may be decided several times.
   */
  noteOpened(grant: Grant): void {
    const { credential } = basisOf(grant) ?? {}
    if (credential !== undefined) credential.isFirst = false
  }

  /** Evicts a credential from the cache: the next CONNECT reads it again. */
  evict(identity: Identity): void {
    this.#credentials.drop(identity.id)
  }

  #decide(
    request: ConnectRequest,
    match: Match | undefined,
    since: number,
    limits: readonly Decider[],
  ): MaybePromise<ConnectDecision> {
    if (match === undefined) return refuseFor('bad_credentials')
    const refusal = firstRefusal(this.#services.deciders, request, match)
    if (refusal instanceof Promise || SecretUses.isNew(match)) {
      return this.#decideLater(request, match, since, refusal, limits)
    }
    if (refusal !== undefined) return refuse(refusal)
    const grant = this.#grant(match, since)
    const limit = firstRefusal(limits, request, match)
    if (limit === undefined) return grant
    return andThen(limit, (found) => (found === undefined ? grant : refuse(found)))
  }

  /** The same with a decider that returns a promise, or a use that must be recorded. */
  async #decideLater(
    request: ConnectRequest,
    match: Match,
    since: number,
    pending: MaybePromise<ConnectRefusal | undefined>,
    limits: readonly Decider[],
  ): Promise<ConnectDecision> {
    const refusal = await pending
    const decision = refusal === undefined ? this.#grant(match, since) : refuse(refusal)
    if (SecretUses.isNew(match)) await this.#uses.record(match, request, decision.accepted)
    const limit = decision.accepted ? await firstRefusal(limits, request, match) : undefined
    return limit === undefined ? decision : refuse(limit)
  }

  #grant({ credential, secret }: Match, since: number): ConnectDecision {
    const meter = this.#services.usage?.meterOf(credential)
    const basis = { since, credential, secret }
    return { accepted: true, grant: grantOf(credential, secret.generation, meter, basis) }
  }

  /** Finds a secret that was presented before, from memory, without parsing the user name. */
  #recognise({ username, password }: ConnectRequest): Match | undefined {
    if (username === undefined || password === undefined) return undefined
    const credential = this.#credentials.get(username)
    if (credential === undefined) return undefined
    const now = this.#services.clock.now()
    const secret = recogniseSecret(credential, plainHashOf(password), now)
    return secret && { credential, secret }
  }

  /** Undefined for a user name that cannot be ours, or without a password. */
  #find({ username, password, address }: ConnectRequest): Promise<Match | undefined> | undefined {
    const identity = username === undefined ? undefined : readIdentity(username)
    if (identity === undefined || password === undefined) return undefined
    return this.#match({ identity, secret: password, source: sourceOf(identity.name, address) })
  }

  /**
   * The credential and the presented secret. A rotation in another process only adds a secret,
   * which the feed does not report: a secret that is not in the cache is looked up once.
   */
  async #match(presented: Presented): Promise<Match | undefined> {
    const now = this.#services.clock.now()
    const cached = this.#credentials.get(presented.identity.name)
    // A text that was never issued as a secret needs no lookup.
    const secret = presented.secret.toString('latin1')
    if (!hasGoodChecksum(MQTT_PASSWORD_PREFIX, secret)) return undefined
    const keyedHash = this.#services.keyring.hashSecret(secret)
    const found =
      matchOf(cached, keyedHash, now) ?? (await this.#readOnce(presented, keyedHash, now))
    if (found !== undefined) found.secret.recognisedBy = plainHashOf(presented.secret)
    return found
  }

  /** Reads the credential, unless too many wrong secrets were presented for it recently. */
  async #readOnce(
    { identity, source }: Presented,
    keyedHash: Buffer,
    now: number,
  ): Promise<Match | undefined> {
    if (!this.#failures.mayRead(source)) return undefined
    this.#credentials.drop(identity.id)
    const found = matchOf(await this.load(identity), keyedHash, now)
    if (found === undefined) this.#failures.add(source)
    return found
  }
}
