/**
 * The changes that a database restored from a backup needs, because the rest of the world has gone
 * on since: numbers that were issued are not issued again, and sessions can be ended.
 */
import type { Transaction } from '../../../platform/database/connect.ts'
import { INSTALLATION, serviceOrigin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import * as store from './store.ts'

/** More than an installation can have made between two backups. */
const EVENTS = 1_000_000

/** The events since the backup; undefined if the service has not run since. */
export interface LostChanges {
  /** Numbers that are left out: of each template's serial numbers, and of invoices. */
  serials: number
  invoices: number
  /** The users whose sessions end, because some sessions may have been ended since the backup. */
  endSessions: 'none' | 'people' | 'all'
}

/** @param backupAt when the backup was begun, as an ISO time */
export async function adjustRestored(
  trx: Transaction,
  backupAt: string,
  lost: LostChanges | undefined,
): Promise<void> {
  if (lost !== undefined) {
    await store.skipEvents.run(trx, { count: EVENTS })
    await store.skipSerials.run(trx, { count: lost.serials })
    await store.skipInvoices.run(trx, { count: lost.invoices })
    if (lost.endSessions !== 'none') await store.endUserSessions.run(trx)
    if (lost.endSessions === 'all') await store.endPhoneSessions.run(trx)
  }
  const value = JSON.stringify({ backup_at: backupAt, restored_at: new Date().toISOString() })
  await store.noteRestore.run(trx, { value })
  await record(trx, serviceOrigin, {
    workspaceId: INSTALLATION,
    action: 'backup.restored',
    detail: { backup_at: backupAt, lost: lost ?? null },
  })
}
