/**
 * Selects the certificate for a TLS server name (SNI, RFC 6066 section 3). All names are in memory
 * and kept current by the change feed, so unknown names never cause a query. Decrypted keys are
 * cached with a bound.
 */
import { createSecureContext, type SecureContext } from 'node:tls'
import { LRUCache } from 'lru-cache'
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { retryUntilDone } from '../../../platform/lib/retry-until-done.ts'
import { SingleFlight } from '../../../platform/lib/single-flight.ts'
import { refOfName } from '../ownership/directory.ts'
import { encryptedFor } from './certificate.ts'
import * as store from './store.ts'

/** Each takes about ten kilobytes. */
const MAX_CONTEXTS = 1_000
const RETRY_MS = 1_000

interface Services {
  db: Db
  keyring: Keyring
  feed: ChangeFeed
  warn: (message: string, error: unknown) => void
}

const normal = (host: string): string => host.toLowerCase().replace(/\.$/, '')

export class ServedCertificates {
  readonly #services: Services
  /**
   * By the name's reference in the change feed, and by workspace: the current owner, and former
   * ones, whose certificate is served again if the owner releases the name.
   */
  readonly #rows = new Map<string, Map<string, store.ServedRow>>()
  /** All certificates of each workspace, served or not. */
  readonly #rowsOf = new Map<string, readonly store.ServedRow[]>()
  /** By certificate id, which changes on renewal. */
  readonly #contexts = new LRUCache<string, SecureContext>({ max: MAX_CONTEXTS })
  /** By certificate id. No `SingleFlight`: nothing else shares runs by a key. */
  readonly #opening = new Map<string, Promise<SecureContext | undefined>>()
  /** Workspaces being reloaded. No `KeyedSemaphore`: others wait for the end of a reading. */
  readonly #reading = new Map<string, Promise<void>>()
  /** References of the rows that changed during the load of all. */
  #missed: Set<string> | undefined
  /** One load at a time: one that ends after a later one would undo what that has found. */
  readonly #loads = new SingleFlight(() => this.#load())

