/** Notes on devices: staff write them; their author or an admin edits them. */
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found, requireRevision, withinLimit } from '../../../platform/errors/errors.ts'
import type { AuditAction } from '../../../platform/record/event.ts'
import { deviceChange, record } from '../../../platform/record/record.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { type ListNotes, noteFields, NoteView } from './schema.ts'
import * as store from './store.ts'
import { type Paged, type Revised, revisedBy } from '../../common/results.ts'
import { rowView } from '../../common/row-view.ts'

/** Notes per device. */
const MAX_NOTES = 1_000

const viewOf = rowView<store.NoteRow>()(NoteView, {
  author: (row) => ({ kind: row.author_kind, id: row.author_id }),
})

const revisedOf = revisedBy(viewOf)

/** Texts are not recorded: a deleted text must not survive in the audit log. */
const recordNote = (
  context: Context,
  trx: Db,
  action: AuditAction,
  { workspace_id, id, device_id }: store.NoteRow,
): Promise<void> =>
  record(
    trx,
    originOf(context),
    deviceChange(action, workspace_id, device_id, { note_id: formatId('note', id) }),
  )

export function addNote(
  context: Context,
  deviceId: string,
  text: string,
): Promise<Revised<NoteView>> {
  const { db, workspaceId } = context
  const { kind, id } = originOf(context).actor
  return db.transaction(async (trx) => {
    const device = await store.lockDeviceForNotes.first(trx, { workspaceId, id: deviceId })
    found(device, 'device_not_found')
    const present = (await store.countNotes.one(trx, { workspaceId, deviceId })).notes
    withinLimit(present, 'notes', MAX_NOTES, 'notes', 'A device has')
    const row = await store.insertNote.one(trx, {
      workspaceId,
      id: newUuid(),
      deviceId,
      text,
      authorKind: kind === 'user' ? 'user' : 'platform-key',
      authorId: id ?? '',
    })
    await recordNote(context, trx, 'device_note.created', row)
    return revisedOf(row)
  })
}

export async function listNotes(
  context: Context,
  deviceId: string,
  query: ListNotes,
): Promise<Paged<NoteView>> {
  const { db, workspaceId } = context
  found(await store.deviceExists.first(db, { workspaceId, id: deviceId }), 'device_not_found')
  return listFiltered(context, query, {
    name: `device-notes ${deviceId}`,
    fields: noteFields,
    pageOf: store.pageOfNotes,
    whole: deviceId,
    view: viewOf,
  })
}

/** A platform key acts as an admin; owners and admins may edit anyone's notes. */
function mayChange(context: Context, row: store.NoteRow): boolean {
  const { caller, workspaceId } = context
  if (caller.kind !== 'user') return true
  const role = caller.roles.get(workspaceId)
  return role === 'owner' || role === 'admin' || row.author_id === formatId('usr', caller.userId)
}

/** @throws Failure device_not_found, note_not_found, note_of_another, precondition_failed */
async function lockForChange(
  context: Context,
  trx: Db,
  deviceId: string,
  noteId: string,
): Promise<store.NoteRow> {
  const { workspaceId, request } = context
  const row = await store.lockNote.first(trx, { workspaceId, deviceId, id: noteId })
  if (row === undefined) {
    const isThere = await store.deviceExists.any(trx, { workspaceId, id: deviceId })
    throw new Failure(isThere ? 'note_not_found' : 'device_not_found')
  }
  if (!mayChange(context, row)) throw new Failure('note_of_another')
  requireRevision(row.revision, request.ifMatch)
  return row
}

export function changeNote(
  context: Context,
  deviceId: string,
  noteId: string,
  text: string,
): Promise<Revised<NoteView>> {
  return context.db.transaction(async (trx) => {
    await lockForChange(context, trx, deviceId, noteId)
    const row = await store.updateNote.one(trx, {
      workspaceId: context.workspaceId,
      id: noteId,
      text,
    })
    await recordNote(context, trx, 'device_note.updated', row)
    return revisedOf(row)
  })
}

export function deleteNote(context: Context, deviceId: string, noteId: string): Promise<void> {
  return context.db.transaction(async (trx) => {
    const row = await lockForChange(context, trx, deviceId, noteId)
    await store.deleteNote.run(trx, { workspaceId: context.workspaceId, id: noteId })
    await recordNote(context, trx, 'device_note.deleted', row)
  })
}
