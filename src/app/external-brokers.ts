/**
 * The external brokers with an admin interface: one adapter each, recreated when its entry changes.
 * Rules that a broker stores itself are updated when the change feed reports changes.
 */
import type { BrokerEntry } from '../adapters/broker/broker-entry.ts'
import type {
  CredentialStore,
  CredentialStoreOptions,
  ExternalBroker,
  RemoteAuthority,
} from '../adapters/broker/external-port.ts'
import { kindOf } from '../adapters/broker/kinds.ts'
import type { PasswordSync, Services } from '../context.ts'
import type { CredentialAuthority } from '../features/mqtt/credentials/authority.ts'
import { nameOf, readIdentity } from '../features/mqtt/credentials/identity.ts'
import { PasswordPushes } from '../features/mqtt/password-sync/password-sync.ts'
import { Debounced } from '../platform/lib/debounced.ts'
import { LogThrottle } from '../platform/lib/log-throttle.ts'
import { errorFields, type Log } from '../platform/log.ts'

interface Parts extends Pick<Services, 'db' | 'keyring' | 'brokers' | 'feed'> {
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
}

const storesCredentials = (broker: ExternalBroker): broker is CredentialStore =>
  'setPassword' in broker

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

export class ExternalBrokers {
  readonly #parts: Parts
  readonly #pushes: PasswordPushes
  #made = new Map<string, Made>()
  readonly #reconciling = new Debounced(() => this.#reconcile(), {
    pauseMs: GATHER_MS,
    againMs: TRY_AGAIN_MS,
  })
  #stopped = true
  readonly #complaints = new LogThrottle()
  readonly #failures = new Map<string, number>()

  constructor(parts: Parts) {
    this.#parts = parts
    const { brokers, feed, authority } = parts
    this.#pushes = new PasswordPushes({
      ...parts,
      passwordStores: () => this.#stores(),
      isNewest: (principalId, password) => authority.isNewest(principalId, password),
      warn: (broker, error) => this.#warn(broker, error),
    })
    this.#make(brokers.present())
    brokers.onChange((entries) => this.#make(entries))
    feed.on('device', (ref) => void this.#regrant(nameOf('device', ref)))
    feed.on('mqtt-principal', (ref) => void this.#regrant(nameOf('principal', ref)))
    feed.on('template', () => this.#gather())
    feed.on('workspace', () => this.#gather())
    // A phone has the rights that its devices give it.
    feed.on('moid-devices', () => this.#gather())
    feed.onGap(() => this.#gather())
  }

  /** See `PasswordSync`. */
  readonly passwords: PasswordSync = {
    isNeeded: () => this.#stores().length > 0,
    issued: (db, workspaceId, passwords) => this.#pushes.issued(db, workspaceId, passwords),
    replace: (db, workspaceId, issued) => this.#pushes.replace(db, workspaceId, issued),
  }

  /** Failed calls since the start, by broker. */
  failures(): ReadonlyMap<string, number> {
    return this.#failures
  }

  /** The administrable brokers currently in the file. */
  present(): readonly ExternalBroker[] {
    return Array.from(this.#made.values(), ({ broker }) => broker)
  }

  /** The principals that have a session there; undefined if the broker cannot be asked. */
  presentAt(broker: string, names: readonly string[]): Promise<ReadonlySet<string>> | undefined {
    const made = this.#made.get(broker)
    return made && presentAt(made.broker, names)
  }

  start(): void {
    this.#stopped = false
    for (const { broker } of this.#made.values()) broker.start?.()
  }

  /** Retries passwords that could not be passed on. */
  pushPasswords(): Promise<void> {
    return this.#pushes.poll()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#pushes.stop()
    this.#reconciling.stop()
    await Promise.all([...this.#made.values()].map(async ({ broker }) => broker.stop?.()))
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
        const broker = this.#adapterOf(entry)
        if (broker !== undefined) made.set(entry.name, { text, broker })
      }
    }
    for (const [name, { broker }] of before) {
      broker.stop?.().catch((error: unknown) => this.#warn(name, error))
    }
    const isNew = ({ broker }: Made): boolean => !this.present().includes(broker)
    const begun = [...made.values()].filter(isNew)
    this.#made = made
    if (!this.#stopped) for (const { broker } of begun) broker.start?.()
  }

  #adapterOf(entry: BrokerEntry): ExternalBroker | undefined {
    const { name, admin } = entry
    if (admin === undefined) return undefined
    const { url, username, password, ca } = admin
    const options: CredentialStoreOptions = {
      name,
      url,
      username,
      password,
      ca,
      authorize: (user, clientId) => this.#parts.authority.authorize(user, clientId),
      isPrincipal: (user) => readIdentity(user) !== undefined,
      onFailure: (error) => this.#warn(name, error),
    }
    return kindOf(entry).admin?.open(options, entry)
  }

  async #regrant(principalId: string): Promise<void> {
    for (const store of this.#stores()) {
      try {
        if (!this.#stopped) await store.regrant(principalId)
      } catch (error) {
        this.#warn(store.name, error)
        if (this.#hasStores()) this.#reconciling.wakeLater()
      }
    }
  }

  #hasStores(): boolean {
    return !this.#stopped && this.#stores().length > 0
  }

  #gather(): void {
    if (this.#hasStores()) this.#reconciling.wake()
  }

  /** Reconciles everything that brokers store. @returns whether it succeeded or is not needed */
  async #reconcile(): Promise<boolean> {
    const isDone = await Promise.all(
      this.#stores().map(async (store) => {
        try {
          if (!this.#stopped) await store.regrant()
          return true
        } catch (error) {
          this.#warn(store.name, error)
          return this.#stopped
        }
      }),
    )
    return isDone.every(Boolean)
  }

  #stores(): CredentialStore[] {
    return this.present().filter(storesCredentials)
  }

  #warn(broker: string, error: unknown): void {
    if (this.#stopped) return
    this.#failures.set(broker, (this.#failures.get(broker) ?? 0) + 1)
    if (!this.#complaints.isDue(broker)) return
    const message = 'the configuration of a broker could not be synchronized'
    this.#parts.log('warn', message, { broker, ...errorFields(error) })
  }
}