  constructor(services: Services) {
    this.#services = services
    const { feed } = services
    for (const kind of ['certificate', 'workspace'] as const) {
      feed.on(kind, (workspaceId) => this.#onChange(workspaceId))
    }
    feed.on('domain', (ref) => this.#onDomain(ref))
    feed.onGap(() => this.#onGap())
  }

  /** Loads all names; call it before the first lookup. */
  start(): Promise<void> {
    return this.#loads.joinNext()
  }

  async #load(): Promise<void> {
    const missed = new Set<string>()
    this.#missed = missed
    // A row read before the load must not replace a loaded one.
    await Promise.allSettled(this.#reading.values())
    const found: store.ServedRow[] = []
    for await (const rows of store.readServed(this.#services.db)) found.push(...rows)
    const rowsOf = Map.groupBy(found, ({ workspace_id: id }) => id)
    for (const id of new Set([...this.#rowsOf.keys(), ...rowsOf.keys()])) {
      this.#set(id, rowsOf.get(id) ?? [])
    }
    this.#missed = undefined
    for (const ref of missed) this.#onDomain(ref)
  }

  /** Synchronous lookup; undefined: the default certificate. */
  certificateFor(host: string): SecureContext | undefined {
    const row = this.#rowOf(normal(host))
    return row && this.#opened(row)
  }

  /** Loads the certificate if needed. Never fails: on error it is the default certificate. */
  contextFor(host: string): SecureContext | undefined | Promise<SecureContext | undefined> {
    const row = this.#rowOf(normal(host))
    return row && (this.#opened(row) ?? this.#read(host))
  }

  #opened({ workspace_id, id }: store.ServedRow): SecureContext | undefined {
    return this.#reading.has(workspace_id) ? undefined : this.#contexts.get(id)
  }

  async #read(host: string): Promise<SecureContext | undefined> {
    const before = this.#rowOf(normal(host))
    await this.#reading.get(before?.workspace_id ?? '')?.catch(() => {})
    const row = this.#rowOf(normal(host))
    if (row === undefined) return undefined
    return this.#contexts.get(row.id) ?? this.#open(row)
  }

  #open(row: store.ServedRow): Promise<SecureContext | undefined> {
    const opening =
      this.#opening.get(row.id) ??
      this.#make(row)
        .catch((error: unknown) => {
          this.#services.warn('a certificate of a domain cannot be used', error)
          return undefined
        })
        .finally(() => this.#opening.delete(row.id))
    this.#opening.set(row.id, opening)
    return opening
  }

  async #make(row: store.ServedRow): Promise<SecureContext | undefined> {
    const { db, keyring } = this.#services
    const material = await store.findMaterial.first(db, {
      workspaceId: row.workspace_id,
      domainId: row.domain_id,
      id: row.id,
    })
    if (material === undefined) return undefined
    const key = keyring.decrypt(material.sealed_key, encryptedFor(material.id))
    if (key === undefined)
      throw new Error('its private key is encrypted with another key, or was moved')
    const context = createSecureContext({ cert: material.chain, key })
    key.fill(0)
    if (this.#rowOf(row.name)?.id === row.id) this.#contexts.set(row.id, context)
    return context
  }

  /** Workspaces are loaded one by one; the latest load wins. */
  #rowOf(name: string): store.ServedRow | undefined {
    let presented: store.ServedRow | undefined
    for (const row of this.#rows.get(refOfName(name))?.values() ?? [])
      if (row.is_presented) presented = row
    return presented
  }

  #set(workspaceId: string, rows: readonly store.ServedRow[]): void {
    const ids = new Set(rows.map(({ id }) => id))
    for (const { id, name } of this.#rowsOf.get(workspaceId) ?? []) {
      if (!ids.has(id)) this.#contexts.delete(id)
      const ref = refOfName(name)
      const byWorkspace = this.#rows.get(ref)
      byWorkspace?.delete(workspaceId)
      if (byWorkspace?.size === 0) this.#rows.delete(ref)
    }
    if (rows.length > 0) this.#rowsOf.set(workspaceId, rows)
    else this.#rowsOf.delete(workspaceId)
    for (const row of rows) {
      const ref = refOfName(row.name)
      const byWorkspace = this.#rows.get(ref) ?? new Map<string, store.ServedRow>()
      this.#rows.set(ref, byWorkspace.set(workspaceId, row))
    }
  }

  /** A name or its workspace has changed: a former owner may have lost or regained it. */
  #onDomain(ref: string): void {
    this.#missed?.add(ref)
    for (const workspaceId of this.#rows.get(ref)?.keys() ?? [ref]) this.#onChange(workspaceId)
  }

  #onChange(workspaceId: string): void {
    void retryUntilDone(() => this.#reload(workspaceId), {
      pauseMs: RETRY_MS,
      failed: (error) =>
        this.#services.warn('certificates of a workspace could not be read', error),
    })
  }

  /** Serialized, so that an older result never overwrites a newer one. */
  #reload(workspaceId: string): Promise<void> {
    this.#missed?.add(workspaceId)
    const read = async (): Promise<void> =>
      this.#set(workspaceId, await store.readServedOf.rows(this.#services.db, { workspaceId }))
    const before = this.#reading.get(workspaceId) ?? Promise.resolve()
    const reading: Promise<void> = before.then(read, read).finally(() => {
      if (this.#reading.get(workspaceId) === reading) this.#reading.delete(workspaceId)
    })
    this.#reading.set(workspaceId, reading)
    return reading
  }

  #onGap(): void {
    void retryUntilDone(() => this.start(), {
      pauseMs: RETRY_MS,
      failed: (error) => this.#services.warn('certificates of domains could not be read', error),
    })
  }
}
