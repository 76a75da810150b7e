/** Queries on device templates. */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'
import type { CapabilityDefinition, Firmware } from './schema.ts'

/** The mutable fields of a template. */
export interface TemplateFields {
  name: string
  description: string
  serial_format: string
  capabilities: string[]
  capability_definitions: CapabilityDefinition[]
  default_config: Record<string, unknown>
  mqtt_acl: TopicRule[]
  rotation_overlap_s: number
  firmware: Firmware | null
}

export interface TemplateRow extends TemplateFields {
  workspace_id: string
  id: string
  model_key: string
  created_at: number
  updated_at: number
  revision: number
}

const columns = `workspace_id, id, model_key, name, description, serial_format, capabilities,
  capability_definitions, default_config, mqtt_acl, rotation_overlap_s, firmware, created_at,
  updated_at, revision`

const insert = statement(
  'device_templates.insert',
  `INSERT INTO device_templates (workspace_id, id, model_key, name, description, serial_format,
                                 capabilities, capability_definitions, default_config, mqtt_acl,
                                 rotation_overlap_s, firmware)
   VALUES ($1, $2, $12, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   ON CONFLICT (workspace_id, model_key) DO NOTHING
   RETURNING ${columns}`,
)
const list: FilteredTable<TemplateRow> = {
  idOf: ({ id }) => id,
  columns,
  table: 'device_templates',
  fields: {
    model_key: { sql: 'model_key' },
    name: { sql: 'name' },
    created_at: { sql: 'created_at', isTimeOfId: true },
  },
}
const byId = statement(
  'device_templates.by_id',
  `SELECT ${columns} FROM device_templates WHERE workspace_id = $1 AND id = $2`,
)
// Registrations hold a key share lock on their template; changing other columns must not wait for
// them.
const lock = statement('device_templates.lock', `${byId.text} FOR NO KEY UPDATE`)
const lockForDeletion = statement('device_templates.lock_for_deletion', `${byId.text} FOR UPDATE`)
// Keeps the template while this transaction lasts, like a device that references it.
const hold = statement('device_templates.hold', `${byId.text} FOR KEY SHARE`)
const move = statement(
  'device_templates.move_devices',
  `UPDATE devices SET template_id = $3, revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND template_id = $2 RETURNING id, device_key`,
)
const update = statement(
  'device_templates.update',
  `UPDATE device_templates
   SET name = $3, description = $4, serial_format = $5, capabilities = $6,
       capability_definitions = $7, default_config = $8, mqtt_acl = $9, rotation_overlap_s = $10,
       firmware = $11, revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
)
const remove = statement(
  'device_templates.delete',
  'DELETE FROM device_templates WHERE workspace_id = $1 AND id = $2',
)
const countAll = statement(
  'device_templates.count',
  'SELECT count(*) AS templates FROM device_templates WHERE workspace_id = $1',
)
const countUsers = statement(
  'device_templates.count_devices',
  `SELECT count(*) AS devices FROM (
     SELECT FROM devices WHERE workspace_id = $1 AND template_id = $2 LIMIT $3) AS found`,
)

const fieldValues = (fields: TemplateFields): unknown[] => [
  fields.name,
  fields.description,
  fields.serial_format,
  JSON.stringify(fields.capabilities),
  JSON.stringify(fields.capability_definitions),
  JSON.stringify(fields.default_config),
  JSON.stringify(fields.mqtt_acl),
  fields.rotation_overlap_s,
  fields.firmware === null ? null : JSON.stringify(fields.firmware),
]

/** @returns undefined if the model key is taken */
export async function insertTemplate(
  db: Db,
  key: { workspaceId: string; id: string; modelKey: string },
  fields: TemplateFields,
): Promise<TemplateRow | undefined> {
  const values = [key.workspaceId, key.id, ...fieldValues(fields), key.modelKey]
  return (await db.query<TemplateRow>(insert, values))[0]
}

export const pageOfTemplates = (db: Db, workspaceId: string, request: FilteredRequest) =>
  filteredPage(db, list, workspaceId, request)

export async function findTemplate(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<TemplateRow | undefined> {
  return (await db.query<TemplateRow>(byId, [workspaceId, id]))[0]
}

export async function lockTemplate(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<TemplateRow | undefined> {
  return (await db.query<TemplateRow>(lock, [workspaceId, id]))[0]
}

/** Waits for registrations in progress with this template and blocks new ones. */
export async function lockTemplateForDeletion(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<TemplateRow | undefined> {
  return (await db.query<TemplateRow>(lockForDeletion, [workspaceId, id]))[0]
}

/** Keeps a template from being deleted; false if there is none. */
export async function holdTemplate(db: Db, workspaceId: string, id: string): Promise<boolean> {
  return (await db.query(hold, [workspaceId, id])).length > 0
}

/** @returns the devices that changed from one template to the other */
export async function moveDevices(
  db: Db,
  workspaceId: string,
  from: string,
  to: string,
): Promise<{ id: string; device_key: string }[]> {
  return db.query(move, [workspaceId, from, to])
}

export async function updateTemplate(
  db: Db,
  workspaceId: string,
  id: string,
  fields: TemplateFields,
): Promise<TemplateRow> {
  const [row] = await db.query<TemplateRow>(update, [workspaceId, id, ...fieldValues(fields)])
  return row as TemplateRow
}

export async function deleteTemplate(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(remove, [workspaceId, id])
}

export async function countTemplates(db: Db, workspaceId: string): Promise<number> {
  return (await db.query<{ templates: number }>(countAll, [workspaceId]))[0]?.templates ?? 0
}

/** The number of devices of this template, counted up to `limit`. */
export async function countDevicesOf(
  db: Db,
  workspaceId: string,
  id: string,
  limit: number,
): Promise<number> {
  const rows = await db.query<{ devices: number }>(countUsers, [workspaceId, id, limit])
  return rows[0]?.devices ?? 0
}
