/** The custom fields of a device, each by its type. */
import { Link } from '@tanstack/react-router'
import type { CustomField } from '../../../../sdk/schema.ts'
import { unreadableFields } from '../../api/field-values.ts'
import { Select, TextArea, TextField } from '../../kit/Field.tsx'
import { Small } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { numberText } from '../../kit/numbers.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { rich, t } from './translations.ts'

export const NO_JSON = t('This is no JSON.')

interface InputProps {
  field: CustomField
  value: string
  onValue: (value: string) => void
}

/** RFC 6901: `~` and `/` are written otherwise. */
const pointerOf = (name: string): string =>
  `/custom_fields/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

function limitsOf({ description, minimum, maximum, max_length }: CustomField): string {
  const parts = [
    description,
    minimum !== null && t('At least {n}.', { n: numberText(minimum) }),
    maximum !== null && t('At most {n}.', { n: numberText(maximum) }),
    max_length !== null && t('At most {n} characters.', { n: numberText(max_length) }),
  ]
  return parts.filter(Boolean).join(' ')
}

/** The choices; a value that is no longer one stays until another one is chosen. */
function optionsOf({ type, options }: CustomField, value: string) {
  const yesOrNo = [
    { value: 'true', label: t('yes') },
    { value: 'false', label: t('no') },
  ]
  const listed = options?.map((each) => ({ value: each, label: each })) ?? []
  const known = type === 'boolean' ? yesOrNo : listed
  const isKnown = value === '' || known.some((each) => each.value === value)
  return [{ value: '', label: t('none') }, ...known, ...(isKnown ? [] : [{ value, label: value }])]
}

function FieldInput({ field, value, onValue }: InputProps) {
  const { name, type, options } = field
  const hint = limitsOf(field)
  const common = {
    label: name,
    pointer: pointerOf(name),
    value,
    onValue,
    ...(hint !== '' && { hint }),
  }
  if (type === 'boolean' || options !== null) {
    return <Select {...common} options={optionsOf(field, value)} />
  }
  if (type === 'json') {
    const isUnreadable = unreadableFields({ [name]: value }, [field]).length > 0
    return <TextArea {...common} optional mono error={isUnreadable ? NO_JSON : undefined} />
  }
  return <TextField {...common} optional inputMode={type === 'number' ? 'decimal' : 'text'} />
}

interface InputsProps {
  fields: readonly CustomField[]
  values: Readonly<Record<string, string>>
  onValues: (values: Record<string, string>) => void
}

export function CustomFieldInputs({ fields, values, onValues }: InputsProps) {
  const { slug } = useWorkspace()
  if (fields.length === 0) {
    return (
      <Small>
        {rich('There are no custom fields. {settings} define them.', {
          settings: <Link to={below(slug, 'settings')}>{t('The settings of the workspace')}</Link>,
        })}
      </Small>
    )
  }
  return fields.map((field) => (
    <FieldInput
      key={field.name}
      field={field}
      value={values[field.name] ?? ''}
      onValue={(value) => onValues({ ...values, [field.name]: value })}
    />
  ))
}
