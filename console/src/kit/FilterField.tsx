/** A filter as a field of a form: it completes what is typed, and marks what was refused. */
import { useRef, useState } from 'react'
import { type FilterField as Completable, refusalIn, type TypedValue } from '../api/filter.ts'
import type { FieldError } from '../api/problem.ts'
import { Field, type FieldProps, useRefusal } from './Field.tsx'
import css from './FilterEditor.module.css'
import { FilterText, RefusalText } from './FilterEditor.tsx'

interface FilterFieldProps extends Omit<FieldProps, 'hidesLabel' | 'error'> {
  pointer: string
  fields: readonly Completable[]
  value: string
  onValue: (value: string) => void
  /** The kind of value being typed, so that its values can be offered; `other`: none. */
  onTyped: (typed: TypedValue | 'other') => void
}

/** The filter as it was when it was refused: a refusal points into that. */
interface Refused {
  error: FieldError | undefined
  text: string
}

export function FilterField(props: FilterFieldProps) {
  const { fields, value, onValue, onTyped, ...field } = props
  const { pointer } = field
  const line = useRef<HTMLDivElement>(null)
  const error = useRefusal(pointer)
  const [{ error: marked, text }, setRefused] = useState<Refused>({ error, text: value })
  if (error !== marked) setRefused({ error, text: value })
  const refusal = error && refusalIn(error.message, text, fields)
  return (
    <Field
      {...field}
      {...(refusal && { error: <RefusalText refusal={refusal} lang={error.lang} text={text} /> })}
    >
      {({ id, ...described }) => (
        <div ref={line} className={css.field}>
          <FilterText
            {...described}
            id={id}
            aria-labelledby={`${id}-label`}
            value={value}
            fields={fields}
            // A field changed since is no longer marked.
            refusal={value === text ? refusal : undefined}
            onTyped={onTyped}
            onEdit={onValue}
            onSubmit={() => line.current?.closest('form')?.requestSubmit()}
          />
        </div>
      )}
    </Field>
  )
}
