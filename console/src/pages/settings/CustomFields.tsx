/** The fields that the devices of this workspace have in addition. */
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { CustomField } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Muted, Panel } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { DeleteField } from './DeleteField.tsx'
import { FieldForm } from './FieldForm.tsx'

const LIVE_MS = 15_000

/** What values a field takes, in a few words. */
function limitsOf({ options, minimum, maximum, max_length }: CustomField): string {
  const parts = [
    options !== null && options.join(', '),
    minimum !== null && `at least ${minimum}`,
    maximum !== null && `at most ${maximum}`,
    max_length !== null && `${max_length} characters`,
  ]
  return parts.filter((part) => part !== false).join(', ')
}

type Open = { field: CustomField | null; act: 'edit' | 'delete' }

export function CustomFields() {
  const { id } = useWorkspace()
  const query = useRead('listCustomFields', { params: { id } }, { refetchInterval: LIVE_MS })
  const [open, setOpen] = useState<Open | null>(null)
  const blocked = useBlocked('createCustomField')
  const close = (): void => setOpen(null)
  const columns: readonly Column<CustomField>[] = [
    { name: 'Name', cell: ({ name }) => <code>{name}</code> },
    { name: 'Type', cell: ({ type }) => type },
    { name: 'Values', cell: (field) => limitsOf(field) || <Muted>any</Muted> },
    { name: 'Description', wraps: true, cell: ({ description }) => description },
    {
      name: 'Acts',
      hidesName: true,
      number: true,
      stays: true,
      cell: (field) =>
        field.status === 'deleting' ? (
          <Badge tone="warn">deleting</Badge>
        ) : (
          <FieldActs blocked={blocked} onAct={(act) => setOpen({ field, act })} />
        ),
    },
  ]
  const add = (
    <Button
      icon={<Plus size={15} />}
      blocked={blocked}
      onClick={() => setOpen({ field: null, act: 'edit' })}
    >
      Add field
    </Button>
  )
  return (
    <Panel title="Custom fields of devices" aside={add} flush>
      <Table
        label="Custom fields"
        columns={columns}
        list={listOf(query)}
        keyOf={(field) => field.id}
        empty={
          <Empty title="No custom fields">
            A field such as a serial number of your own, or a site, with a type and limits. Filters
            find devices by it.
          </Empty>
        }
      />
      {open?.act === 'edit' && <FieldForm field={open.field} onClose={close} />}
      {open?.act === 'delete' && open.field && <DeleteField field={open.field} onClose={close} />}
    </Panel>
  )
}

interface FieldActsProps {
  blocked: string | undefined
  onAct: (act: Open['act']) => void
}

const FieldActs = ({ blocked, onAct }: FieldActsProps) => (
  <>
    <Button kind="quiet" blocked={blocked} onClick={() => onAct('edit')}>
      Edit
    </Button>{' '}
    <Button kind="quiet" blocked={blocked} onClick={() => onAct('delete')}>
      Delete
    </Button>
  </>
)
