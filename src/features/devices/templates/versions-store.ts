/** Queries on versions of device templates, and on the devices that a change affects. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'
import { readStored } from '../../../platform/lib/stored-json.ts'
import { StoredTemplate } from './schema.ts'
import type { TemplateFields } from './store.ts'

export interface VersionRow {
  version: number
  changed: string[]
  actor_kind: string | null
  actor_id: string | null
  at: number
}

export type FullVersionRow = VersionRow & { fields: TemplateFields }

const insert = statement(
  'device_template_versions.insert',
  `INSERT INTO device_template_versions (workspace_id, template_id, version, fields, changed,
                                         actor_kind, actor_id, at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, coalesce($8::timestamptz, now()))
   ON CONFLICT DO NOTHING`,
)
const columns = 'version, changed, actor_kind, actor_id, at'
const list: FilteredTable<VersionRow> = {
  idOf: ({ version }) => String(version),
  columns,
  table: 'device_template_versions',
  partOf: 'template_id',
  order: { column: 'version', type: 'integer' },
  fields: {
    actor: { sql: 'actor_id' },
    changed: { sql: 'changed' },
    at: { sql: 'at' },
  },
}
const byVersion = statement(
  'device_template_versions.by_version',
  `SELECT ${columns}, fields FROM device_template_versions
   WHERE workspace_id = $1 AND template_id = $2 AND version = $3`,
)
const countDevices = statement(
  'device_template_versions.devices',
  `SELECT count(*) AS devices, count(*) FILTER (WHERE p.connected) AS connected
   FROM (SELECT workspace_id, id FROM devices
         WHERE workspace_id = $1 AND template_id = $2 LIMIT $3) AS d
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
  await db.query(insert, [
    version.workspaceId,
    version.templateId,
    version.version,
    JSON.stringify(version.fields),
    version.changed,
    version.actor?.kind ?? null,
    version.actor?.id ?? null,
    version.at ?? null,
  ])
}

/** Newest first. */
export const pageOfVersions = (
  db: Db,
  workspaceId: string,
  templateId: string,
  request: FilteredRequest,
) => filteredPage(db, list, workspaceId, request, templateId)

export async function findVersion(
  db: Db,
  workspaceId: string,
  templateId: string,
  version: number,
): Promise<FullVersionRow | undefined> {
  const [row] = await db.query<FullVersionRow>(byVersion, [workspaceId, templateId, version])
  return row && { ...row, fields: readStored(StoredTemplate, row.fields) }
}

export interface Concerned {
  devices: number
  connected: number
}

/** The number of devices of a template and how many are connected, counted up to `limit`. */
export async function countConcerned(
  db: Db,
  workspaceId: string,
  templateId: string,
  limit: number,
): Promise<Concerned> {
  const rows = await db.query<Concerned>(countDevices, [workspaceId, templateId, limit])
  return rows[0] ?? { devices: 0, connected: 0 }
}
