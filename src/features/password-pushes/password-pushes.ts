/**
 * Passwords on their way to brokers that keep them by themselves: sealed, written together with
 * their hashes, and deleted as soon as the broker has them. So none is lost when a process ends.
 */
import type { Keyring } from '../../access/keyring.ts'
import type { PasswordKeepers } from '../../context.ts'
import type { Db } from '../../database/connect.ts'
import { Drain } from '../../lib/drain.ts'
import { newUuid } from '../../lib/ids.ts'
import * as store from './store.ts'

/** A broker that keeps passwords. */
export interface PasswordKeeper {
  readonly name: string
  setPassword(principalId: string, password: string): Promise<void>
}

export interface PasswordPushServices {
  db: Db
  keyring: Pick<Keyring, 'seal' | 'open'>
  keepers: () => readonly PasswordKeeper[]
  /** Whether this is the newest secret of somebody. */
  isNewest: (principalId: string, password: string) => Promise<boolean>
  warn: (broker: string, error: unknown) => void
}

/** Longer than a broker takes for a batch. */
const LEASE_SECONDS = 20
const TOGETHER = 20
const AGAIN_SECONDS = 5
/** After this the principal stays outside of that broker until its next secret. */
const KEEP_SECONDS = 86_400

const sealedFor = (id: string): string => `mqtt_password_pushes ${id}`

export class PasswordPushes {
  readonly #services: PasswordPushServices
  readonly #drain: Drain

  constructor(services: PasswordPushServices) {
    this.#services = services
    this.#drain = new Drain(
      () => this.#work(),
      (error) => services.warn('passwords', error),
    )
  }

  issued: PasswordKeepers['issued'] = async (db, workspaceId, passwords) => {
    const { keepers, keyring } = this.#services
    const rows = keepers().flatMap(({ name: broker }) =>
      passwords.map(({ principalId, password }) => {
        const id = newUuid()
        const sealed = keyring.seal(Buffer.from(password), sealedFor(id))
        return { id, principal_id: principalId, broker, sealed }
      }),
    )
    if (rows.length === 0) return
    await store.insertPushes(db, workspaceId, rows)
    db.afterCommit(() => this.#drain.wake())
  }

  /** Tries again what is due, and gives up what is old. */
  async look(): Promise<void> {
    await store.forgetPushes(this.#services.db, KEEP_SECONDS)
    if (this.#services.keepers().length > 0) this.#drain.wake()
  }

  stop(): void {
    this.#drain.stop()
  }

  /** @returns whether there may be more. */
  async #work(): Promise<boolean> {
    const { db, keepers } = this.#services
    const names = keepers().map(({ name }) => name)
    const taken = await store.takePushes(db, names, LEASE_SECONDS, TOGETHER)
    await Promise.all(taken.map((push) => this.#push(push)))
    return taken.length === TOGETHER
  }

  async #push(push: store.PushRow): Promise<void> {
    const { db, keyring, keepers, isNewest, warn } = this.#services
    const { id, principal_id: principalId, broker, sealed } = push
    const password = keyring.open(sealed, sealedFor(id))?.toString()
    const keeper = keepers().find(({ name }) => name === broker)
    try {
      // A newer one may have been given meanwhile, and the old one must not come back.
      if (password !== undefined && (await isNewest(principalId, password))) {
        await keeper?.setPassword(principalId, password)
      }
      await store.deletePush(db, push)
    } catch (error) {
      warn(broker, error)
      await store.deferPush(db, push, AGAIN_SECONDS)
    }
  }
}
