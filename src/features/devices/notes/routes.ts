/** Operations on device notes. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import { addNote, changeNote, deleteNote, listNotes } from './note.ts'
import { ListNotes, NoteView, WriteNote } from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Devices'
const path = '/workspaces/:id/devices/:device_id/notes'
const device = {
  id: idParam('ws', 'workspace_not_found'),
  device_id: idParam('dev', 'device_not_found'),
}
const note = { ...device, note_id: idParam('note', 'note_not_found') }
const example = { text: 'Replaced the antenna; the old one had water in it.' }

export const deviceNoteOperations = [
  operation({
    id: 'createDeviceNote',
    method: 'POST',
    path,
    tag,
    summary: 'Add a note to a device',
    access,
    permission: 'devices.write',
    params: device,
    body: WriteNote,
    returns: { 201: NoteView },
    fails: ['device_not_found', 'limit_reached'],
    example,
    async run(context, { params, body }) {
      const { view, revision } = await addNote(context, params.device_id, body.text)
      return respond(201, view, { revision })
    },
  }),
  operation({
    id: 'listDeviceNotes',
    method: 'GET',
    path,
    tag,
    summary: 'List the notes on a device',
    description: 'Newest first.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: device,
    query: ListNotes,
    returns: { 200: Page(NoteView) },
    fails: ['device_not_found', 'invalid_cursor'],
    run: async (context, { params, query }) =>
      respond(200, await listNotes(context, params.device_id, query)),
  }),
  operation({
    id: 'updateDeviceNote',
    method: 'PATCH',
    path: `${path}/:note_id`,
    tag,
    summary: 'Change a note on a device',
    description: 'For its author, owners and admins; a platform key counts as an admin.',
    access,
    permission: 'devices.write',
    params: note,
    body: WriteNote,
    returns: { 200: NoteView },
    fails: ['device_not_found', 'note_not_found', 'note_of_another', 'precondition_failed'],
    example,
    async run(context, { params, body }) {
      const { device_id, note_id } = params
      const { view, revision } = await changeNote(context, device_id, note_id, body.text)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'deleteDeviceNote',
    method: 'DELETE',
    path: `${path}/:note_id`,
    tag,
    summary: 'Delete a note on a device',
    description: 'For its author, owners and admins; a platform key counts as an admin.',
    access,
    permission: 'devices.write',
    params: note,
    returns: { 204: null },
    fails: ['device_not_found', 'note_not_found', 'note_of_another', 'precondition_failed'],
    async run(context, { params }) {
      await deleteNote(context, params.device_id, params.note_id)
      return respond(204, null)
    },
  }),
]
