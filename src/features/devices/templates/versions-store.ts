/** Queries on versions of device templates, and on the devices that a change affects. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
import { readStored } from '../../../platform/lib/stored-json.ts'
import { StoredTemplate } from './schema.ts'
import type { TemplateFields } from './store.ts'

const insert = sql(
  'device_template_versions.insert',
  `INSERT INTO device_template_versions (workspace_id, template_id, version, fields, changed,
                                         actor_kind, actor_id, at)
   VALUES ($workspaceId, $templateId, $version, $fields, $changed, $kind?, $id?,
     coalesce($at?::timestamptz, now()))
   ON CONFLICT DO NOTHING`,
)
const columns = 'version, changed, actor_kind, actor_id, at'
/** Newest first. */
export const pageOfVersions = filteredList<VersionRow>({
  columns,
  table: 'device_template_versions',
  partOf: 'template_id',
  order: { column: 'version', type: 'integer' },
  fields: {
    actor: { sql: 'actor_id' },
    changed: { sql: 'changed' },
    at: { sql: 'at' },
  },
})
const byVersion = sql(
  'device_template_versions.by_version',
  `SELECT ${columns}, fields FROM device_template_versions
   WHERE workspace_id = $workspaceId AND template_id = $templateId AND version = $version`,
)
export type FullVersionRow = RowOf<typeof byVersion>
export type VersionRow = Omit<FullVersionRow, 'fields'>
const countDevices = sql(
  'device_template_versions.devices',
  `SELECT count(*) AS devices, count(*) FILTER (WHERE p.connected) AS connected
   FROM (SELECT workspace_id, id FROM devices
         WHERE workspace_id = $workspaceId AND template_id = $templateId LIMIT $limit) AS d
   LEFT JOIN device_presence p ON p.workspace_id = d.workspace_id AND p.device_id = d.id`,
)

export interface NewVersion {
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
export async function insertVersion(db: Db, version: NewVersion): Promise<void> {
  await insert.rows(db, {
    workspaceId: version.workspaceId,
    templateId: version.templateId,
    version: version.version,
    fields: JSON.stringify(version.fields),
    changed: version.changed,
    kind: version.actor?.kind ?? null,
    id: version.actor?.id ?? null,
    at: version.at ?? null,
  })
}

export async function findVersion(
  db: Db,
  workspaceId: string,
  templateId: string,
  version: number,
): Promise<FullVersionRow | undefined> {
  const row = await byVersion.first(db, { workspaceId, templateId, version })
  return row && { ...row, fields: readStored(StoredTemplate, row.fields) }
}

export type Concerned = RowOf<typeof countDevices>

/** The number of devices of a template and how many are connected, counted up to `limit`. */
export async function countConcerned(
  db: Db,
  workspaceId: string,
  templateId: string,
  limit: number,
): Promise<Concerned> {
  const rows = await countDevices.rows(db, { workspaceId, templateId, limit })
  return rows[0] ?? { devices: 0, connected: 0 }
}
