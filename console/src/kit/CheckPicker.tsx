/**
 * Several of many options in groups: a search leaves those that are meant, and what was chosen
 * stays in view.
 */
import { X } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button } from './Button.tsx'
import css from './CheckPicker.module.css'
import { Checkbox, type Option, TextField } from './Field.tsx'
import { Row, Small } from './Layout.tsx'
import { t } from '../i18n/frame.ts'

interface Group {
  name: string
  label: string
  options: readonly Option[]
}

interface CheckPickerProps {
  label: string
  /** Label of the search. */
  search: string
  /** Where the search finds nothing. */
  none: string
  groups: readonly Group[]
  values: readonly string[]
  /** The name of a value, also of one that is no option. */
  nameOf: (value: string) => string
  onValues: (values: readonly string[]) => void
}

const has = (words: string, ...texts: readonly string[]): boolean =>
  texts.some((text) => text.toLowerCase().includes(words))

/** Enter ends a search, and the form is not ready for that. */
function staysOpen(event: KeyboardEvent): void {
  if (event.key === 'Enter') event.preventDefault()
}

/** A group with the options that the search leaves; all of them if it has the name of the group. */
function searched({ label, options, ...group }: Group, words: string): Group {
  const found = has(words, label)
    ? options
    : options.filter((each) => has(words, each.label, each.value))
  return { ...group, label, options: found }
}

export function CheckPicker(props: CheckPickerProps) {
  const { label, search, none, groups, values, nameOf, onValues } = props
  const [text, setText] = useState('')
  const words = text.trim().toLowerCase()
  const shown = groups
    .map((group) => searched(group, words))
    .filter(({ options }) => options.length > 0)
  const without = (value: string) => values.filter((each) => each !== value)
  return (
    <fieldset className={css.picker}>
      <legend>
        {label} <span>{t('(optional)')}</span>
      </legend>
      {values.length > 0 && (
        <Row>
          {values.map((value) => (
            <Button
              key={value}
              icon={<X size={14} />}
              aria-label={t('Remove {name}', { name: nameOf(value) })}
              onClick={() => onValues(without(value))}
            >
              {nameOf(value)}
            </Button>
          ))}
        </Row>
      )}
      <TextField
        label={search}
        hidesLabel
        type="search"
        placeholder={search}
        value={text}
        onValue={setText}
        onKeyDown={staysOpen}
      />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <div className={css.options} tabIndex={0} role="group" aria-label={label}>
        {shown.map((group) => (
          <fieldset key={group.name}>
            <legend>{group.label}</legend>
            {group.options.map((each) => (
              <Checkbox
                key={each.value}
                label={each.label}
                hint={<code>{each.hint}</code>}
                checked={values.includes(each.value)}
                onValue={(isOn) => onValues(isOn ? [...values, each.value] : without(each.value))}
              />
            ))}
          </fieldset>
        ))}
        {shown.length === 0 && <Small>{none}</Small>}
      </div>
    </fieldset>
  )
}
