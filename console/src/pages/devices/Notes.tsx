/** The notes of people about a device. */
import { useState } from 'react'
import type { DeviceNote } from '../../../../sdk/schema.ts'
import { useChange, useList } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, TextArea } from '../../kit/Field.tsx'
import { Columns, Panel } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Lines, Time } from '../../kit/Text.tsx'
import { Who } from '../../session/Who.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { ofDevice, type SectionProps } from './of-device.ts'
import { t } from './translations.ts'

interface RemoveProps {
  note: DeviceNote
  onClose: () => void
}

function RemoveDialog({ note, onClose }: RemoveProps) {
  const remove = useChange('deleteDeviceNote', ['listDeviceNotes'])
  const { workspace_id: id, device_id, id: note_id } = note
  const input = { params: { id, device_id, note_id } }
  useNextCall('deleteDeviceNote', input)
  return (
    <ConfirmDialog
      title={t('Delete this note?')}
      act={t('Delete')}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => remove.mutate(input)}
      onClose={onClose}
    >
      {note.text}
    </ConfirmDialog>
  )
}

function Remove({ note }: Pick<RemoveProps, 'note'>) {
  const blocked = useBlocked('deleteDeviceNote')
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button kind="quiet" blocked={blocked} onClick={() => setAsking(true)}>
        {t('Delete')}
      </Button>
      {isAsking && <RemoveDialog note={note} onClose={() => setAsking(false)} />}
    </>
  )
}

const columns: readonly Column<DeviceNote>[] = [
  { name: t('Note'), wraps: true, cell: ({ text }) => <Lines of={[text]} /> },
  { name: t('By'), cell: ({ author }) => <Who id={author.id} /> },
  { name: t('Written'), cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: t('Acts'),
    hidesName: true,
    number: true,
    stays: true,
    cell: (note) => <Remove note={note} />,
  },
]

export function Notes({ device }: SectionProps) {
  const params = ofDevice(device)
  const list = useList('listDeviceNotes', { params }, { isLive: true })
  const [text, setText] = useState('')
  const add = useChange('createDeviceNote', ['listDeviceNotes'])
  const blocked = useBlocked('createDeviceNote')
  useNextCall('createDeviceNote', { params, body: { text } })
  const submit = (): void =>
    add.mutate({ params, body: { text } }, { onSuccess: () => setText('') })
  return (
    <Columns wideFirst>
      <Panel title={t('Notes')} flush>
        <Table
          label={t('Notes')}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          empty={
            <Empty title={t('No notes')}>
              {t('What a colleague should know: where it hangs, what was tried.')}
            </Empty>
          }
        />
      </Panel>
      <Panel title={t('Write a note')}>
        <Form onSubmit={submit} problem={add.error}>
          <TextArea label={t('Note')} pointer="/text" value={text} onValue={setText} />
          <FormActions>
            <Button type="submit" kind="primary" busy={add.isPending} blocked={blocked}>
              {t('Add')}
            </Button>
          </FormActions>
        </Form>
      </Panel>
    </Columns>
  )
}
