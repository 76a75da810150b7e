/** Queries on custom field definitions and the devices that have values. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'
import type { Origin } from '../../../platform/record/event.ts'
import type { FieldType } from './schema.ts'

/** The mutable parts of a definition. */
export interface FieldRules {
  description: string
  options: string[] | null
  minimum: number | null
  maximum: number | null
  max_length: number | null
}

export interface FieldRow extends FieldRules {
  workspace_id: string
  id: string
  name: string
  type: FieldType
  /** Who requested the removal of its values; null while in use. */
  purged_by: Origin | null
  revision: number
  created_at: number
  updated_at: number
}

const columns = `workspace_id, id, name, type, description, options, minimum, maximum, max_length,
  purged_by, revision, created_at, updated_at`

const list = sql(
  'custom_fields.list',
  `SELECT ${columns} FROM custom_fields WHERE workspace_id = $workspaceId ORDER BY name`,
)
// Concurrent definitions of a field must see each other.
const lockWorkspace = sql(
  'custom_fields.lock_workspace',
  'SELECT 1 FROM workspaces WHERE id = $workspaceId FOR NO KEY UPDATE',
)
const insert = statement(
  'custom_fields.insert',
  `INSERT INTO custom_fields (workspace_id, id, name, type, description, options, minimum, maximum,
                              max_length)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   ON CONFLICT ON CONSTRAINT custom_fields_name DO NOTHING
   RETURNING ${columns}`,
)
const byId = sql(
  'custom_fields.by_id',
  `SELECT ${columns} FROM custom_fields WHERE workspace_id = $workspaceId AND id = $id`,
)
const lock = sql('custom_fields.lock', `${byId.source} FOR NO KEY UPDATE`)
// Waits for devices that are being given a value and blocks new ones.
const lockForDeletion = sql('custom_fields.lock_for_deletion', `${byId.source} FOR UPDATE`)
const update = statement(
  'custom_fields.update',
  `UPDATE custom_fields SET description = $3, options = $4, minimum = $5, maximum = $6,
          max_length = $7, revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
)
const mark = sql(
  'custom_fields.mark',
  `UPDATE custom_fields SET purged_by = $by, revision = revision + 1, updated_at = now()
   WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`,
)
const remove = sql(
  'custom_fields.delete',
  'DELETE FROM custom_fields WHERE workspace_id = $workspaceId AND id = $id',
)
// A definition cannot be deleted while a device is being given a value.
const inUse = sql(
  'custom_fields.in_use',
  `SELECT ${columns} FROM custom_fields
   WHERE workspace_id = $workspaceId AND name = ANY ($names::text[]) AND purged_by IS NULL
   ORDER BY name FOR KEY SHARE`,
)
// A device has one label per field: `c:`, the name, `=` and the value.
const holders = `SELECT l.device_id FROM device_labels l
  WHERE l.workspace_id = $workspaceId AND l.label >= 'c:' || $name || '='
    AND l.label < 'c:' || $name || '>'
  LIMIT $limit`
const countHolders = sql(
  'custom_fields.count_holders',
  `SELECT count(*) AS devices FROM (${holders}) AS found`,
)
const nextPurge = sql(
  'custom_fields.next_purge',
  `SELECT ${columns} FROM custom_fields WHERE purged_by IS NOT NULL
   ORDER BY workspace_id, id LIMIT 1 FOR UPDATE SKIP LOCKED`,
)
const purge = sql(
  'custom_fields.purge',
  `WITH holder AS (
     SELECT d.id, d.custom_fields FROM devices d
     WHERE d.workspace_id = $workspaceId AND d.id IN (${holders}) ORDER BY d.id FOR NO KEY UPDATE
   )
   UPDATE devices d SET custom_fields = d.custom_fields - $name, revision = d.revision + 1,
                        updated_at = now()
   FROM holder WHERE d.workspace_id = $workspaceId AND d.id = holder.id
   RETURNING d.id, holder.custom_fields -> $name AS value`,
)

export const listFields = (db: Db, workspaceId: string): Promise<FieldRow[]> =>
  list.rows(db, { workspaceId })

/** The same, blocking other definitions until the transaction ends. */
export async function lockFields(db: Db, workspaceId: string): Promise<FieldRow[]> {
  await lockWorkspace.rows(db, { workspaceId })
  return listFields(db, workspaceId)
}

const ruleValues = (rules: FieldRules): unknown[] => [
  rules.description,
  rules.options,
  rules.minimum,
  rules.maximum,
  rules.max_length,
]

/** @returns undefined if the name is taken */
export async function insertField(
  db: Db,
  key: { workspaceId: string; id: string; name: string; type: FieldType },
  rules: FieldRules,
): Promise<FieldRow | undefined> {
  const values = [key.workspaceId, key.id, key.name, key.type, ...ruleValues(rules)]
  return (await db.query<FieldRow>(insert, values))[0]
}

export async function findField(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<FieldRow | undefined> {
  return byId.first(db, { workspaceId, id })
}

export async function lockField(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<FieldRow | undefined> {
  return lock.first(db, { workspaceId, id })
}

export async function lockFieldForDeletion(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<FieldRow | undefined> {
  return lockForDeletion.first(db, { workspaceId, id })
}

export async function updateField(
  db: Db,
  workspaceId: string,
  id: string,
  rules: FieldRules,
): Promise<FieldRow> {
  const values = [workspaceId, id, ...ruleValues(rules)]
  return (await db.query<FieldRow>(update, values))[0] as FieldRow
}

/** From now on it accepts no values, and existing ones are removed. */
export async function markForPurge(
  db: Db,
  workspaceId: string,
  id: string,
  by: Origin,
): Promise<FieldRow> {
  return mark.one(db, { workspaceId, id, by: JSON.stringify(by) })
}

export async function deleteField(db: Db, workspaceId: string, id: string): Promise<void> {
  await remove.rows(db, { workspaceId, id })
}

/** Definitions of these names that accept values, locked until the transaction ends. */
export const holdFields = (
  db: Db,
  workspaceId: string,
  names: readonly string[],
): Promise<FieldRow[]> => inUse.rows(db, { workspaceId, names })

/** How many devices have a value of this name, counted up to `limit`. */
export async function countHoldersOf(
  db: Db,
  workspaceId: string,
  name: string,
  limit: number,
): Promise<number> {
  const rows = await countHolders.rows(db, { workspaceId, name, limit })
  return rows[0]?.devices ?? 0
}

/** A locked definition of any workspace whose values are to be removed. */
export async function lockNextPurge(db: Db): Promise<FieldRow | undefined> {
  return nextPurge.first(db)
}

/** Removes the value from some devices. @returns what they had */
export const purgeValues = (
  db: Db,
  workspaceId: string,
  name: string,
  limit: number,
): Promise<{ id: string; value: unknown }[]> => purge.rows(db, { workspaceId, name, limit })
