/** Queries on device templates. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql, stored, unnested } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
import { Firmware } from '../../common/firmware-shape.ts'
import { TemplateRules } from '../../common/topic-rule.ts'
import { Capabilities, CapabilityDefinitions, StoredTemplate } from './schema.ts'

/** The mutable fields of a template. */
export type TemplateFields = StoredTemplate

const columns = `workspace_id, id, model_key, name, description, serial_format,
  ${stored('capabilities', Capabilities)},
  ${stored('capability_definitions', CapabilityDefinitions)}, default_config,
  ${stored('mqtt_acl', TemplateRules)}, rotation_overlap_s, ${stored('firmware', Firmware)},
  created_at, updated_at, revision`

/** @returns nothing if the model key is taken */
export const insertTemplate = sql('device_templates.insert')`
  INSERT INTO device_templates (workspace_id, id, model_key, name, description, serial_format,
                                capabilities, capability_definitions, default_config, mqtt_acl,
                                rotation_overlap_s, firmware)
  VALUES ($workspaceId, $id, $modelKey, $name, $description, $serialFormat, $capabilities,
          $capabilityDefinitions, $defaultConfig, $mqttAcl, $rotationOverlapS, $firmware?)
  ON CONFLICT (workspace_id, model_key) DO NOTHING
  RETURNING ${columns}`
export type TemplateRow = RowOf<typeof findTemplate>
export const pageOfTemplates = filteredList('device_templates.filtered', {
  columns,
  table: 'device_templates',
  fields: {
    model_key: { sql: 'model_key' },
    name: { sql: 'name' },
    created_at: { sql: 'created_at', isTimeOfId: true },
  },
})
export const findTemplate = sql('device_templates.by_id')`
  SELECT ${columns} FROM device_templates WHERE workspace_id = $workspaceId AND id = $id`
// Registrations hold a key share lock on their template; changing other columns must not wait for
// them.
export const lockTemplate = sql('device_templates.lock')`${findTemplate.source} FOR NO KEY UPDATE`
/** Waits for registrations in progress with this template and blocks new ones. */
export const lockTemplateForDeletion = sql('device_templates.lock_for_deletion')`
  ${findTemplate.source} FOR UPDATE`
// Keeps the template while this transaction lasts, like a device that references it.
/** Keeps a template from being deleted; false if there is none. */
export const holdTemplate = sql('device_templates.hold')`${findTemplate.source} FOR KEY SHARE`
/** @returns the devices that changed from one template to the other */
export const moveDevices = sql('device_templates.move_devices')`
  UPDATE devices SET template_id = $to, revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND template_id = $from RETURNING id, device_key`
