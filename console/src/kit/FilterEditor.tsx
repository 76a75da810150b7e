/**
 * The editor of filters: colours, completion, and the service's refusal underlined where it points.
 * The text is one editable line; colours are highlights over it, so that it needs no other nodes.
 */
import {
  type FocusEvent,
  type HTMLAttributes,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import {
  type Completion,
  completionsAt,
  type FilterField,
  type Refusal,
  refusalIn,
  tokensOf,
  type TypedValue,
  valueAt,
} from '../api/filter.ts'
import type { FieldError, Problem } from '../api/problem.ts'
import { Button } from './Button.tsx'
import css from './FilterEditor.module.css'
import { rich, t } from '../i18n/frame.ts'

interface EditorProps {
  label: string
  placeholder: string
  value: string
  fields: readonly FilterField[]
  /** Why the service refused the filter. */
  problem: Problem | null
  /** The kind of value being typed, so that its values can be offered; `other`: none. */
  onTyped: (typed: TypedValue | 'other') => void
  onSubmit: (value: string) => void
}

/** The message of the service about the filter itself. */
export const refusalOf = (problem: Problem | null) =>
  problem?.errors.find(({ pointer }) => pointer === '/query/filter')

/** Pause in typing after which values are asked for. */
const ASK_MS = 150
const SHOWN = 12

const kinds = ['field', 'operator', 'value', 'keyword'] as const

function rangeOf(node: Text, start: number, end: number): Range {
  const range = new Range()
  range.setStart(node, Math.min(start, node.length))
  range.setEnd(node, Math.min(end, node.length))
  return range
}

/** Colours the text. Browsers without highlights show it in one colour. */
function colour(element: HTMLElement, wrong: Refusal['place']): void {
  const { highlights } = CSS as { highlights?: HighlightRegistry }
  const node = element.firstChild
  if (highlights === undefined) return
  const tokens = node instanceof Text ? tokensOf(node.data) : []
  for (const kind of kinds) {
    const ranges = tokens
      .filter((each) => each.kind === kind)
      .map(({ start, end }) => rangeOf(node as Text, start, end))
    highlights.set(`filter-${kind}`, new Highlight(...ranges))
  }
  highlights.delete('filter-error')
  if (wrong === undefined || !(node instanceof Text)) return
  // Where the filter ends too early, its last character is marked.
  const start = Math.max(0, Math.min(wrong.start, node.length - 1))
  highlights.set('filter-error', new Highlight(rangeOf(node, start, wrong.end)))
}

function caretOf(element: HTMLElement): number {
  const selection = getSelection()
  if (selection?.focusNode == null || !element.contains(selection.focusNode)) return 0
  return selection.focusNode instanceof Text
    ? selection.focusOffset
    : (element.textContent?.length ?? 0)
}

function setText(element: HTMLElement, text: string, caret: number): void {
  element.textContent = text
  const node = element.firstChild
  if (node instanceof Text) getSelection()?.collapse(node, caret)
}

/** The completions at the caret, and which of them is chosen. */
function useCompletions(fields: readonly FilterField[]) {
  const [found, setFound] = useState<readonly Completion[]>([])
  const [at, setAt] = useState(-1)
  const isOpen = useRef(false)
  const refresh = useCallback((element: HTMLElement, present: readonly FilterField[]) => {
    if (!isOpen.current) return
    setFound(completionsAt(element.textContent ?? '', caretOf(element), present).slice(0, SHOWN))
  }, [])
  return {
    found,
    at,
    refresh,
    move: (by: number) => setAt((now) => Math.max(-1, Math.min(found.length - 1, now + by))),
    close: (): void => {
      isOpen.current = false
      setFound([])
    },
    update(element: HTMLElement) {
      isOpen.current = true
      refresh(element, fields)
      setAt(-1)
    },
  }
}

interface Refused {
  refusal: Refusal
  /** The language of the text of the service. */
  lang: FieldError['lang']
  /** The filter that was refused. */
  text: string
}

/** Why the service refused a filter, in one sentence. */
export function RefusalText({ refusal, lang, text }: Refused) {
  const why = <span lang={lang}>{refusal.why.replace(/[\p{L}\d)]$/u, '$&.')}</span>
  if (refusal.place === undefined) return rich('The filter is refused: {why}', { why })
  const part = text.slice(refusal.place.start, refusal.place.end)
  return part === ''
    ? rich('The filter cannot be read at its end: {why}', { why })
    : rich('The filter cannot be read at “{part}”: {why}', { part, why })
}

