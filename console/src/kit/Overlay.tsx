/** The layers above a page: dialogs, menus, hints, messages that pass. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { Menu as BaseMenu } from '@base-ui/react/menu'
import { Toast } from '@base-ui/react/toast'
import { Tooltip } from '@base-ui/react/tooltip'
import { Check, X } from 'lucide-react'
import {
  cloneElement,
  Fragment,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import type { Problem } from '../api/problem.ts'
import { PanePlace } from './ApiPane.tsx'
import { Button, IconButton, type TipProps, Tips } from './Button.tsx'
import { Form, FormActions, TextField } from './Field.tsx'
import { Note, UnreadTogether } from './Note.tsx'
import css from './Overlay.module.css'
import { SaidOnce } from './SaidOnce.tsx'
import { t } from '../i18n/frame.ts'

interface DialogProps {
  title: string
  open: boolean
  onClose: () => void
  wide?: boolean
  /** It has shown something that can't be shown again: only its own button closes it. */
  stays?: boolean
  /** Has the focus at first if nothing is to be typed: the act that changes nothing. */
  safe?: RefObject<HTMLElement | null>
  children: ReactNode
}

const FIRST = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]'

/** The first field that is not folded away. */
const firstIn = (body: HTMLElement | null): HTMLElement | undefined =>
  [...(body?.querySelectorAll<HTMLElement>(FIRST) ?? [])].find((field) => field.checkVisibility())

/**
 * The focus goes to where somebody types, else to the safe act, else to the dialog itself, which is
 * then read from its title on (ARIA Authoring Practices, dialog pattern). The close button would
 * show its hint, and the first Escape would end only that.
 */