export const updateTemplate = sql('device_templates.update')`
  UPDATE device_templates
  SET name = $name, description = $description, serial_format = $serialFormat,
      capabilities = $capabilities, capability_definitions = $capabilityDefinitions,
      default_config = $defaultConfig, mqtt_acl = $mqttAcl,
      rotation_overlap_s = $rotationOverlapS, firmware = $firmware?, revision = revision + 1,
      updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
export const deleteTemplate = sql('device_templates.delete')`
  DELETE FROM device_templates WHERE workspace_id = $workspaceId AND id = $id`
export const countTemplates = sql('device_templates.count')`
  SELECT count(*) AS templates FROM device_templates WHERE workspace_id = $workspaceId`
/** The number of devices of this template, counted up to `$limit`. */
export const countDevicesOf = sql('device_templates.count_devices')`
  SELECT count(*) AS devices FROM (
    SELECT FROM devices WHERE workspace_id = $workspaceId AND template_id = $id
    LIMIT $limit) AS found`

/** The columns of a template's fields. */
export const written = (fields: TemplateFields) => ({
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

// Queries on the sequence numbers of device templates.

/**
 * Takes exclusive numbers: stored unused ones, however many, else `$count` new ones. Throws a
 * foreign key violation if there is no such template.
 */
export const takeSerials = sql('device_templates.take_serials')`
  WITH kept AS (
    DELETE FROM unused_serials
    WHERE workspace_id = $workspaceId AND template_id = $templateId AND first = (
      SELECT first FROM unused_serials WHERE workspace_id = $workspaceId
      AND template_id = $templateId
      ORDER BY first LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING first, last
  ), fresh AS (
    INSERT INTO template_serials AS s (workspace_id, template_id, next)
    SELECT $workspaceId, $templateId, 1 + $count::bigint WHERE NOT EXISTS (SELECT FROM kept)
    ON CONFLICT (workspace_id, template_id) DO UPDATE SET next = s.next + $count
    RETURNING next - $count AS first!, next - 1 AS last!
  )
  SELECT first, last FROM kept UNION ALL SELECT first, last FROM fresh`
/** Stores unused numbers; numbers of deleted templates are dropped. */
export const keepUnusedSerials = sql('device_templates.keep_unused_serials')`
  INSERT INTO unused_serials (workspace_id, template_id, first, last)
  SELECT t.workspace_id, t.id, u.first, u.last
  FROM ${unnested('u', 'workspaceId uuid, templateId uuid, first bigint, last bigint')}
  JOIN device_templates t ON t.workspace_id = u.workspace_id AND t.id = u.template_id
  FOR KEY SHARE OF t`

/** An inclusive range of sequence numbers. */
export type SerialRange = RowOf<typeof takeSerials>

export interface UnusedSerials extends SerialRange {
  workspaceId: string
  templateId: string
}

// Queries on versions of device templates, and on the devices that a change affects.

const versionsInsert = sql('device_template_versions.insert')`
  INSERT INTO device_template_versions (workspace_id, template_id, version, fields, changed,
                                        actor_kind, actor_id, at)
  VALUES ($workspaceId, $templateId, $version, $fields, $changed, $kind?, $id?,
    coalesce($at?::timestamptz, now()))
  ON CONFLICT DO NOTHING`
const versionsColumns = 'version, changed, actor_kind, actor_id, at'
/** Newest first. */
export const pageOfVersions = filteredList('device_template_versions.filtered', {
  columns: versionsColumns,
  table: 'device_template_versions',
  partOf: 'template_id',
  order: { column: 'version', type: 'integer' },
  fields: { actor: { sql: 'actor_id' }, changed: { sql: 'changed' }, at: { sql: 'at' } },
})
export const findVersion = sql('device_template_versions.by_version')`
  SELECT ${versionsColumns}, ${stored('fields', StoredTemplate)} FROM device_template_versions
  WHERE workspace_id = $workspaceId AND template_id = $templateId AND version = $version`
export type VersionRow = Omit<RowOf<typeof findVersion>, 'fields'>
/** The devices of a template and how many are connected, counted up to `$limit`. */
export const countConcerned = sql('device_template_versions.devices')`
  SELECT count(*) AS devices, count(*) FILTER (WHERE p.connected) AS connected
  FROM (SELECT workspace_id, id FROM devices
        WHERE workspace_id = $workspaceId AND template_id = $templateId LIMIT $limit) AS d
  LEFT JOIN device_presence p ON p.workspace_id = $workspaceId AND p.device_id = d.id`

interface NewVersion {
  workspaceId: string
  templateId: string
  version: number
  fields: TemplateFields
  changed: readonly string[]
  actor: { kind: string; id: string | null } | null
  /** RFC 3339; now by default. */
  at?: string
}

/** An existing version is left as it is. */
export async function insertVersion(
  db: Db,
  { fields, actor, at, ...version }: NewVersion,
): Promise<void> {
  await versionsInsert.run(db, {
    ...version,
    fields: JSON.stringify(fields),
    kind: actor?.kind ?? null,
    id: actor?.id ?? null,
    at: at ?? null,
  })
}
