/**
 * Removes values of custom fields that are being deleted, in batches that hold locks briefly. The
 * locked definition assigns the work to one process; each batch commits with its audit entries and
 * events.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { recordAll } from '../../../platform/record/record.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import * as store from './store.ts'

const BATCH = 500

/** @returns whether there is more to do */
async function purgeBatch(trx: Db): Promise<boolean> {
  const field = await store.lockNextPurge(trx)
  if (field === undefined) return false
  const { workspace_id: workspaceId, id, name, purged_by } = field
  const rows = await store.purgeValues(trx, workspaceId, name, BATCH)
  await recordAll(
    trx,
    purged_by ?? serviceOrigin,
    rows.map((row) => ({
      workspaceId,
      action: 'device.updated',
      resource: { kind: 'device', id: formatId('dev', row.id) },
      subjectId: row.id,
      data: { device_id: formatId('dev', row.id), changed: ['custom_fields'] },
      detail: { before: { custom_fields: { [name]: row.value } }, after: { custom_fields: {} } },
    })),
  )
  if (rows.length === 0) await store.deleteField(trx, workspaceId, id)
  return true
}

/** May run in several processes at once. */
export async function purgeCustomFields(db: Db): Promise<void> {
  while (await db.transaction(purgeBatch));
}
