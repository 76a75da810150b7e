/** The fields that the devices of this workspace have in addition. */
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { CustomField } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Muted, Panel } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { DeleteField } from './DeleteField.tsx'
import { FieldForm, types } from './FieldForm.tsx'
import { t } from './translations.ts'

const LIVE_MS = 15_000

/** The values that a field takes, in a few words. */
function limitsOf({ options, minimum, maximum, max_length }: CustomField): string {
  const parts = [
    options !== null && options.join(', '),
    minimum !== null && t('at least {n}', { n: numberText(minimum) }),
    maximum !== null && t('at most {n}', { n: numberText(maximum) }),
    max_length !== null && t('{n} characters', { n: numberText(max_length) }),
  ]
  return parts.filter((part) => part !== false).join(', ')
}

const typeNames = new Map(types.map(({ value, label }) => [value, label]))

type Open = { field: CustomField | null; act: 'edit' | 'delete' }

export function CustomFields() {
  const { id } = useWorkspace()
  const query = useRead('listCustomFields', { params: { id } }, { refetchInterval: LIVE_MS })
  const [open, setOpen] = useState<Open | null>(null)
  const blocked = useBlocked('createCustomField')
  const close = (): void => setOpen(null)
  const columns: readonly Column<CustomField>[] = [
    { name: t('Name'), cell: ({ name }) => <code>{name}</code> },
    { name: t('Type'), cell: ({ type }) => typeNames.get(type) },
    {
      name: t('Values'),
      wraps: true,
      cell: (field) => limitsOf(field) || <Muted>{t('any')}</Muted>,
    },
    { name: t('Description'), wraps: true, cell: ({ description }) => description },
    {
      name: t('Acts'),
      hidesName: true,
      number: true,
      stays: true,
      cell: (field) =>
        field.status === 'deleting' ? (
          <Badge tone="warn">{t('deleting')}</Badge>
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
      {t('Add field')}
    </Button>
  )
  return (
    <Panel title={t('Custom fields of devices')} aside={add} flush>
      <Table
        label={t('Custom fields')}
        columns={columns}
        list={listOf(query)}
        keyOf={(field) => field.id}
        empty={
          <Empty title={t('No custom fields')}>
            {t(
              'A custom field adds a value to each device, such as a serial number of your own or a site, with a type and limits. Filters find devices by it.',
            )}
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
      {t('Edit')}
    </Button>{' '}
    <Button kind="quiet" blocked={blocked} onClick={() => onAct('delete')}>
      {t('Delete')}
    </Button>
  </>
)
