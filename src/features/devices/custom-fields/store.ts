/** Queries on custom field definitions and the devices that have values. */
import { type RowOf, sql, stored } from '../../../platform/database/sql.ts'
import { StoredOrigin } from '../../common/row-key.ts'

const columns = `workspace_id, id, name, type, description, options, minimum, maximum, max_length,
  ${stored('purged_by', StoredOrigin)}, revision, created_at, updated_at`

export const listFields = sql('custom_fields.list')`
  SELECT ${columns} FROM custom_fields WHERE workspace_id = $workspaceId ORDER BY name`
export type FieldRow = RowOf<typeof listFields>
/** The mutable parts of a definition. */
export type FieldRules = Pick<
  FieldRow,
  'description' | 'options' | 'minimum' | 'maximum' | 'max_length'
>
/** @returns undefined if the name is taken */
export const insertField = sql('custom_fields.insert')`
  INSERT INTO custom_fields (workspace_id, id, name, type, description, options, minimum, maximum,
                             max_length)
  VALUES ($workspaceId, $id, $name, $type, $description, $options?, $minimum?, $maximum?,
    $max_length?)
  ON CONFLICT ON CONSTRAINT custom_fields_name DO NOTHING
  RETURNING ${columns}`
export const findField = sql('custom_fields.by_id')`
  SELECT ${columns} FROM custom_fields WHERE workspace_id = $workspaceId AND id = $id`
export const lockField = sql('custom_fields.lock')`${findField.source} FOR NO KEY UPDATE`
// Waits for devices that are being given a value and blocks new ones.
export const lockFieldForDeletion = sql('custom_fields.lock_for_deletion')`
  ${findField.source} FOR UPDATE`
export const updateField = sql('custom_fields.update')`
  UPDATE custom_fields
  SET description = $description, options = $options?, minimum = $minimum?, maximum = $maximum?,
       max_length = $max_length?, revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
/** From now on it accepts no values, and existing ones are removed. */
export const markForPurge = sql('custom_fields.mark')`
  UPDATE custom_fields SET purged_by = $by, revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
export const deleteField = sql('custom_fields.delete')`
  DELETE FROM custom_fields WHERE workspace_id = $workspaceId AND id = $id`
// A definition cannot be deleted while a device is being given a value.
/** Definitions of these names that accept values, locked until the transaction ends. */
export const holdFields = sql('custom_fields.in_use')`
  SELECT ${columns} FROM custom_fields
  WHERE workspace_id = $workspaceId AND name = ANY ($names::text[]) AND purged_by IS NULL
  ORDER BY name FOR KEY SHARE`
// A device has one label per field: `c:`, the name, `=` and the value.
const withField = `SELECT l.device_id FROM device_labels l
  WHERE l.workspace_id = $workspaceId AND l.label >= 'c:' || $name || '='
    AND l.label < 'c:' || $name || '>'
  LIMIT $limit`
/** How many devices have a value of this name, counted up to `$limit`. */
export const countWithValue = sql('custom_fields.count_devices')`
  SELECT count(*) AS devices FROM (${withField}) AS found`
/** A locked definition of any workspace whose values are to be removed. */
export const lockNextPurge = sql('custom_fields.next_purge')`
  SELECT ${columns} FROM custom_fields WHERE purged_by IS NOT NULL
  ORDER BY workspace_id, id LIMIT 1 FOR UPDATE SKIP LOCKED`
/** Removes the value from some devices. @returns what they had */
export const purgeValues = sql('custom_fields.purge')`
  WITH holder AS (
    SELECT d.id, d.custom_fields FROM devices d
    WHERE d.workspace_id = $workspaceId AND d.id IN (${withField}) ORDER BY d.id FOR NO KEY UPDATE
  )
  UPDATE devices d SET custom_fields = d.custom_fields - $name, revision = d.revision + 1,
                       updated_at = now()
  FROM holder WHERE d.workspace_id = $workspaceId AND d.id = holder.id
  RETURNING d.id, holder.custom_fields -> $name AS value`
