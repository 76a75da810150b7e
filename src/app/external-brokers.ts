/**
 * The external brokers with an admin interface: one adapter each, recreated when its entry changes.
 * Rules that a broker stores itself are updated when the change feed reports changes.
 */
import type { Keyring } from '../platform/access/keyring.ts'
import type { BrokerEntry, Brokers } from '../adapters/broker/broker-entry.ts'
import { createEmqx } from '../adapters/broker/emqx/emqx.ts'
import { createMosquitto, type Mosquitto } from '../adapters/broker/mosquitto/mosquitto.ts'
import type {
  ExternalBroker,
  ExternalBrokerOptions,
  RemoteAuthority,
} from '../adapters/broker/external-port.ts'
import { createRabbitmq } from '../adapters/broker/rabbitmq/rabbitmq.ts'
import type { PasswordKeepers } from '../context.ts'
import type { ChangeFeed } from '../platform/database/change-feed.ts'
import type { Db } from '../platform/database/connect.ts'
import type { CredentialAuthority } from '../features/mqtt/credentials/authority.ts'
import { nameOf, readIdentity } from '../features/mqtt/credentials/identity.ts'
import { PasswordPushes } from '../features/mqtt/password-sync/password-pushes.ts'
import { BurstWork } from '../platform/lib/burst-work.ts'
import { Seldom } from '../platform/lib/seldom.ts'
import { errorFields, type Log } from '../platform/log.ts'

export interface ExternalBrokers {
  /** Which of the principals have a session there; undefined if the broker cannot be asked. */
  presentAt(broker: string, names: readonly string[]): Promise<ReadonlySet<string>> | undefined
  /** The administrable brokers currently in the file. */
  present(): readonly ExternalBroker[]
  /** See `PasswordKeepers`. */
  readonly passwords: PasswordKeepers
  /** Retries passwords that could not be passed on. */
  pushPasswords(): Promise<void>
  start(): void
  stop(): Promise<void>
}

interface Parts {
  db: Db
  keyring: Keyring
  brokers: Brokers
  feed: ChangeFeed
  authority: Pick<RemoteAuthority, 'authorize'> & Pick<CredentialAuthority, 'isNewest'>
  log: Log
}

/** A change of a template or workspace may affect many; a burst of changes is handled at once. */
const GATHER_MS = 2_000
const TRY_AGAIN_MS = 5_000

interface Made {
  /** The entry as text, to detect changes. */
  text: string
  broker: ExternalBroker
  /** The same adapter, if the broker stores each principal's rules itself. */
  keeper?: Mosquitto
}

/** More principals than this are looked up in the list of all sessions. */
const ASKED_ONE_BY_ONE = 20

async function presentAt(
  broker: ExternalBroker,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length > ASKED_ONE_BY_ONE) {
    return new Set((await broker.connections()).map(({ principalId }) => principalId))
  }
  const holds = await Promise.all(names.map((name) => broker.holds(name)))
  return new Set(names.filter((_, at) => holds[at]))
}

const withPath = (url: string, path: string): string =>
  new URL(url).pathname.length > 1 ? url : url.replace(/\/?$/, path)

export function createExternalBrokers(parts: Parts): ExternalBrokers {
  return new Adapters(parts)
}