interface TextProps
  extends Pick<EditorProps, 'value' | 'fields' | 'onTyped'>,
    Omit<HTMLAttributes<HTMLDivElement>, 'onSubmit'> {
  refusal: Refusal | undefined
  /** With each character. */
  onEdit?: (value: string) => void
  onSubmit: (value: string) => void
}

/** The line itself, and the list of completions below it. */
export function FilterText(props: TextProps) {
  const { value, fields, refusal, onTyped, onEdit, onSubmit, ...rest } = props
  const element = useRef<HTMLDivElement>(null)
  const id = useId()
  const completions = useCompletions(fields)
  useEffect(() => {
    const editor = element.current as HTMLDivElement
    if (editor.textContent !== value) editor.textContent = value
    colour(editor, refusal?.place)
  }, [value, refusal])

  const asking = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(asking.current), [])
  // Values arrive while one types.
  const { refresh } = completions
  useEffect(() => refresh(element.current as HTMLDivElement, fields), [refresh, fields])

  const edited = (): void => {
    const editor = element.current as HTMLDivElement
    // A refused word stays marked until it is changed: also when the caret comes back to it.
    colour(editor, editor.textContent === value ? refusal?.place : undefined)
    completions.update(editor)
    onEdit?.(editor.textContent ?? '')
    clearTimeout(asking.current)
    const typed = valueAt(editor.textContent ?? '', caretOf(editor)) ?? 'other'
    asking.current = setTimeout(() => onTyped(typed), ASK_MS)
  }
  /** A dialog that opens has the focus here: the list would cover its other fields. */
  const focused = ({ currentTarget, relatedTarget }: FocusEvent<HTMLDivElement>): void => {
    const dialog = currentTarget.closest('[role="dialog"]')
    if (dialog === null || dialog.contains(relatedTarget)) edited()
  }
  const complete = ({ text, start, end }: Completion): void => {
    const editor = element.current as HTMLDivElement
    const before = editor.textContent ?? ''
    const rest = before.slice(end).trimStart()
    const space = text.endsWith('.') ? '' : ' '
    setText(
      editor,
      before.slice(0, start) + text + space + rest,
      start + text.length + space.length,
    )
    editor.focus()
    edited()
  }
  const submit = (): void => {
    completions.close()
    onSubmit((element.current?.textContent ?? '').trim())
  }
  const isOpen = completions.found.length > 0
  const press = (event: KeyboardEvent): void => {
    const chosen = completions.found[completions.at]
    if (event.key === 'ArrowDown') completions.move(1)
    else if (event.key === 'ArrowUp') completions.move(-1)
    else if (event.key === 'Escape' && isOpen) {
      completions.close()
      // The dialog around it stays.
      event.stopPropagation()
    } else if (event.key !== 'Enter') return
    else if (chosen === undefined) submit()
    else complete(chosen)
    event.preventDefault()
  }
  return (
    <>
      <div
        {...rest}
        ref={element}
        className={css.text}
        role="combobox"
        tabIndex={0}
        contentEditable="plaintext-only"
        suppressContentEditableWarning
        spellCheck={false}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={completions.at >= 0 ? `${id}-${completions.at}` : undefined}
        aria-invalid={refusal !== undefined || undefined}
        onInput={edited}
        onFocus={focused}
        onBlur={completions.close}
        onKeyDown={press}
      />
      {isOpen && (
        <ul className={css.list} id={`${id}-list`} role="listbox" aria-label={t('Completions')}>
          {completions.found.map((each, at) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the editor has them
            <li
              key={each.text}
              id={`${id}-${at}`}
              role="option"
              aria-selected={at === completions.at}
              // Before the editor loses the focus.
              onMouseDown={(event) => {
                event.preventDefault()
                complete(each)
              }}
            >
              {each.text}
              <span>{each.hint}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

export function FilterEditor(props: EditorProps) {
  const { label, placeholder, value, fields, problem, onTyped, onSubmit } = props
  const id = useId()
  const refused = refusalOf(problem)
  const message = refused?.message
  const refusal = useMemo(
    () => (message === undefined ? undefined : refusalIn(message, value, fields)),
    [message, value, fields],
  )
  return (
    <div className={css.editor}>
      <FilterText
        aria-label={label}
        aria-describedby={id}
        data-placeholder={placeholder}
        value={value}
        fields={fields}
        refusal={refusal}
        onTyped={onTyped}
        onSubmit={onSubmit}
      />
      <div className={css.refusal}>
        <div className={css.error} id={id} role="alert">
          {refusal && <RefusalText refusal={refusal} lang={refused?.lang} text={value} />}
        </div>
        {refusal !== undefined && <Button onClick={() => onSubmit('')}>{t('Clear filter')}</Button>}
      </div>
    </div>
  )
}
