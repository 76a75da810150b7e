/** One capability of a template, and what its values look like. */
import { useState } from 'react'
import type { CapabilityDefinition } from '../../../../sdk/schema.ts'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, Select, TextField } from '../../kit/Field.tsx'
import { Columns } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import {
  type CapabilityText,
  definitionOf,
  nameFault,
  textOf,
  typeLabels,
} from './capability-text.ts'
import { rich, t } from './translations.ts'

type Type = CapabilityText['type']
type Mode = CapabilityText['mode']

const types: readonly { value: Type; label: string }[] = [
  { value: '', label: t('any value') },
  { value: 'number', label: typeLabels.number },
  { value: 'integer', label: typeLabels.integer },
  { value: 'boolean', label: typeLabels.boolean },
  { value: 'string', label: typeLabels.string },
  { value: 'object', label: typeLabels.object },
]

const modes: readonly { value: Mode; label: string }[] = [
  { value: '', label: t('not stated') },
  { value: 'read', label: t('the device reports it') },
  { value: 'write', label: t('the device accepts it') },
  { value: 'read_write', label: t('both') },
]

interface PartProps {
  text: CapabilityText
  onChange: (changes: Partial<CapabilityText>) => void
}

const Bounds = ({ text, onChange }: PartProps) => (
  <Columns>
    <TextField
      label={t('Minimum')}
      optional
      inputMode="decimal"
      value={text.min}
      onValue={(min) => onChange({ min })}
    />
    <TextField
      label={t('Maximum')}
      optional
      inputMode="decimal"
      value={text.max}
      onValue={(max) => onChange({ max })}
    />
  </Columns>
)

const Details = ({ text, onChange }: PartProps) => (
  <>
    <Columns>
      <Select
        label={t('Mode')}
        value={text.mode}
        options={modes}
        onValue={(mode) => onChange({ mode })}
      />
      <TextField
        label={t('Unit')}
        optional
        value={text.unit}
        onValue={(unit) => onChange({ unit })}
      />
    </Columns>
    {(text.type === 'number' || text.type === 'integer') && (
      <Bounds text={text} onChange={onChange} />
    )}
    <Columns>
      <TextField
        label={t('Allowed values, as a JSON list')}
        optional
        mono
        hint={rich('For example {json}.', { json: <code>{'["low", "high"]'}</code> })}
        value={text.values}
        onValue={(values) => onChange({ values })}
      />
      <TextField
        label={t('Default, as JSON')}
        optional
        mono
        hint={rich('For example {json}.', { json: <code>20</code> })}
        value={text.fallback}
        onValue={(fallback) => onChange({ fallback })}
      />
    </Columns>
    <TextField
      label={t('Description')}
      optional
      value={text.description}
      onValue={(description) => onChange({ description })}
    />
  </>
)

interface CapabilityDialogProps {
  /** '' for a new one. */
  name: string
  definition: CapabilityDefinition | undefined
  /** The names of all capabilities of the template. */
  names: readonly string[]
  onSave: (name: string, definition: CapabilityDefinition | undefined) => void
  onRemove: () => void
  onClose: () => void
}

export function CapabilityDialog(props: CapabilityDialogProps) {
  const { name, definition, names, onSave, onRemove, onClose } = props
  const [text, setText] = useState(() => textOf(name, definition))
  const change = (changes: Partial<CapabilityText>): void => setText({ ...text, ...changes })
  const made = definitionOf(text)
  const fault = 'error' in made ? made.error : nameFault(text.name, name, names)
  const submit = (): void => {
    if ('error' in made || fault !== undefined) return
    onSave(text.name, made.definition)
    onClose()
  }
  return (
    <Dialog
      title={name === '' ? t('Add a capability') : t('Capability {name}', { name })}
      open
      wide
      onClose={onClose}
    >
      <Form onSubmit={submit} problem={null}>
        <Columns>
          <TextField
            label={t('Name')}
            mono
            hint={t('As in the state of a device: temperature')}
            value={text.name}
            onValue={(next) => change({ name: next })}
          />
          <Select
            label={t('Type')}
            value={text.type}
            options={types}
            onValue={(type) => change({ type })}
          />
        </Columns>
        {text.type !== '' && <Details text={text} onChange={change} />}
        <Note>
          {t('Save the template afterwards: until then nothing changes for its devices.')}
        </Note>
        <FormActions>
          <Button type="submit" kind="primary" blocked={fault}>
            {name === '' ? t('Add to the draft') : t('Change in the draft')}
          </Button>
          {name !== '' && (
            <Button
              kind="danger"
              onClick={() => {
                onRemove()
                onClose()
              }}
            >
              {t('Remove')}
            </Button>
          )}
          <Button onClick={onClose}>{t('Cancel')}</Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}
