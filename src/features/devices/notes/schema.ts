/** Schemas of device notes. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import { Id, NamedObject, Text, Timestamp } from '../../common/shapes.ts'

const NoteText = Type.String({
  minLength: 1,
  maxLength: 10_000,
  pattern: '^[^\\u0000]*\\S[^\\u0000]*$',
  description: 'Plain text; not blank.',
})

export const WriteNote = Type.Object({ text: NoteText })

export const noteFields: ListFields = {
  author: { type: 'text' },
  created_at: { type: 'time' },
  updated_at: { type: 'time' },
}

export const ListNotes = Type.Object({ ...pageQuery, filter: FilterText(noteFields) })
export type ListNotes = Static<typeof ListNotes>

export const NoteView = NamedObject('DeviceNote', {
  id: Id('note'),
  workspace_id: Id('ws'),
  device_id: Id('dev'),
  text: Type.String(),
  author: Type.Object({
    kind: Type.Enum(['user', 'platform-key']),
    id: Text('`usr_…` or `key_…`.'),
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type NoteView = Static<typeof NoteView>