export function Dialog({ title, open, onClose, wide, stays, safe, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const change = (isOpen: boolean): void => {
    if (!isOpen && stays !== true) onClose()
  }
  return (
    <Base.Root open={open} onOpenChange={change}>
      <Base.Portal>
        <Base.Backdrop className={css.backdrop} />
        <Base.Popup
          ref={popup}
          className={wide ? `${css.dialog} ${css.wide}` : css.dialog}
          initialFocus={() => firstIn(body.current) ?? safe?.current ?? popup.current}
        >
          <header className={css.dialogHead}>
            <Base.Title render={<h2 />}>{title}</Base.Title>
            {stays !== true && (
              <Base.Close render={<IconButton label={t('Close')} icon={<X size={16} />} />} />
            )}
          </header>
          <div ref={body} className={css.dialogBody}>
            <SaidOnce>
              <UnreadTogether whole={t('Parts of this dialog')} />
              {children}
            </SaidOnce>
          </div>
          <PanePlace />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

interface ConfirmProps {
  title: string
  /** The coming effects, in numbers where there are any. */
  children: ReactNode
  act: string
  /** The button that changes nothing, where “Cancel” could be read as the act. */
  keep?: string
  kind?: 'primary' | 'danger'
  /** Has to be typed first, for what can't be undone. */
  typed?: string
  /** Why the person may not do it; it was asked for by an address, or by the palette. */
  blocked?: string | undefined
  /** The fields to fill in first. Its field says the same, so no note does. */
  missing?: string | undefined
  busy: boolean
  problem: Problem | null
  onConfirm: () => void
  onClose: () => void
}

export function ConfirmDialog(props: ConfirmProps) {
  const { title, children, act, kind = 'danger', typed, busy, problem, onConfirm, onClose } = props
  const [text, setText] = useState('')
  const isTyped = typed === undefined || text === typed
  const untyped = isTyped ? undefined : t('Type {text} first.', { text: typed })
  const blocked = props.blocked ?? props.missing ?? untyped
  const cancel = useRef<HTMLButtonElement>(null)
  return (
    <Dialog title={title} open onClose={onClose} safe={cancel}>
      <Form problem={problem} onSubmit={() => blocked === undefined && !busy && onConfirm()}>
        <div>{children}</div>
        {props.blocked !== undefined && <Note>{props.blocked}</Note>}
        {typed !== undefined && (
          <TextField
            label={t('Type {text} to confirm', { text: typed })}
            value={text}
            onValue={setText}
            mono
          />
        )}
        <FormActions>
          <Button kind={kind} type="submit" busy={busy} blocked={blocked}>
            {act}
          </Button>
          <Button ref={cancel} onClick={onClose}>
            {props.keep ?? t('Cancel')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}

export interface MenuItem {
  label: string
  icon?: ReactNode
  danger?: boolean
  /** Items of one group follow each other, under its name. */
  group?: string
  /** Whether it is the chosen one of several. */
  isChosen?: boolean
  /** Why it can't be used now. */
  blocked?: string | undefined
  /** Its action is seen in the menu. */
  staysOpen?: boolean
  onSelect: () => void
}

interface EntryProps extends MenuItem {
  /** Whether the next one is off for the same reason, and says so. */
  isExplainedBelow: boolean
}

/** Fingers and keys reach no hint of the browser: why an entry is off stands in the menu. */
function MenuEntry({ isExplainedBelow, ...item }: EntryProps) {
  const { label, icon, danger, isChosen, blocked, staysOpen, onSelect } = item
  return (
    <BaseMenu.Item
      className={danger ? `${css.item} ${css.danger}` : css.item}
      disabled={blocked !== undefined}
      aria-description={blocked}
      aria-current={isChosen === true || undefined}
      closeOnClick={staysOpen !== true}
      onClick={onSelect}
    >
      {icon}
      {label}
      {isChosen === true && <Check size={14} aria-hidden="true" className={css.mark} />}
      {blocked !== undefined && !isExplainedBelow && (
        <span className={css.why} aria-hidden="true">
          {blocked}
        </span>
      )}
    </BaseMenu.Item>
  )
}

/** Neighbours of one group. */
function groupsOf(items: readonly MenuItem[]): MenuItem[][] {
  const groups: MenuItem[][] = []
  for (const item of items) {
    const last = groups.at(-1)
    if (last?.[0]?.group === item.group && last !== undefined) last.push(item)
    else groups.push([item])
  }
  return groups
}

export const Menu = ({ trigger, items }: { trigger: ReactElement; items: readonly MenuItem[] }) => (
  <BaseMenu.Root>
    <BaseMenu.Trigger render={trigger} />
    <BaseMenu.Portal>
      <BaseMenu.Positioner sideOffset={4} align="end" className={css.above}>
        <BaseMenu.Popup className={css.popup}>
          {groupsOf(items).map((group, at) => {
            const name = group[0]?.group
            const entries = group.map((item, index) => (
              <MenuEntry
                key={index}
                {...item}
                isExplainedBelow={group[index + 1]?.blocked === item.blocked}
              />
            ))
            if (name === undefined) return <Fragment key={at}>{entries}</Fragment>
            return (
              <BaseMenu.Group key={at} className={css.group}>
                <BaseMenu.GroupLabel className={css.groupLabel}>{name}</BaseMenu.GroupLabel>
                {entries}
              </BaseMenu.Group>
            )
          })}
        </BaseMenu.Popup>
      </BaseMenu.Positioner>
    </BaseMenu.Portal>
  </BaseMenu.Root>
)

/** A finger has no pointer that rests: touching a control that is off shows why it is. */
function Hint({ tip, children }: TipProps) {
  const [isOpen, setOpen] = useState(false)
  const isOff = children.props['aria-disabled'] === true
  const control = isOff ? cloneElement(children, { 'aria-description': tip }) : children
  return (
    <Tooltip.Root open={isOpen} onOpenChange={setOpen}>
      <Tooltip.Trigger
        render={control}
        closeOnClick={!isOff}
        onClick={() => isOff && setOpen(true)}
      />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className={css.above}>
          <Tooltip.Popup className={css.tip}>{tip}</Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}

const drawTip = (props: TipProps) => <Hint {...props} />

/** Draws the hints of everything within it. */
export const Hints = ({ children }: { children: ReactNode }) => (
  <Tooltip.Provider delay={400}>
    <Tips value={drawTip}>{children}</Tips>
  </Tooltip.Provider>
)

interface Said {
  title: string
  description?: string
}

/** Draws a message. Its component is loaded after the page: until then there is none. */
let draw: ((said: Said) => void) | undefined
/** Messages from before it could be drawn. */
let early: Said[] = []

/** Says shortly that something has happened. A refusal is shown where the request was made. */
export function say(title: string, description?: string): void {
  const said = { title, ...(description !== undefined && { description }) }
  if (draw === undefined) early.push(said)
  else draw(said)
}

function ToastList() {
  const { toasts, add } = Toast.useToastManager()
  useEffect(() => {
    draw = add
    for (const said of early) add(said)
    early = []
    return () => {
      draw = undefined
    }
  }, [add])
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={css.toast}>
      <div>
        <Toast.Title render={<b />} />
        <Toast.Description />
      </div>
      <Toast.Close render={<IconButton label={t('Dismiss')} icon={<X size={14} />} />} />
    </Toast.Root>
  ))
}

export const Toasts = () => (
  <Toast.Provider>
    <Toast.Portal>
      <Toast.Viewport className={css.toasts}>
        <ToastList />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)
