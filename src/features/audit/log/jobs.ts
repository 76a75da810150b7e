/** Background tasks of audit logs and events; each runs in one process at a time. */
import type { Context } from '../../../context.ts'
import { deleteOldEvents } from '../../../platform/record/retention.ts'
import type { Task } from '../../../platform/jobs/job.ts'
import { type AnchorServices, anchorMovedHeads } from './audit-anchor.ts'
import { deleteOldAuditEntries } from './audit-log-retention.ts'

type Services = Pick<Context, 'db' | 'clock' | 'keyring'> & AnchorServices

interface AuditSettings {
  /** 0: only on demand. */
  auditAnchorIntervalS: number
  /** 0: keep forever. */
  auditRetentionDays: number
  /** 0: keep forever. */
  eventsRetentionDays: number
  onError: (error: unknown) => void
}

const PRUNE_MS = 3_600_000

export function createAuditTasks(services: Services, settings: AuditSettings): Task[] {
  const { auditAnchorIntervalS, auditRetentionDays, eventsRetentionDays, onError } = settings
  return [
    {
      name: 'audit.anchor',
      everyMs: auditAnchorIntervalS === 0 ? undefined : auditAnchorIntervalS * 1_000,
      run: (_payload, signal) => anchorMovedHeads(services, signal),
    },
    {
      name: 'audit.prune',
      everyMs: PRUNE_MS,
      async run(_payload, signal) {
        await deleteOldAuditEntries({ ...services, onError }, auditRetentionDays, signal)
        await deleteOldEvents(services, eventsRetentionDays, signal)
      },
    },
  ]
}
