/**
 * Decides every CONNECT: finds the credential and the presented secret, asks the deciders, records
 * the use of the secret, and issues the grant. Credentials come from a bounded cache that the
 * change feed keeps current; a miss costs one point read.
 *
 * The first use of a pending secret confirms it, invalidates older ones and ends the sessions that
 * began with them: on embedded brokers through the change feed, on external brokers through a
 * receipt. A device's secret is marked as used before the CONNACK, so that no later response
 * repeats it.
 */
import type { Services } from '../../../context.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import type {
  ConnectDecision,
  ConnectRefusal,
  ConnectRequest,
  Grant,
  Refusal,
} from '../../../adapters/broker/port.ts'
import type { TrafficMeter } from '../../../adapters/broker/traffic-meter.ts'
import type { Db, PointReader } from '../../../platform/database/connect.ts'
import { FeedCache } from '../../../platform/database/feed-cache.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { LogThrottle } from '../../../platform/lib/log-throttle.ts'
import { andThen, type MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import { MicroBatcher } from '../../../platform/lib/micro-batcher.ts'
import { hasGoodChecksum } from '../../../platform/lib/secrets.ts'
import {
  confirmDeviceSecret,
  markSecretsUsed,
  MQTT_PASSWORD_PREFIX,
  type SecretName,
} from '../device-secrets/device-secret.ts'
import { confirmPrincipalSecret } from '../principals/principal-secret.ts'
import { endOlderSessions } from '../revocation/receipt-issue.ts'
import {
  type Credential,
  credentialChanges,
  type CredentialReads,
  credentialReads,
  grantOf,
  type Match,
  matchOf,
  matchSecret,
  newestGeneration,
  plainHashOf,
  readCredential,
  recogniseSecret,
  type Secret,
} from './credential.ts'
import { ANY_SESSION, type Asked, type Decider, firstRefusal } from './deciders.ts'
import { FailedAuthLimiter, type Source, sourceOf } from './failed-auth-limiter.ts'
import { type Identity, readIdentity } from './identity.ts'

export interface AuthorityServices extends Pick<Services, 'db' | 'feed'> {
  points: PointReader
  keyring: Keyring
  clock: Clock
  /** Asked in this order once credential and secret are known, and whenever rights change. */
  deciders: readonly Decider[]
  /** Asked last for each CONNECT, after the secret counts as used. */
  limits: readonly Decider<ConnectRequest>[]
  /** Names of the external brokers on which sessions can be ended. */
  externalBrokers: () => readonly string[]
  /** Meters the traffic of a credential's sessions; without it they are not metered. */
  usage?: { meterOf: (credential: Credential) => TrafficMeter }
  /** Passes each decision on; it may watch how one is made. */
  watch?: (
    request: ConnectRequest,
    decide: () => MaybePromise<ConnectDecision>,
  ) => MaybePromise<ConnectDecision>
  /** Maximum number of credentials in memory; one takes about 2 kB. */
  cachedCredentials: number
  warn: (message: string, error: unknown) => void
}

const refuse = (refusal: ConnectRefusal): ConnectDecision => ({ accepted: false, ...refusal })
const refuseFor = (reason: Refusal): ConnectDecision => ({ accepted: false, reason })

interface Presented {
  identity: Identity
  secret: Buffer
  source: Source
}

async function confirmSecret(
  services: Pick<Services, 'db' | 'feed'>,
  db: Db,
  { kind, workspaceId, id }: Credential,
  { generation }: Secret,
): Promise<boolean> {
  if (kind === 'device') {
    return confirmDeviceSecret(services, db, workspaceId, id, 'mqtt', generation)
  }
  return kind === 'principal' && confirmPrincipalSecret(services, db, workspaceId, id, generation)
}

/** A new fleet that connects for the first time is marked in batches. */
const MARKS = { batchSize: 128, inFlight: 2, timeoutMs: 50 }

/** Whether the use must be written before the CONNACK is sent. */
const isNew = ({ secret }: Match): boolean => secret.expiresAt !== null || !secret.isUsed

export class CredentialAuthority {
  readonly #services: AuthorityServices
  readonly #reads: CredentialReads
  /** By user name: an id alone would also be found under the name of another kind. */
  readonly #credentials: FeedCache<Credential>
  readonly #marks: MicroBatcher<SecretName, void>
  readonly #failures = new FailedAuthLimiter()
  readonly #warnings = new LogThrottle()

  constructor(services: AuthorityServices) {
    this.#services = services
    this.#reads = credentialReads(services.points)
    this.#marks = new MicroBatcher<SecretName, void>(async (secrets) => {
      await markSecretsUsed(services.db, secrets)
      return []
    }, MARKS)
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
   */
  connect(request: ConnectRequest): MaybePromise<ConnectDecision> {
    const { watch } = this.#services
    return watch === undefined
      ? this.#connect(request)
      : watch(request, () => this.#connect(request))
  }

  #connect(request: ConnectRequest): MaybePromise<ConnectDecision> {
    const since = this.#services.feed.sequence
    const found = this.#recognise(request) ?? this.#find(request)
    if (found === undefined) return refuseFor('bad_credentials')
    const decision = andThen(found, (match) => this.#decide(request, match, since))
    if (!(decision instanceof Promise)) return decision
    return decision.catch((error: unknown) => this.#unavailable(error))
  }

  #unavailable(error: unknown): ConnectDecision {
    if (this.#warnings.isDue()) {
      this.#services.warn('the rights of an MQTT client could not be decided', error)
    }
    return refuseFor('unavailable')
  }

  /** Why a session of the credential may not exist; undefined if it may. */
  refusalOf(asked: Asked, credential: Credential): MaybePromise<ConnectRefusal | undefined> {
    return firstRefusal(this.#services.deciders, asked, credential)
  }

  /**
   * The rights of a client whose secret was checked earlier. Does not count as a connection.
   */
  async authorize(username: string, clientId: string): Promise<ConnectDecision> {
    const identity = readIdentity(username)
    if (identity === undefined) return refuseFor('bad_credentials')
    try {
      const credential = await this.load(identity)
      if (credential === undefined) return refuseFor('bad_credentials')
      const generation = newestGeneration(credential, this.#services.clock.now())
      const grant = grantOf(credential, generation)
      const refusal = await this.refusalOf({ clientId, grant }, credential)
      return refusal === undefined ? { accepted: true, grant } : refuse(refusal)
    } catch (error) {
      return this.#unavailable(error)
    }
  }

  /** Whether no change of anything that the grant depends on was reported since it was issued. */
  isUnchanged({ basis }: Grant): boolean {
    if (basis === undefined) return false
    const { feed } = this.#services
    return basis.credential.refs.every((ref) => feed.lastChange(ref) <= basis.since)
  }

  /**
   * Whether the same request would get this grant again: the credential is still the one in memory,
   * its secret is confirmed, and neither has expired.
   */
  stillGives({ basis }: Grant): boolean {
    if (basis === undefined || basis.secret.expiresAt !== null) return false
    const cached = this.#credentials.get(basis.credential.name)
    return cached === basis.credential && this.refusalOf(ANY_SESSION, cached) === undefined
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
  noteOpened({ basis }: Grant): void {
    if (basis !== undefined) basis.credential.isFirst = false
  }

  /** Evicts a credential from the cache: the next CONNECT reads it again. */
  evict(identity: Identity): void {
    this.#credentials.drop(identity.id)
  }

  #decide(
    request: ConnectRequest,
    match: Match | undefined,
    since: number,
  ): MaybePromise<ConnectDecision> {
    if (match === undefined) return refuseFor('bad_credentials')
    const { credential } = match
    const refusal = this.refusalOf(request, credential)
    if (refusal instanceof Promise || isNew(match)) {
      return this.#decideLater(request, match, since, refusal)
    }
    if (refusal !== undefined) return refuse(refusal)
    const grant = this.#grant(match, since)
    const limit = firstRefusal(this.#services.limits, request, credential)
    if (limit === undefined) return grant
    return andThen(limit, (found) => (found === undefined ? grant : refuse(found)))
  }

  /** The same with a decider that returns a promise, or a use that must be recorded. */
  async #decideLater(
    request: ConnectRequest,
    match: Match,
    since: number,
    pending: MaybePromise<ConnectRefusal | undefined>,
  ): Promise<ConnectDecision> {
    const refusal = await pending
    const decision = refusal === undefined ? this.#grant(match, since) : refuse(refusal)
    if (isNew(match)) await this.#recordUse(match, request, decision.accepted)
    const { limits } = this.#services
    const limit = decision.accepted
      ? await firstRefusal(limits, request, match.credential)
      : undefined
    return limit === undefined ? decision : refuse(limit)
  }

  /** @param isAccepted a refused CONNECT confirms nothing, but its secret did arrive */
  async #recordUse(match: Match, request: ConnectRequest, isAccepted: boolean): Promise<void> {
    const { credential, secret } = match
    if (isAccepted && secret.expiresAt !== null) await this.#confirm(match, request)
    else if (!secret.isUsed) {
      const { workspaceId, id: deviceId } = credential
      const { generation } = secret
      await this.#marks.run('', { workspaceId, deviceId, kind: 'mqtt', generation })
    }
    secret.isUsed = true
  }

  async #confirm({ credential, secret }: Match, { external }: ConnectRequest): Promise<void> {
    const { db } = this.#services
    const brokers = this.#services.externalBrokers()
    if (brokers.length === 0) {
      await confirmSecret(this.#services, db, credential, secret)
      return
    }
    await db.transaction(async (trx) => {
      if (!(await confirmSecret(this.#services, trx, credential, secret))) return
      const { workspaceId, name: subject } = credential
      await endOlderSessions(trx, { workspaceId, subject, brokers, presentedAt: external })
    })
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
