/** Queries on device notes. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'

export interface NoteRow {
  workspace_id: string
  id: string
  device_id: string
  text: string
  author_kind: 'user' | 'platform-key'
  /** Public id. */
  author_id: string
  created_at: number
  updated_at: number
  revision: number
}

const columns = `n.workspace_id, n.id, n.device_id, n.text, n.author_kind, n.author_id,
  n.created_at, n.updated_at, n.revision`

// Serializes additions to a device's notes, so that they can be counted.
const lockDevice = statement(
  'device_notes.lock_device',
  'SELECT 1 FROM devices WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE',
)
const exists = statement(
  'device_notes.device',
  'SELECT 1 FROM devices WHERE workspace_id = $1 AND id = $2',
)
const count = statement(
  'device_notes.count',
  'SELECT count(*) AS notes FROM device_notes WHERE workspace_id = $1 AND device_id = $2',
)
const insert = statement(
  'device_notes.insert',
  `INSERT INTO device_notes AS n (workspace_id, id, device_id, text, author_kind, author_id)
   VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${columns}`,
)
const list: FilteredTable<NoteRow> = {
  idOf: ({ id }) => id,
  columns: `workspace_id, id, device_id, text, author_kind, author_id, created_at, updated_at,
    revision`,
  table: 'device_notes',
  partOf: 'device_id',
  fields: {
    author: { sql: 'author_id' },
    created_at: { sql: 'created_at', isTimeOfId: true },
    updated_at: { sql: 'updated_at' },
  },
}
const lock = statement(
  'device_notes.lock',
  `SELECT ${columns} FROM device_notes n
   WHERE n.workspace_id = $1 AND n.device_id = $2 AND n.id = $3 FOR UPDATE`,
)
const update = statement(
  'device_notes.update',
  `UPDATE device_notes n SET text = $3, revision = revision + 1, updated_at = now()
   WHERE n.workspace_id = $1 AND n.id = $2 RETURNING ${columns}`,
)
const remove = statement(
  'device_notes.delete',
  'DELETE FROM device_notes WHERE workspace_id = $1 AND id = $2',
)

export const lockDeviceForNotes = async (
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<boolean> => (await db.query(lockDevice, [workspaceId, deviceId])).length > 0

export const deviceExists = async (
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<boolean> => (await db.query(exists, [workspaceId, deviceId])).length > 0

export const countNotes = async (db: Db, workspaceId: string, deviceId: string): Promise<number> =>
  (await db.query<{ notes: number }>(count, [workspaceId, deviceId]))[0]?.notes ?? 0

export type NewNote = Omit<NoteRow, 'created_at' | 'updated_at' | 'revision'>

export async function insertNote(db: Db, note: NewNote): Promise<NoteRow> {
  const { workspace_id, id, device_id, text, author_kind, author_id } = note
  const values = [workspace_id, id, device_id, text, author_kind, author_id]
  return (await db.query<NoteRow>(insert, values))[0] as NoteRow
}

export const pageOfNotes = (
  db: Db,
  workspaceId: string,
  deviceId: string,
  request: FilteredRequest,
) => filteredPage(db, list, workspaceId, request, deviceId)

export async function lockNote(
  db: Db,
  workspaceId: string,
  deviceId: string,
  id: string,
): Promise<NoteRow | undefined> {
  return (await db.query<NoteRow>(lock, [workspaceId, deviceId, id]))[0]
}

export async function updateNote(
  db: Db,
  workspaceId: string,
  id: string,
  text: string,
): Promise<NoteRow> {
  return (await db.query<NoteRow>(update, [workspaceId, id, text]))[0] as NoteRow
}

export async function deleteNote(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(remove, [workspaceId, id])
}
