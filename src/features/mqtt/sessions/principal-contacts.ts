/**
 * When each principal was last connected, gathered beside the CONNECT and written in batches: of
 * each only the latest connection.
 */
import type { Session } from '../../../adapters/broker/port.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { type PrincipalContact, writeContacts } from './contacts-store.ts'

export class PrincipalContacts {
  readonly #db: Db
  /** By the principal's UUID. */
  #waiting = new Map<string, PrincipalContact>()

  constructor(db: Db) {
    this.#db = db
  }

  opened(
    { incarnation, connectedAt }: Session,
    principal: Pick<PrincipalContact, 'workspaceId' | 'principalId'>,
  ): void {
    this.#keep({ ...principal, incarnation, at: connectedAt })
  }

  /** Writes what has gathered; what could not be written is kept for the next time. */
  async flush(): Promise<void> {
    if (this.#waiting.size === 0) return
    const written = this.#waiting
    this.#waiting = new Map()
    try {
      await writeContacts(this.#db, [...written.values()])
    } catch (error) {
      for (const contact of written.values()) this.#keep(contact)
      throw error
    }
  }

  #keep(contact: PrincipalContact): void {
    const known = this.#waiting.get(contact.principalId)
    if (known !== undefined && known.incarnation > contact.incarnation) return
    this.#waiting.set(contact.principalId, contact)
  }
}
