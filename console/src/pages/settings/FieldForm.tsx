/** A new custom field, or other limits of one that exists. */
import { useState } from 'react'
import type { CreateCustomField, CustomField, UpdateCustomField } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, Select, TextArea, TextField } from '../../kit/Field.tsx'
import { Columns } from '../../kit/Layout.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { t } from './translations.ts'

type FieldType = CustomField['type']

export const types: readonly { value: FieldType; label: string }[] = [
  { value: 'string', label: t('text') },
  { value: 'number', label: t('number') },
  { value: 'boolean', label: t('yes or no') },
  { value: 'json', label: 'JSON' },
]

interface FieldDraft {
  name: string
  type: FieldType
  description: string
  /** One a line. */
  options: string
  minimum: string
  maximum: string
  maxLength: string
}

const inText = (value: number | null | undefined): string => String(value ?? '')

const draftOf = (field: CustomField | null): FieldDraft => ({
  name: field?.name ?? '',
  type: field?.type ?? 'string',
  description: field?.description ?? '',
  options: field?.options?.join('\n') ?? '',
  minimum: inText(field?.minimum),
  maximum: inText(field?.maximum),
  maxLength: inText(field?.max_length),
})

/** A text that is no number is sent as it is, so that the service points at it. */
const numberOf = (text: string): number | null =>
  text.trim() === '' ? null : Number.isNaN(Number(text)) ? (text as never) : Number(text)

function limitsOf({ type, options, minimum, maximum, maxLength }: FieldDraft): UpdateCustomField {
  if (type === 'number') return { minimum: numberOf(minimum), maximum: numberOf(maximum) }
  if (type !== 'string') return {}
  const lines = options.split('\n').filter((line) => line.trim() !== '')
  return { options: lines.length === 0 ? null : lines, max_length: numberOf(maxLength) }
}

interface LimitsProps {
  draft: FieldDraft
  onChange: (changes: Partial<FieldDraft>) => void
}

function Limits({ draft, onChange }: LimitsProps) {
  if (draft.type === 'number') {
    return (
      <Columns>
        <TextField
          label={t('Minimum')}
          optional
          inputMode="decimal"
          pointer="/minimum"
          value={draft.minimum}
          onValue={(minimum) => onChange({ minimum })}
        />
        <TextField
          label={t('Maximum')}
          optional
          inputMode="decimal"
          pointer="/maximum"
          value={draft.maximum}
          onValue={(maximum) => onChange({ maximum })}
        />
      </Columns>
    )
  }
  if (draft.type !== 'string') return null
  return (
    <>
      <TextArea
        label={t('Allowed values')}
        optional
        hint={t('One per line. Empty: any text.')}
        pointer="/options"
        rows={3}
        value={draft.options}
        onValue={(options) => onChange({ options })}
      />
      <TextField
        label={t('Longest value, in characters')}
        optional
        inputMode="numeric"
        pointer="/max_length"
        value={draft.maxLength}
        onValue={(maxLength) => onChange({ maxLength })}
      />
    </>
  )
}

interface FieldFormProps {
  /** Null for a new one. */
  field: CustomField | null
  onClose: () => void
}

export function FieldForm({ field, onClose }: FieldFormProps) {
  const { id } = useWorkspace()
  const [draft, setDraft] = useState(() => draftOf(field))
  const create = useChange('createCustomField', ['listCustomFields'])
  const update = useChange('updateCustomField', ['listCustomFields'])
  const change = (changes: Partial<FieldDraft>): void => setDraft({ ...draft, ...changes })
  const { name, type, description } = draft
  const limits = { description, ...limitsOf(draft) }
  const body: CreateCustomField = { name, type, ...limits }
  const patch = { params: { id, field_id: field?.id ?? '' }, body: limits }
  useNextCall(
    field === null ? 'createCustomField' : 'updateCustomField',
    field === null ? { params: { id }, body } : patch,
  )
  const submit = (): void => {
    if (field === null) create.mutate({ params: { id }, body }, { onSuccess: onClose })
    else update.mutate(patch, { onSuccess: onClose })
  }
  const isNew = field === null
  return (
    <Dialog
      title={isNew ? t('Add a custom field') : t('Field {name}', { name })}
      open
      onClose={onClose}
    >
      <Form onSubmit={submit} problem={create.error ?? update.error}>
        {isNew && (
          <Columns>
            <TextField
              label={t('Name')}
              hint={t('It cannot be changed later. Letters, digits, _ . and -.')}
              pointer="/name"
              mono
              value={name}
              onValue={(next) => change({ name: next })}
            />
            <Select
              label={t('Type')}
              hint={t('It cannot be changed later.')}
              pointer="/type"
              value={type}
              options={types}
              onValue={(next) => change({ type: next })}
            />
          </Columns>
        )}
        <TextField
          label={t('Description')}
          optional
          pointer="/description"
          value={description}
          onValue={(next) => change({ description: next })}
        />
        <Limits draft={draft} onChange={change} />
        <SubmitActions
          act={isNew ? t('Add') : t('Save')}
          busy={create.isPending || update.isPending}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  )
}
