/**
 * Passes passwords on to brokers that store them: encrypted, written together with their hashes,
 * and deleted once the broker certainly has them. None is lost in a crash, and of two concurrent
 * ones the newer wins, since the broker stores a mark with each.
 */
import type { CredentialStore } from '../../../adapters/broker/external-port.ts'
import { columnsOf } from '../../../platform/database/sql.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { PasswordSync } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { SerialWorker } from '../../../platform/lib/serial-worker.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import * as store from './store.ts'

/** A broker that stores passwords. */
export type PasswordStore = Pick<CredentialStore, 'name' | 'setPassword' | 'passwordMark'>

export interface PasswordPushServices {
  db: Db
  keyring: Pick<Keyring, 'encrypt' | 'decrypt'>
  passwordStores: () => readonly PasswordStore[]
  /** Whether this is a principal's newest secret. */
  isNewest: (principalId: string, password: string) => Promise<boolean>
  warn: (broker: string, error: unknown) => void
}

/** Longer than a broker takes for a batch. */
const LEASE_SECONDS = 20
const TOGETHER = 20
const AGAIN_SECONDS = 5
/**
 * Latest arrival of an older password after a newer one, sent by a process that was suspended in
 * between. It sends nothing after its lease, and the broker has dropped its silent connection by
 * then (one and a half times a keepalive of 60 s).
 */
const SETTLED_SECONDS = 180
/** After this the principal cannot use that broker until its next secret. */
const KEEP_SECONDS = 86_400

export const pushEncryptionContext = (id: string): string => `mqtt_password_pushes ${id}`

const endOfLease = (): number => performance.now() + LEASE_SECONDS * 1_000

export class PasswordPushes {
  readonly #services: PasswordPushServices
  readonly #worker: SerialWorker

  constructor(services: PasswordPushServices) {
    this.#services = services
    this.#worker = new SerialWorker(
      () => this.#work(),
      (error) => services.warn('passwords', error),
    )
  }

  issued: PasswordSync['issued'] = async (db, workspaceId, passwords) => {
    const rows = this.#services
      .passwordStores()
      .flatMap(({ name }) => passwords.map((issued) => this.#rowOf(name, issued, false)))
    if (rows.length === 0) return
    await store.insertPushes.run(db, { ...columnsOf(rows), workspaceId })
    db.afterCommit(() => this.#worker.wake())
  }

  replace: PasswordSync['replace'] = async (db, workspaceId, issued) => {
    const { passwordStores, warn } = this.#services
    const rows: store.NewPush[] = []
    for (const passwordStore of passwordStores()) {
      const row = this.#rowOf(passwordStore.name, issued, true)
      try {
        await passwordStore.setPassword(issued.principalId, issued.password, row.id, endOfLease())
      } catch (error) {
        warn(passwordStore.name, error)
        throw new Failure('unavailable', { retryAfterSeconds: 5, cause: error })
      }
      rows.push(row)
    }
    if (rows.length === 0) return
    // An earlier password may have overtaken it until this commit.
    await store.insertPushes.run(db, { ...columnsOf(rows), workspaceId })
    db.afterCommit(() => this.#worker.wake())
  }

  /** Retries what is due and gives up what is too old. */
  async poll(): Promise<void> {
    await store.deletePushes.run(this.#services.db, { seconds: KEEP_SECONDS })
    if (this.#services.passwordStores().length > 0) this.#worker.wake()
  }

  stop(): void {
    this.#worker.stop()
  }

  #rowOf(
    broker: string,
    { principalId, password }: { principalId: string; password: string },
    isGiven: boolean,
  ): store.NewPush {
    const id = newUuid()
    const sealed = this.#services.keyring.encrypt(Buffer.from(password), pushEncryptionContext(id))
    return { id, principal_id: principalId, broker, sealed, is_given: isGiven }
  }

  /** @returns whether there may be more */
  async #work(): Promise<boolean> {
    const { db, passwordStores } = this.#services
    const names = passwordStores().map(({ name }) => name)
    const until = endOfLease()
    const taken = await store.takePushes.rows(db, {
      brokers: names,
      seconds: LEASE_SECONDS,
      limit: TOGETHER,
    })
    await Promise.all(taken.map((push) => this.#push(push, until)))
    return taken.length === TOGETHER
  }

  async #push(push: store.PushRow, until: number): Promise<void> {
    const { db, passwordStores, warn } = this.#services
    const passwordStore = passwordStores().find(({ name }) => name === push.broker)
    try {
      const isGiven = passwordStore !== undefined && (await this.#give(passwordStore, push, until))
      if (!isGiven) await this.#drop(push)
      else await store.settlePush.run(db, { ...push, seconds: SETTLED_SECONDS })
    } catch (error) {
      warn(push.broker, error)
      await store.deferPush.run(db, { ...push, seconds: AGAIN_SECONDS })
    }
  }

  /** @returns whether the broker now has this password as the current one */
  async #give(passwordStore: PasswordStore, push: store.PushRow, until: number): Promise<boolean> {
    const { keyring, isNewest } = this.#services
    const { id, principal_id: principalId, sealed } = push
    const password = keyring.decrypt(sealed, pushEncryptionContext(id))?.toString()
    if (password === undefined || !(await isNewest(principalId, password))) return false
    if ((await passwordStore.passwordMark(principalId)) === id) return true
    if (!(await passwordStore.setPassword(principalId, password, id, until))) return false
    return await isNewest(principalId, password)
  }

  /** Deletes an outdated password. A newer one that was passed on earlier is checked again. */
  async #drop(push: store.PushRow): Promise<void> {
    const { db } = this.#services
    if (await store.checkAgain.any(db, push)) this.#worker.wake()
    await store.deletePush.run(db, push)
  }
}
