/** Whose sessions a receipt concerns if it does not name a single principal. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'
import { formatId } from '../../../platform/lib/ids.ts'

// Devices that have left the template since were handled when they left.
/** Which of the devices have a template. */
export const devicesOfTemplate = sql(
  'mqtt_receipts.of_template',
  `SELECT d.id, w.slug, d.device_key FROM devices d
   JOIN workspaces w ON w.id = d.workspace_id
   WHERE d.workspace_id = $workspaceId AND d.template_id = $templateId
     AND d.id = ANY ($ids::uuid[])`,
)
// The receipt and the devices' results were written by one transaction.
const ofJob = sql(
  'mqtt_receipts.devices_of_job',
  `SELECT i.device_id AS id FROM mqtt_receipts r
   JOIN job_items i ON i.workspace_id = r.workspace_id AND i.ended_at = r.requested_at
   WHERE r.workspace_id = $workspaceId AND r.id = $id AND i.job_id = $jobId
     AND i.status = 'succeeded'`,
)
const holders = sql(
  'mqtt_receipts.phones_of_devices',
  `SELECT l.id FROM claims c
   JOIN moid_mqtt_logins l ON l.moid_id = c.moid_id AND l.workspace_id = c.workspace_id
   WHERE c.workspace_id = $workspaceId AND c.device_id = ANY ($deviceIds::uuid[])
     AND c.status = 'bound'
     AND l.expires_at > now()`,
)

interface ReceiptRef {
  workspace_id: string
  id: string
}

/** UUIDs of the devices that a job changed together with the receipt. */
export async function devicesOfJob(
  db: Db,
  { workspace_id, id }: ReceiptRef,
  jobId: string,
): Promise<string[]> {
  const rows = await ofJob.rows(db, { workspaceId: workspace_id, id, jobId })
  return rows.map((row) => row.id)
}

/** Live logins of phones bound to the devices; public ids. */
export async function phonesOfDevices(
  db: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<string[]> {
  const rows = await holders.rows(db, { workspaceId, deviceIds })
  return rows.map(({ id }) => formatId('mqm', id))
}
