/**
 * Removes the values of custom fields that are being deleted, in batches that hold no lock for
 * long. Whoever has a definition locked works on it, so several processes never do the same; a
 * batch is done as a whole with its audit entries and events, or not at all.
 */
import type { Db } from '../../database/connect.ts'
import { recordAll } from '../../events/record.ts'
import { serviceOrigin } from '../../events/event.ts'
import { formatId } from '../../lib/ids.ts'
import * as store from './store.ts'

const BATCH = 500

/** @returns whether there is more to do. */
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

/** Safe to run in several processes at once. */
export async function purgeCustomFields(db: Db): Promise<void> {
  while (await db.transaction(purgeBatch));
}