class Adapters implements ExternalBrokers {
  readonly #parts: Parts
  readonly #pushes: PasswordPushes
  #made = new Map<string, Made>()
  readonly #reconciling = new BurstWork(() => this.#reconcile(), {
    pauseMs: GATHER_MS,
    againMs: TRY_AGAIN_MS,
  })
  #stopped = true
  readonly #complaints = new Seldom()

  constructor(parts: Parts) {
    this.#parts = parts
    const { brokers, feed, authority } = parts
    this.#pushes = new PasswordPushes({
      ...parts,
      keepers: () => this.#keepers(),
      isNewest: (principalId, password) => authority.isNewest(principalId, password),
      warn: (broker, error) => this.#warn(broker, error),
    })
    this.#make(brokers.present())
    brokers.onChange((entries) => this.#make(entries))
    feed.on('device', (ref) => void this.#bring(nameOf('device', ref)))
    feed.on('mqtt-principal', (ref) => void this.#bring(nameOf('principal', ref)))
    feed.on('template', () => this.#gather())
    feed.on('workspace', () => this.#gather())
    // A phone has the rights that its devices give it.
    feed.on('moid-devices', () => this.#gather())
    feed.onGap(() => this.#gather())
  }

  readonly passwords: PasswordKeepers = {
    isNeeded: () => this.#keepers().length > 0,
    issued: (db, workspaceId, passwords) => this.#pushes.issued(db, workspaceId, passwords),
    replace: (db, workspaceId, issued) => this.#pushes.replace(db, workspaceId, issued),
  }

  present(): readonly ExternalBroker[] {
    return [...this.#made.values()].map(({ broker }) => broker)
  }

  presentAt(broker: string, names: readonly string[]): Promise<ReadonlySet<string>> | undefined {
    const made = this.#made.get(broker)
    return made && presentAt(made.broker, names)
  }

  start(): void {
    this.#stopped = false
    for (const { broker } of this.#made.values()) broker.start()
  }

  pushPasswords(): Promise<void> {
    return this.#pushes.look()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#pushes.stop()
    this.#reconciling.stop()
    await Promise.all([...this.#made.values()].map(({ broker }) => broker.stop()))
  }

  #make(entries: readonly BrokerEntry[]): void {
    const before = new Map(this.#made)
    const made = new Map<string, Made>()
    for (const entry of entries) {
      const text = JSON.stringify(entry)
      const known = before.get(entry.name)
      if (known?.text === text) {
        made.set(entry.name, known)
        before.delete(entry.name)
      } else {
        const adapter = this.#adapterOf(entry)
        if (adapter !== undefined) made.set(entry.name, { text, ...adapter })
      }
    }
    for (const [name, { broker }] of before) {
      broker.stop().catch((error: unknown) => this.#warn(name, error))
    }
    const isNew = ({ broker }: Made): boolean => !this.present().includes(broker)
    const begun = [...made.values()].filter(isNew)
    this.#made = made
    if (!this.#stopped) for (const { broker } of begun) broker.start()
  }

  #adapterOf({ name, kind, admin, vhost }: BrokerEntry): Omit<Made, 'text'> | undefined {
    if (admin === undefined) return undefined
    const { authority } = this.#parts
    const authorize: ExternalBrokerOptions['authorize'] = (username, clientId) =>
      authority.authorize(username, clientId)
    const isPrincipal = (username: string): boolean => readIdentity(username) !== undefined
    const { url, username, password, ca } = admin
    const options = { name, username, password, ca, authorize }
    const onFailure = (error: unknown): void => this.#warn(name, error)
    switch (kind) {
      case 'emqx':
        return { broker: createEmqx({ ...options, url: withPath(url, '/api/v5') }) }
      case 'rabbitmq':
        return { broker: createRabbitmq({ ...options, url: withPath(url, '/api'), vhost }) }
      case 'mosquitto-dynsec': {
        const keeper = createMosquitto({ ...options, url, isPrincipal, onFailure })
        return { broker: keeper, keeper }
      }
      default:
        return undefined
    }
  }

  async #bring(principalId: string): Promise<void> {
    for (const keeper of this.#keepers()) {
      try {
        if (!this.#stopped) await keeper.bring(principalId)
      } catch (error) {
        this.#warn(keeper.name, error)
        if (this.#isKept()) this.#reconciling.wakeLater()
      }
    }
  }

  #isKept(): boolean {
    return !this.#stopped && this.#keepers().length > 0
  }

  #gather(): void {
    if (this.#isKept()) this.#reconciling.wake()
  }

  /** Reconciles everything that brokers store. @returns whether it succeeded or is not needed */
  async #reconcile(): Promise<boolean> {
    const isDone = await Promise.all(
      this.#keepers().map(async (keeper) => {
        try {
          if (!this.#stopped) await keeper.reconcile()
          return true
        } catch (error) {
          this.#warn(keeper.name, error)
          return this.#stopped
        }
      }),
    )
    return isDone.every(Boolean)
  }

  #keepers(): Mosquitto[] {
    return [...this.#made.values()].flatMap(({ keeper }) => (keeper ? [keeper] : []))
  }

  #warn(broker: string, error: unknown): void {
    if (this.#stopped || !this.#complaints.isDue(broker)) return
    const message = 'a broker could not be brought to what it should hold'
    this.#parts.log('warn', message, { broker, ...errorFields(error) })
  }
}
