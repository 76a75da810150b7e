/** Queries on device templates. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
import type { StoredTemplate } from './schema.ts'

/** The mutable fields of a template. */
export type TemplateFields = StoredTemplate

const columns = `workspace_id, id, model_key, name, description, serial_format, capabilities,
  capability_definitions, default_config, mqtt_acl, rotation_overlap_s, firmware, created_at,
  updated_at, revision`

const insert = sql(
  'device_templates.insert',
  `INSERT INTO device_templates (workspace_id, id, model_key, name, description, serial_format,
                                 capabilities, capability_definitions, default_config, mqtt_acl,
                                 rotation_overlap_s, firmware)
   VALUES ($workspaceId, $id, $modelKey, $name, $description, $serialFormat, $capabilities,
           $capabilityDefinitions, $defaultConfig, $mqttAcl, $rotationOverlapS, $firmware?)
   ON CONFLICT (workspace_id, model_key) DO NOTHING
   RETURNING ${columns}`,
)
export type TemplateRow = RowOf<typeof byId>
export const pageOfTemplates = filteredList<TemplateRow>({
  columns,
  table: 'device_templates',
  fields: {
    model_key: { sql: 'model_key' },
    name: { sql: 'name' },
    created_at: { sql: 'created_at', isTimeOfId: true },
  },
})
const byId = sql(
  'device_templates.by_id',
  `SELECT ${columns} FROM device_templates WHERE workspace_id = $workspaceId AND id = $id`,
)
// Registrations hold a key share lock on their template; changing other columns must not wait for
// them.
const lock = sql('device_templates.lock', `${byId.source} FOR NO KEY UPDATE`)
const lockForDeletion = sql('device_templates.lock_for_deletion', `${byId.source} FOR UPDATE`)
// Keeps the template while this transaction lasts, like a device that references it.
const hold = sql('device_templates.hold', `${byId.source} FOR KEY SHARE`)
const move = sql(
  'device_templates.move_devices',
  `UPDATE devices SET template_id = $to, revision = revision + 1, updated_at = now()
   WHERE workspace_id = $workspaceId AND template_id = $from RETURNING id, device_key`,
)
const update = sql(
  'device_templates.update',
  `UPDATE device_templates
   SET name = $name, description = $description, serial_format = $serialFormat,
       capabilities = $capabilities, capability_definitions = $capabilityDefinitions,
       default_config = $defaultConfig, mqtt_acl = $mqttAcl,
       rotation_overlap_s = $rotationOverlapS, firmware = $firmware?, revision = revision + 1,
       updated_at = now()
   WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`,
)
const remove = sql(
  'device_templates.delete',
  'DELETE FROM device_templates WHERE workspace_id = $workspaceId AND id = $id',
)
const countAll = sql(
  'device_templates.count',
  'SELECT count(*) AS templates FROM device_templates WHERE workspace_id = $workspaceId',
)
const countUsers = sql(
  'device_templates.count_devices',
  `SELECT count(*) AS devices FROM (
     SELECT FROM devices WHERE workspace_id = $workspaceId AND template_id = $id
     LIMIT $limit) AS found`,
)

const written = (fields: TemplateFields) => ({
  name: fields.name,
  description: fields.description,
  serialFormat: fields.serial_format,
  capabilities: JSON.stringify(fields.capabilities),
  capabilityDefinitions: JSON.stringify(fields.capability_definitions),
  defaultConfig: JSON.stringify(fields.default_config),
  mqttAcl: JSON.stringify(fields.mqtt_acl),
  rotationOverlapS: fields.rotation_overlap_s,
  firmware: fields.firmware === null ? null : JSON.stringify(fields.firmware),
})

/** @returns undefined if the model key is taken */
export async function insertTemplate(
  db: Db,
  key: { workspaceId: string; id: string; modelKey: string },
  fields: TemplateFields,
): Promise<TemplateRow | undefined> {
  return insert.first(db, { ...key, ...written(fields) })
}

export async function findTemplate(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<TemplateRow | undefined> {
  return byId.first(db, { workspaceId, id })
}

export async function lockTemplate(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<TemplateRow | undefined> {
  return lock.first(db, { workspaceId, id })
}

/** Waits for registrations in progress with this template and blocks new ones. */
export async function lockTemplateForDeletion(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<TemplateRow | undefined> {
  return lockForDeletion.first(db, { workspaceId, id })
}

/** Keeps a template from being deleted; false if there is none. */
export async function holdTemplate(db: Db, workspaceId: string, id: string): Promise<boolean> {
  return hold.any(db, { workspaceId, id })
}

/** @returns the devices that changed from one template to the other */
export async function moveDevices(
  db: Db,
  workspaceId: string,
  from: string,
  to: string,
): Promise<{ id: string; device_key: string }[]> {
  return move.rows(db, { workspaceId, from, to })
}

export async function updateTemplate(
  db: Db,
  workspaceId: string,
  id: string,
  fields: TemplateFields,
): Promise<TemplateRow> {
  return update.one(db, { workspaceId, id, ...written(fields) })
}

export async function deleteTemplate(db: Db, workspaceId: string, id: string): Promise<void> {
  await remove.rows(db, { workspaceId, id })
}

export async function countTemplates(db: Db, workspaceId: string): Promise<number> {
  return (await countAll.first(db, { workspaceId }))?.templates ?? 0
}

/** The number of devices of this template, counted up to `limit`. */
export async function countDevicesOf(
  db: Db,
  workspaceId: string,
  id: string,
  limit: number,
): Promise<number> {
  const rows = await countUsers.rows(db, { workspaceId, id, limit })
  return rows[0]?.devices ?? 0
}
