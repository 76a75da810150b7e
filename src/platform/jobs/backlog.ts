/** The last count of queued tasks, for metrics. */
import type { Db } from '../database/connect.ts'
import { type QueueBacklog, readBacklog } from './store.ts'

export interface Backlog {
  measure(): Promise<void>
  last(): QueueBacklog
}

export function createBacklog(db: Db): Backlog {
  let last: QueueBacklog = { running: 0, late: 0, failed: 0 }
  return {
    last: () => last,
    async measure() {
      last = await readBacklog.one(db)
    },
  }
}
