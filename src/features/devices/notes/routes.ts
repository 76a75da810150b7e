/** Operations on device notes. */
import { operationGroup } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import { addNote, changeNote, deleteNote, listNotes } from './note.ts'
import { ListNotes, NoteView, WriteNote } from './schema.ts'

const operation = operationGroup({ tag: 'Devices', access: ['user', 'platform-key'] })

const path = '/workspaces/:id/devices/:device_id/notes'
const example = { text: 'Replaced the antenna; the old one had water in it.' }

export const deviceNoteOperations = [
  operation({
    id: 'createDeviceNote',
    route: `POST ${path}`,
    summary: 'Add a note to a device',
    permission: 'devices.write',
    body: WriteNote,
    returns: { 201: NoteView },
    fails: ['device_not_found', 'limit_reached'],
    example,
    run: (context, { params, body }) => addNote(context, params.device_id, body.text),
  }),
  operation({
    id: 'listDeviceNotes',
    route: `GET ${path}`,
    summary: 'List the notes on a device',
    description: 'Newest first.',
    permission: 'devices.read',
    isPlanFree: true,
    query: ListNotes,
    returns: { 200: Page(NoteView) },
    fails: ['device_not_found'],
    run: (context, { params, query }) => listNotes(context, params.device_id, query),
  }),
  operation({
    id: 'updateDeviceNote',
    route: `PATCH ${path}/:note_id`,
    summary: 'Change a note on a device',
    description:
      'Only the author, owners and admins can change a note. A platform key counts as an admin.',
    permission: 'devices.write',
    body: WriteNote,
    returns: { 200: NoteView },
    fails: ['device_not_found', 'note_not_found', 'note_of_another', 'precondition_failed'],
    example,
    run(context, { params, body }) {
      const { device_id, note_id } = params
      return changeNote(context, device_id, note_id, body.text)
    },
  }),
  operation({
    id: 'deleteDeviceNote',
    route: `DELETE ${path}/:note_id`,
    summary: 'Delete a note on a device',
    description:
      'Only the author, owners and admins can delete a note. A platform key counts as an admin.',
    permission: 'devices.write',
    returns: { 204: null },
    fails: ['device_not_found', 'note_not_found', 'note_of_another', 'precondition_failed'],
    run: (context, { params }) => deleteNote(context, params.device_id, params.note_id),
  }),
]
