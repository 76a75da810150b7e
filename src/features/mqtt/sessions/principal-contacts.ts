/**
 * Records when each principal last connected. Only the latest connection of each is kept, and
 * written in batches after the CONNECT.
 */
import { columnsOf } from '../../../platform/database/sql.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { writeBuffered } from '../../../platform/lib/write-buffered.ts'
import type { SessionSubscriber } from './session-events.ts'
import type { LiveSession } from './session-registry.ts'
import { type PrincipalContact, writePrincipalContacts } from './store.ts'

const BATCH = 1_000

export class PrincipalContacts implements SessionSubscriber {
  readonly #db: Db
  /** By the principal's UUID. */
  readonly #waiting = new Map<string, PrincipalContact>()

  constructor(db: Db) {
    this.#db = db
  }

  opened({ session, identity, workspaceId }: LiveSession): void {
    if (identity.kind !== 'principal') return
    const { incarnation, connectedAt: at } = session
    const known = this.#waiting.get(identity.id)
    if (known !== undefined && known.incarnation > incarnation) return
    this.#waiting.set(identity.id, { workspaceId, principalId: identity.id, incarnation, at })
  }

  admitted(live: LiveSession): void {
    this.opened(live)
  }

  /** Writes the buffered contacts; a failed write is repeated by the next flush. */
  async flush(): Promise<void> {
    await writeBuffered(this.#waiting, BATCH, (rows) =>
      writePrincipalContacts.run(this.#db, columnsOf(rows)),
    )
  }
}
