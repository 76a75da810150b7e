/** One capability of a template, and what its values look like. */
import { useState } from 'react'
import type { CapabilityDefinition } from '../../../../sdk/schema.ts'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, Select, TextField } from '../../kit/Field.tsx'
import { Columns } from '../../kit/Layout.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { type CapabilityText, definitionOf, textOf } from './capability-text.ts'

type Type = CapabilityText['type']
type Mode = CapabilityText['mode']

const types: readonly { value: Type; label: string }[] = [
  { value: '', label: 'not defined' },
  { value: 'number', label: 'number' },
  { value: 'integer', label: 'integer' },
  { value: 'boolean', label: 'yes or no' },
  { value: 'string', label: 'text' },
  { value: 'object', label: 'object' },
]

const modes: readonly { value: Mode; label: string }[] = [
  { value: '', label: 'not said' },
  { value: 'read', label: 'the device reports it' },
  { value: 'write', label: 'the device accepts it' },
  { value: 'read_write', label: 'both' },
]

interface PartProps {
  text: CapabilityText
  onChange: (changes: Partial<CapabilityText>) => void
}

const Bounds = ({ text, onChange }: PartProps) => (
  <Columns>
    <TextField
      label="Minimum"
      optional
      inputMode="decimal"
      value={text.min}
      onValue={(min) => onChange({ min })}
    />
    <TextField
      label="Maximum"
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
        label="Mode"
        value={text.mode}
        options={modes}
        onValue={(mode) => onChange({ mode })}
      />
      <TextField label="Unit" optional value={text.unit} onValue={(unit) => onChange({ unit })} />
    </Columns>
    {(text.type === 'number' || text.type === 'integer') && (
      <Bounds text={text} onChange={onChange} />
    )}
    <Columns>
      <TextField
        label="Allowed values, as a JSON list"
        optional
        mono
        value={text.values}
        onValue={(values) => onChange({ values })}
      />
      <TextField
        label="Default, as JSON"
        optional
        mono
        value={text.fallback}
        onValue={(fallback) => onChange({ fallback })}
      />
    </Columns>
    <TextField
      label="Description"
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
  onSave: (name: string, definition: CapabilityDefinition | undefined) => void
  onRemove: () => void
  onClose: () => void
}

export function CapabilityDialog(props: CapabilityDialogProps) {
  const { name, definition, onSave, onRemove, onClose } = props
  const [text, setText] = useState(() => textOf(name, definition))
  const change = (changes: Partial<CapabilityText>): void => setText({ ...text, ...changes })
  const made = definitionOf(text)
  const submit = (): void => {
    if (text.name === '' || 'error' in made) return
    onSave(text.name, made.definition)
    onClose()
  }
  return (
    <Dialog
      title={name === '' ? 'Add a capability' : `Capability ${name}`}
      open
      wide
      onClose={onClose}
    >
      <Form onSubmit={submit} problem={null}>
        <Columns>
          <TextField
            label="Name"
            mono
            value={text.name}
            onValue={(next) => change({ name: next })}
          />
          <Select
            label="Type"
            value={text.type}
            options={types}
            onValue={(type) => change({ type })}
          />
        </Columns>
        {text.type !== '' && <Details text={text} onChange={change} />}
        <FormActions>
          <Button
            type="submit"
            kind="primary"
            blocked={'error' in made ? made.error : text.name === '' ? 'Name it.' : undefined}
          >
            {name === '' ? 'Add' : 'Apply'}
          </Button>
          {name !== '' && (
            <Button
              kind="danger"
              onClick={() => {
                onRemove()
                onClose()
              }}
            >
              Remove
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
        <p>It is saved with the template.</p>
      </Form>
    </Dialog>
  )
}
