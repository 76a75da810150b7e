/** Background tasks of audit logs and events; each runs in one process at a time. */
import type { Context } from '../../../context.ts'
import { deleteOldEvents } from '../../../platform/record/retention.ts'
import type { Periodic, Task } from '../../../platform/jobs/job.ts'
import { type AnchorServices, anchorMovedHeads } from './audit-anchor.ts'
import { deleteOldAuditEntries } from './audit-log-retention.ts'

type Services = Pick<Context, 'db' | 'clock' | 'keyring'> & AnchorServices

export interface AuditSettings {
  /** 0: only on demand. */
  anchorIntervalS: number
  /** 0: keep forever. */
  auditRetentionDays: number
  /** 0: keep forever. */
  eventsRetentionDays: number
  onError: (error: unknown) => void
}

const ANCHOR = 'audit.anchor'
const PRUNE = 'audit.prune'
const PRUNE_MS = 3_600_000

export function createAuditTasks(services: Services, settings: AuditSettings): Task[] {
  const { auditRetentionDays, eventsRetentionDays, onError } = settings
  return [
    { name: ANCHOR, run: (_payload, signal) => anchorMovedHeads(services, signal) },
    {
      name: PRUNE,
      async run(_payload, signal) {
        await deleteOldAuditEntries({ ...services, onError }, auditRetentionDays, signal)
        await deleteOldEvents(services, eventsRetentionDays, signal)
      },
    },
  ]
}

export const auditRepetitions = ({ anchorIntervalS }: AuditSettings): Periodic[] => [
  { task: PRUNE, everyMs: PRUNE_MS },
  ...(anchorIntervalS === 0 ? [] : [{ task: ANCHOR, everyMs: anchorIntervalS * 1_000 }]),
]
