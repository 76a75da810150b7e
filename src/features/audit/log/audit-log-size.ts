/** The last measured size of the audit log, for metrics. */
import type { Db } from '../../../platform/database/connect.ts'
import { type AuditLogExtent, readExtent } from './store.ts'

export interface AuditLogSize {
  measure(): Promise<void>
  last(): AuditLogExtent
}

export function createAuditLogSize(db: Db): AuditLogSize {
  let last: AuditLogExtent = { entries: 0, bytes: 0 }
  return {
    last: () => last,
    async measure() {
      last = await readExtent.one(db)
    },
  }
}
