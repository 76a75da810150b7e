/**
 * Records when each principal last connected. Only the latest connection of each is kept, and
 * written in batches after the CONNECT.
 */
import type { Db } from '../../../platform/database/connect.ts'
import type { SessionSubscriber } from './session-events.ts'
import type { LiveSession } from './session-registry.ts'
import { type PrincipalContact, writePrincipalContacts } from './store.ts'

export class PrincipalContacts implements SessionSubscriber {
  readonly #db: Db
  /** By the principal's UUID. */
  #waiting = new Map<string, PrincipalContact>()

  constructor(db: Db) {
    this.#db = db
  }

  opened({ session, identity, workspaceId }: LiveSession): void {
    if (identity.kind !== 'principal') return
    const { incarnation, connectedAt: at } = session
    this.#keep({ workspaceId, principalId: identity.id, incarnation, at })
  }

  /** Writes the buffered contacts; a failed write is repeated by the next flush. */
  async flush(): Promise<void> {
    if (this.#waiting.size === 0) return
    const written = this.#waiting
    this.#waiting = new Map()
    try {
      await writePrincipalContacts(this.#db, [...written.values()])
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
