/**
 * The keys that sign access tokens. They are stored encrypted in the database; each process holds a
 * copy that it reloads every few seconds. A key is published long before it signs and verifies long
 * afterwards, so a rotation invalidates no token.
 */
import { performance } from 'node:perf_hooks'
import {
  exportEncrypted,
  importEncrypted,
  newSigningKey,
  type SigningKey,
  type SigningKeySet,
} from '../../../platform/access/signing-keys.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { SingleFlight } from '../../../platform/lib/single-flight.ts'
import { INSTALLATION, serviceOrigin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import * as store from './store.ts'
import type { Services } from '../../../context.ts'

export const issuers = ['service.console', 'service.moid'] as const
export type Issuer = (typeof issuers)[number]

export interface SigningKeysOptions extends Pick<Services, 'db' | 'keyring'> {
  /** Reload interval. */
  reloadMs?: number
  /** Age at which a key is replaced. */
  maxAgeDays?: number
  /** Called if keys cannot be read; the last good ones stay in use. */
  onProblem?: (error: unknown) => void
}

const RELOAD_MS = 10_000
const MAX_AGE_DAYS = 90
const MAINTAIN_MS = 3_600_000
const LEARN_MS = 1_000

export class SigningKeys {
  readonly #options: SigningKeysOptions
  readonly #timers: NodeJS.Timeout[] = []
  #sets: ReadonlyMap<string, SigningKeySet> = new Map()
  readonly #reloads = new SingleFlight(() => this.#load())
  #reloadedAt = Number.NEGATIVE_INFINITY
  /** Why the latest reload failed; undefined if it did not. */
  #problem: unknown

  constructor(options: SigningKeysOptions) {
    this.#options = options
  }

  /**
   * Reads the keys, and creates the first ones of an installation.
   * @throws Error if one cannot be decrypted
   */
  async start(): Promise<void> {
    const { reloadMs = RELOAD_MS } = this.#options
    await this.reload()
    for (const issuer of issuers) await this.#addMissing(issuer)
    await this.reload()
    this.#every(reloadMs, () => this.reload())
    this.#every(MAINTAIN_MS, () => this.maintain())
    await this.maintain()
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  /** The issuer's keys as last read. */
  keys(issuer: Issuer): SigningKeySet {
    return this.#sets.get(issuer) ?? []
  }

  /**
   * Whether the issuer has a key with this id; queries the database at most once a second. Throws
   * `unavailable` if the keys could not be read: nobody is signed out because of that.
   */
  async learn(issuer: Issuer, kid: string): Promise<boolean> {
    const has = (): boolean => this.keys(issuer).some((key) => key.kid === kid)
    if (has()) return true
    // A kid is untrusted input: invented ones must not load the database.
    const recent = performance.now() - this.#reloadedAt < LEARN_MS
    if (!recent || this.#reloads.isRunning) {
      await this.reload().catch((error: unknown) => this.#options.onProblem?.(error))
    }
    if (this.#problem !== undefined && !has()) {
      throw new Failure('unavailable', { retryAfterSeconds: 1, cause: this.#problem })
    }
    return has()
  }

  reload(): Promise<void> {
    return this.#reloads.join()
  }

  /** Replaces the signing key. Of concurrent processes, one does it. */
  async rotate(issuer: Issuer): Promise<void> {
    await this.reload()
    await this.#replace(issuer, this.#inState(issuer, 'active')?.kid ?? null, null)
  }

  /** Replaces keys that are too old and deletes those that no token needs. */
  async maintain(): Promise<void> {
    const { db, maxAgeDays = MAX_AGE_DAYS } = this.#options
    for (const issuer of issuers) await this.#replace(issuer, null, maxAgeDays)
    await store.dropRetiredKeys.run(db)
  }

  #every(ms: number, work: () => Promise<void>): void {
    const run = (): void => {
      work().catch((error: unknown) => this.#options.onProblem?.(error))
    }
    this.#timers.push(setInterval(run, ms).unref())
  }

  #inState(issuer: Issuer, state: SigningKey['state']): SigningKey | undefined {
    return this.keys(issuer).find((key) => key.state === state)
  }

  async #load(): Promise<void> {
    try {
      this.#sets = await this.#read()
      this.#problem = undefined
    } catch (error) {
      this.#problem = error
      throw error
    }
  }

  async #read(): Promise<ReadonlyMap<string, SigningKeySet>> {
    const { db, keyring } = this.#options
    this.#reloadedAt = performance.now()
    const sets = new Map<string, SigningKey[]>()
    for (const row of await store.findUsableKeys.rows(db)) {
      const key = importEncrypted(keyring, row.issuer, row)
      if (key === undefined) {
        throw new Error(`signing key ${row.kid} is encrypted with another master key, or damaged`)
      }
      sets.set(row.issuer, [...(sets.get(row.issuer) ?? []), key])
    }
    return sets
  }

  async #addMissing(issuer: Issuer): Promise<void> {
    for (const state of ['active', 'next'] as const) {
      if (this.#inState(issuer, state) === undefined) {
        await this.#insert(this.#options.db, issuer, state)
      }
    }
  }

  async #insert(db: Db, issuer: Issuer, state: 'next' | 'active'): Promise<void> {
    const key = newSigningKey()
    await store.insertKey.run(db, {
      kid: key.kid,
      issuer,
      publicKey: key.publicKey.export({ format: 'der', type: 'spki' }),
      encryptedPrivate: exportEncrypted(this.#options.keyring, issuer, key),
      state,
    })
  }

  async #replace(issuer: Issuer, kid: string | null, ageDays: number | null): Promise<void> {
    const rotated = await this.#options.db.transaction(async (trx) => {
      const retired = await store.retireActive.first(trx, { issuer, kid, days: ageDays })
      if (retired === undefined) return false
      const active = await store.activateNext.first(trx, { issuer })
      if (active === undefined) await this.#insert(trx, issuer, 'active')
      await this.#insert(trx, issuer, 'next')
      await record(trx, serviceOrigin, {
        workspaceId: INSTALLATION,
        action: 'signing_key.rotated',
        resource: { kind: 'signing_key', id: (active ?? retired).kid },
        detail: { issuer, retired: retired.kid },
      })
      return true
    })
    if (!rotated) return
    // A running reload may have started before the change.
    await this.#reloads.joinNext()
  }
}
