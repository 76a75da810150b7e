/** Forms and their fields. A refusal of the service marks the field that it points at. */
import { Eye, EyeOff } from 'lucide-react'
import {
  createContext,
  type FormEvent,
  type InputHTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  use,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { Problem } from '../api/problem.ts'
import { IconButton } from './Button.tsx'
import css from './Field.module.css'
import { ProblemNote } from './Note.tsx'
import { t } from '../i18n/shared.ts'

const FormProblem = createContext<Problem | null>(null)

interface FormProps {
  onSubmit: () => void
  /** Why the last attempt was refused. */
  problem: Problem | null
  children: ReactNode
}

/** Whether each of the errors is shown at a field of the form. */
function areMarked(form: HTMLFormElement | null, { errors }: Problem): boolean {
  const fields = form?.querySelectorAll<HTMLElement>('[data-pointer]') ?? []
  const pointers = new Set([...fields].map(({ dataset }) => dataset.pointer))
  return errors.length > 0 && errors.every(({ pointer }) => pointers.has(pointer))
}

/**
 * Shows what was refused, and moves the focus to the first field that it points at, else the note
 * into view. An error shown at the fields is not repeated above them.
 */
export function Form({ onSubmit, problem, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [marked, setMarked] = useState<Problem | null>(null)
  useLayoutEffect(() => {
    if (problem === null) return
    setMarked(areMarked(form.current, problem) ? problem : null)
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (field) field.focus()
    else form.current?.querySelector('[role="alert"]')?.scrollIntoView({ block: 'nearest' })
  }, [problem])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    event.stopPropagation()
    onSubmit()
  }
  return (
    <form ref={form} className={css.form} onSubmit={submit} noValidate>
      <FormProblem value={problem}>
        {problem !== null && <ProblemNote problem={problem} isMarked={marked === problem} />}
        {children}
      </FormProblem>
    </form>
  )
}

export const FormActions = ({ children }: { children: ReactNode }) => (
  <div className={css.actions} data-form-actions="">
    {children}
  </div>
)

export interface FieldProps {
  label: string
  /** Its column or its row says what it is; assistive programs still read the label. */
  hidesLabel?: boolean
  hint?: ReactNode
  optional?: boolean
  /** Member of the request, as an RFC 6901 pointer: its errors are shown here. */
  pointer?: string
  /** An error that the page has found itself, or has put in words. */
  error?: ReactNode
}

interface Described {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

/** The message about a member in the form's refusal. */
export function useRefusal(pointer: string | undefined) {
  const problem = use(FormProblem)
  return problem?.errors.find((each) => each.pointer === pointer)
}

/** The form's refusal, if it is about one of the members. */
export function useRefusalOf(pointers: readonly string[]): Problem | null {
  const problem = use(FormProblem)
  const isMeant = problem?.errors.some(({ pointer }) =>
    pointers.some((each) => pointer.startsWith(each)),
  )
  return isMeant === true ? problem : null
}

export function Field({
  label,
  hidesLabel,
  hint,
  optional,
  pointer,
  error,
  children,
}: FieldProps & { children: (props: Described) => ReactNode }) {
  const id = useId()
  const refused = useRefusal(pointer)
  const message = error ?? refused?.message
  const noteId = `${id}-note`
  const isNoted = hint !== undefined || message !== undefined
  return (
    <div className={css.field} data-pointer={pointer}>
      <label id={`${id}-label`} className={hidesLabel ? 'visually-hidden' : css.label} htmlFor={id}>
        {label} {optional === true && <span className={css.optional}>{t('(optional)')}</span>}
      </label>
      {children({
        id,
        'aria-describedby': isNoted ? noteId : undefined,
        'aria-invalid': message === undefined ? undefined : true,
      })}
      {isNoted && (
        <div id={noteId}>
          {message !== undefined && (
            <div className={css.error} lang={error === undefined ? refused?.lang : undefined}>
              {typeof message === 'string' ? sentence(message) : message}
            </div>
          )}
          {hint !== undefined && <div className={css.hint}>{hint}</div>}
        </div>
      )}
    </div>
  )
}

/** `is missing` and the like, as a sentence of its own. */
function sentence(message: string): string {
  const text = /^(is|must|has|may|belongs|cannot|can)\b/.test(message) ? `It ${message}` : message
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}

interface TextProps
  extends FieldProps,
    Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange'> {
  value: string
  onValue: (value: string) => void
  /** For ids, topics and other text of machines. */
  mono?: boolean
}

const inputClass = (mono: boolean | undefined): string =>
  mono === true ? `${css.input} ${css.mono}` : (css.input as string)

export function TextField(props: TextProps) {
  const { label, hidesLabel, hint, optional, pointer, error, ...input } = props
  const { value, onValue, mono, ...rest } = input
  return (
    <Field {...pick({ label, hidesLabel, hint, optional, pointer, error })}>
      {(described) => (
        <input
          {...rest}
          {...described}
          className={inputClass(mono)}
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  )
}

/** Leaves out members that are undefined, for `exactOptionalPropertyTypes` and for defaults. */
function pick(props: { [Name in keyof FieldProps]?: FieldProps[Name] | undefined }): FieldProps {
  return Object.fromEntries(
    Object.entries(props).filter(([, value]) => value !== undefined),
  ) as unknown as FieldProps
}

export function PasswordField({ hint, ...props }: TextProps) {
  const [isShown, setShown] = useState(false)
  const [hasCaps, setCaps] = useState(false)
  const { label, optional, pointer, error, value, onValue, mono: _, ...rest } = props
  const watch = (event: KeyboardEvent): void => setCaps(event.getModifierState('CapsLock'))
  const note = hasCaps ? t('Caps lock is on.') : hint
  return (
    <Field {...pick({ label, hint: note, optional, pointer, error })}>
      {(described) => (
        <div className={css.withEnd}>
          <input
            {...rest}
            {...described}
            className={css.input}
            type={isShown ? 'text' : 'password'}
            value={value}
            onChange={(event) => onValue(event.target.value)}
            onKeyUp={watch}
            autoCapitalize="off"
            spellCheck={false}
          />
          <IconButton
            label={isShown ? t('Hide password') : t('Show password')}
            icon={isShown ? <EyeOff size={16} /> : <Eye size={16} />}
            onClick={() => setShown(!isShown)}
          />
        </div>
      )}
    </Field>
  )
}

interface AreaProps
  extends FieldProps,
    Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'value' | 'onChange'> {
  value: string
  onValue: (value: string) => void
  mono?: boolean
}

export function TextArea({ label, hint, optional, pointer, error, ...area }: AreaProps) {
  const { value, onValue, mono, rows = 4, ...rest } = area
  return (
    <Field {...pick({ label, hint, optional, pointer, error })}>
      {(described) => (
        <textarea
          {...rest}
          {...described}
          rows={rows}
          className={inputClass(mono)}
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  )
}

export interface Option<Value extends string = string> {
  value: Value
  label: string
  hint?: string
  /** Why it can't be chosen. */
  blocked?: string | undefined
}

interface SelectProps<Value extends string>
  extends FieldProps,
    Omit<SelectHTMLAttributes<HTMLSelectElement>, 'value' | 'onChange'> {
  value: Value
  options: readonly Option<Value>[]
  onValue: (value: Value) => void
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, hidesLabel, hint, optional, pointer, error, ...select } = props
  const { value, options, onValue, ...rest } = select
  // A native list cannot show why an option is disabled.
  const reasons = options.flatMap((each) => (each.blocked ? `${each.label}: ${each.blocked}` : []))
  const shown =
    reasons.length === 0 ? (
      hint
    ) : (
      <>
        {hint} {reasons.join(' ')}
      </>
    )
  return (
    <Field {...pick({ label, hidesLabel, hint: shown, optional, pointer, error })}>
      {(described) => (
        <select
          {...rest}
          {...described}
          className={css.input}
          value={value}
          onChange={(event) => onValue(event.target.value as Value)}
        >
          {options.map((each) => (
            <option key={each.value} value={each.value} disabled={each.blocked !== undefined}>
              {each.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface CheckboxProps extends Pick<FieldProps, 'pointer'> {
  label: ReactNode
  hint?: ReactNode
  checked: boolean
  disabled?: boolean
  onValue: (checked: boolean) => void
}

export function Checkbox({ label, hint, pointer, checked, disabled, onValue }: CheckboxProps) {
  const refused = useRefusal(pointer)
  return (
    <label className={css.check} data-pointer={pointer}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-invalid={refused === undefined ? undefined : true}
        onChange={(event) => onValue(event.target.checked)}
      />
      <span>
        {label}
        {refused !== undefined && (
          <span className={`${css.error} ${css.field}`} lang={refused.lang}>
            {sentence(refused.message)}
          </span>
        )}
        {hint !== undefined && <span className={`${css.hint} ${css.field}`}>{hint}</span>}
      </span>
    </label>
  )
}

interface RadioCardsProps<Value extends string> {
  label: string
  value: Value
  options: readonly Option<Value>[]
  onValue: (value: Value) => void
}

export function RadioCards<Value extends string>(props: RadioCardsProps<Value>) {
  const { label, value, options, onValue } = props
  const name = useId()
  return (
    <fieldset className={css.cards}>
      <legend className={css.label}>{label}</legend>
      {options.map((each) => (
        <label key={each.value} className={css.card}>
          <input
            type="radio"
            name={name}
            checked={value === each.value}
            disabled={each.blocked !== undefined}
            onChange={() => onValue(each.value)}
          />
          <span className={css.field}>
            <b>{each.label}</b>
            {(each.blocked ?? each.hint) !== undefined && (
              <span className={css.hint}>{each.blocked ?? each.hint}</span>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

interface CheckGroupProps<Value extends string> {
  label: string
  hint?: string
  /** In columns, for many short ones. */
  columns?: boolean
  values: readonly Value[]
  options: readonly Option<Value>[]
  onValues: (values: readonly Value[]) => void
}

/** Several of a few options, in the order of the options. */
export function CheckGroup<Value extends string>(props: CheckGroupProps<Value>) {
  const { label, hint, columns, values, options, onValues } = props
  const change = (value: Value, isOn: boolean): void =>
    onValues(
      options.map((each) => each.value).filter((e) => (e === value ? isOn : values.includes(e))),
    )
  return (
    <fieldset className={columns ? `${css.cards} ${css.many}` : css.cards}>
      <legend className={css.label}>{label}</legend>
      {hint !== undefined && <span className={`${css.hint} ${css.whole}`}>{hint}</span>}
      {options.map((each) => (
        <Checkbox
          key={each.value}
          label={each.label}
          hint={each.hint}
          checked={values.includes(each.value)}
          onValue={(isOn) => change(each.value, isOn)}
        />
      ))}
    </fieldset>
  )
}
