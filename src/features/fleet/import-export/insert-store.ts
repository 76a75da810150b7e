/** Inserts the new devices of a chunk in one statement, with columns as arrays. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import type { Origin } from '../../../platform/record/event.ts'
import type { Hashes, KnownDevice, Records } from './import-store.ts'

// Writes labels for all rows at once, and disables the trigger for single devices by a setting that
// ends with the transaction.
const insert = statement(
  'device_transfers.insert',
  `WITH labelling AS MATERIALIZED (
     SELECT set_config('mooring.labels', 'written', true) AS state
   ), input AS (
     SELECT * FROM unnest($6::uuid[], $7::text[], $8::text[], $9::uuid[], $10::text[], $11::jsonb[],
                          $12::jsonb[], $13::jsonb[], $14::text[], $15::text[], $16::uuid[],
                          $17::uuid[], $18::text[], $19::jsonb[])
       AS t (id, device_key, name, template_id, hardware_id, tags, custom_fields, config,
             mqtt_hash, http_hash, audit_id, event_id, resource_id, data)
   ), device AS (
     INSERT INTO devices (workspace_id, id, device_key, name, template_id, hardware_id, tags,
                          custom_fields, config)
     SELECT $1, id, device_key, name, template_id, hardware_id, tags, custom_fields, config
     FROM labelling, input WHERE labelling.state = 'written' ORDER BY device_key
     ON CONFLICT DO NOTHING RETURNING id
   ), done AS (
     SELECT input.* FROM input JOIN device USING (id)
   ), labels AS (
     INSERT INTO device_labels (workspace_id, label, device_id)
     SELECT $1, l.label, done.id
     FROM done, device_label_texts(done.device_key, done.name, done.tags, done.custom_fields)
       AS l (label)
     ON CONFLICT DO NOTHING
   ), secrets AS (
     INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash)
     SELECT $1, id, kind, 1, decode(hash, 'base64')
     FROM done, LATERAL (VALUES ('mqtt', mqtt_hash), ('http', http_hash)) AS s (kind, hash)
     WHERE hash IS NOT NULL
   ), entry AS (
     INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                            resource_id, request_id, address, detail)
     SELECT $1, audit_id, $2, $3, 'device.registered', 'device', resource_id, $4, $5, data
     FROM done
   ), event AS (
     INSERT INTO events (workspace_id, id, type, subject_id, data)
     SELECT $1, event_id, 'device.registered', id, data FROM done
   )
   SELECT id FROM device`,
)

export type NewDevice = Omit<KnownDevice, 'status'> & Records & Hashes

/** @returns ids of the new devices; the others' key or hardware id is taken */
export async function insertDevices(
  db: Db,
  workspaceId: string,
  { actor, requestId, address }: Origin,
  devices: readonly NewDevice[],
): Promise<Set<string>> {
  if (devices.length === 0) return new Set()
  const rows = await db.query<{ id: string }>(insert, [
    workspaceId,
    actor.kind,
    actor.id,
    requestId,
    address,
    devices.map((row) => row.id),
    devices.map((row) => row.device_key),
    devices.map((row) => row.name),
    devices.map((row) => row.template_id),
    devices.map((row) => row.hardware_id),
    devices.map((row) => JSON.stringify(row.tags)),
    devices.map((row) => JSON.stringify(row.custom_fields)),
    devices.map((row) => JSON.stringify(row.config)),
    devices.map((row) => row.mqtt_hash),
    devices.map((row) => row.http_hash),
    devices.map((row) => row.audit_id),
    devices.map((row) => row.event_id),
    devices.map((row) => row.resource_id),
    devices.map((row) => JSON.stringify(row.data)),
  ])
  return new Set(rows.map(({ id }) => id))
}
