/** The capabilities of a template's devices, as a table. */
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { CapabilityDefinition } from '../../../../sdk/schema.ts'
import { Button } from '../../kit/Button.tsx'
import { Muted, Panel } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { CapabilityDialog } from './CapabilityDialog.tsx'
import { typeLabels } from './capability-text.ts'
import type { TemplateDraft } from './template-draft.ts'
import { t } from './translations.ts'

interface Capability {
  name: string
  definition: CapabilityDefinition | undefined
}

interface CapabilitiesProps {
  value: TemplateDraft
  onChange: (changes: Partial<TemplateDraft>) => void
}

const modes = { read: t('reported'), write: t('accepted'), read_write: t('both') } as const

function valuesOf({ min, max, enum: values, unit }: CapabilityDefinition): string {
  const hasBounds = min !== undefined || max !== undefined
  const parts = [
    values !== undefined && values.map((each) => String(each)).join(', '),
    min !== undefined && t('from {min}', { min }),
    max !== undefined && t('to {max}', { max }),
    unit !== undefined && (hasBounds ? unit : t('in {unit}', { unit })),
  ]
  return parts.filter((part) => typeof part === 'string').join(' ')
}

const columnsOf = (onEdit: (name: string) => void): readonly Column<Capability>[] => [
  { name: t('Name'), cell: ({ name }) => <code>{name}</code> },
  {
    name: t('Type'),
    cell: ({ definition }) =>
      definition === undefined ? <Muted>{t('any value')}</Muted> : typeLabels[definition.type],
  },
  { name: t('Mode'), cell: ({ definition }) => definition?.mode && modes[definition.mode] },
  { name: t('Values'), wraps: true, cell: ({ definition }) => definition && valuesOf(definition) },
  {
    name: t('Acts'),
    hidesName: true,
    number: true,
    stays: true,
    cell: ({ name }) => (
      <Button kind="quiet" onClick={() => onEdit(name)}>
        {t('Edit')}
      </Button>
    ),
  },
]

export function Capabilities({ value, onChange }: CapabilitiesProps) {
  const [edited, setEdited] = useState<string | null>(null)
  const { capabilities, capability_definitions: definitions } = value
  const definitionOf = (name: string) => definitions.find((each) => each.name === name)
  const items = capabilities.map((name) => ({ name, definition: definitionOf(name) }))
  const without = (name: string): Partial<TemplateDraft> => ({
    capabilities: capabilities.filter((each) => each !== name),
    capability_definitions: definitions.filter((each) => each.name !== name),
  })
  const put = (old: string, name: string, definition: CapabilityDefinition | undefined): void => {
    const at = definitions.findIndex((each) => each.name === old)
    const kept = definitions.filter((each) => each.name !== old && each.name !== name)
    onChange({
      capabilities: capabilities.includes(old)
        ? capabilities.map((each) => (each === old ? name : each))
        : [...capabilities.filter((each) => each !== name), name],
      capability_definitions:
        definition === undefined
          ? kept
          : kept.toSpliced(at === -1 ? kept.length : at, 0, definition),
    })
  }
  const add = (
    <Button icon={<Plus size={15} />} onClick={() => setEdited('')}>
      {t('Add')}
    </Button>
  )
  return (
    <Panel title={t('Capabilities')} aside={add} flush>
      <Table
        label={t('Capabilities')}
        columns={columnsOf(setEdited)}
        list={listOf({ data: { items }, error: null, refetch: () => undefined })}
        keyOf={({ name }) => name}
        empty={
          <Empty title={t('No capabilities')}>
            {t(
              'What a device reports and accepts. The page of a device makes its commands from it.',
            )}
          </Empty>
        }
      />
      {edited !== null && (
        <CapabilityDialog
          name={edited}
          definition={definitionOf(edited)}
          names={capabilities}
          onSave={(name, definition) => put(edited, name, definition)}
          onRemove={() => onChange(without(edited))}
          onClose={() => setEdited(null)}
        />
      )}
    </Panel>
  )
}
