/** Queries on device notes. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

const columns = `n.workspace_id, n.id, n.device_id, n.text, n.author_kind, n.author_id,
  n.created_at, n.updated_at, n.revision`

// Serializes additions to a device's notes, so that they can be counted.
export const lockDeviceForNotes = sql('device_notes.lock_device')`
  SELECT 1 FROM devices WHERE workspace_id = $workspaceId AND id = $id FOR NO KEY UPDATE`
export const deviceExists = sql('device_notes.device')`
  SELECT 1 FROM devices WHERE workspace_id = $workspaceId AND id = $id`
export const countNotes = sql('device_notes.count')`
  SELECT count(*) AS notes FROM device_notes WHERE workspace_id = $workspaceId
    AND device_id = $deviceId`
export const insertNote = sql('device_notes.insert')`
  INSERT INTO device_notes AS n (workspace_id, id, device_id, text, author_kind, author_id)
  VALUES ($workspaceId, $id, $deviceId, $text, $authorKind, $authorId) RETURNING ${columns}`
export type NoteRow = RowOf<typeof insertNote>
export const pageOfNotes = filteredList('device_notes.filtered', {
  columns: `workspace_id, id, device_id, text, author_kind, author_id, created_at, updated_at,
    revision`,
  table: 'device_notes',
  partOf: 'device_id',
  fields: {
    author: { sql: 'author_id' },
    created_at: { sql: 'created_at', isTimeOfId: true },
    updated_at: { sql: 'updated_at' },
  },
})
export const lockNote = sql('device_notes.lock')`
  SELECT ${columns} FROM device_notes n
  WHERE n.workspace_id = $workspaceId AND n.device_id = $deviceId AND n.id = $id FOR UPDATE`
export const updateNote = sql('device_notes.update')`
  UPDATE device_notes n SET text = $text, revision = revision + 1, updated_at = now()
  WHERE n.workspace_id = $workspaceId AND n.id = $id RETURNING ${columns}`
export const deleteNote = sql('device_notes.delete')`
  DELETE FROM device_notes WHERE workspace_id = $workspaceId AND id = $id`
