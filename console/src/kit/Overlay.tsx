/** What floats above a page: dialogs, menus, messages that pass. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { Menu as BaseMenu } from '@base-ui/react/menu'
import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { type ReactElement, type ReactNode, useState } from 'react'
import type { Problem } from '../api/problem.ts'
import { Button, IconButton } from './Button.tsx'
import { Form, FormActions, TextField } from './Field.tsx'
import css from './Overlay.module.css'

interface DialogProps {
  title: string
  open: boolean
  onClose: () => void
  wide?: boolean
  /** It has shown something that can't be shown again: only its own button closes it. */
  stays?: boolean
  children: ReactNode
}

export function Dialog({ title, open, onClose, wide, stays, children }: DialogProps) {
  const change = (isOpen: boolean): void => {
    if (!isOpen && stays !== true) onClose()
  }
  return (
    <Base.Root open={open} onOpenChange={change}>
      <Base.Portal>
        <Base.Backdrop className={css.backdrop} />
        <Base.Popup className={wide ? `${css.dialog} ${css.wide}` : css.dialog}>
          <header className={css.dialogHead}>
            <Base.Title render={<h2 />}>{title}</Base.Title>
            {stays !== true && (
              <Base.Close render={<IconButton label="Close" icon={<X size={16} />} />} />
            )}
          </header>
          <div className={css.dialogBody}>{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

interface ConfirmProps {
  title: string
  /** What will happen, in numbers where there are any. */
  children: ReactNode
  act: string
  kind?: 'primary' | 'danger'
  /** Has to be typed first, for what can't be undone. */
  typed?: string
  busy: boolean
  problem: Problem | null
  onConfirm: () => void
  onClose: () => void
}

export function ConfirmDialog(props: ConfirmProps) {
  const { title, children, act, kind = 'danger', typed, busy, problem, onConfirm, onClose } = props
  const [text, setText] = useState('')
  const isTyped = typed === undefined || text === typed
  return (
    <Dialog title={title} open onClose={onClose}>
      <Form problem={problem} onSubmit={() => isTyped && !busy && onConfirm()}>
        <div>{children}</div>
        {typed !== undefined && (
          <TextField label={`Type ${typed} to confirm`} value={text} onValue={setText} mono />
        )}
        <FormActions>
          <Button
            kind={kind}
            type="submit"
            busy={busy}
            blocked={isTyped ? undefined : `Type ${typed} first.`}
          >
            {act}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}

export interface MenuItem {
  label: string
  icon?: ReactNode
  danger?: boolean
  /** Why it can't be used now. */
  blocked?: string | undefined
  onSelect: () => void
}

export const Menu = ({ trigger, items }: { trigger: ReactElement; items: readonly MenuItem[] }) => (
  <BaseMenu.Root>
    <BaseMenu.Trigger render={trigger} />
    <BaseMenu.Portal>
      <BaseMenu.Positioner sideOffset={4} align="end">
        <BaseMenu.Popup className={css.popup}>
          {items.map(({ label, icon, danger, blocked, onSelect }) => (
            <BaseMenu.Item
              key={label}
              className={danger ? `${css.item} ${css.danger}` : css.item}
              disabled={blocked !== undefined}
              title={blocked}
              onClick={onSelect}
            >
              {icon}
              {label}
            </BaseMenu.Item>
          ))}
        </BaseMenu.Popup>
      </BaseMenu.Positioner>
    </BaseMenu.Portal>
  </BaseMenu.Root>
)

const toasts = Toast.createToastManager()

/** Says shortly that something has happened. What was refused is said where it was asked. */
export const say = (title: string, description?: string): void =>
  void toasts.add({ title, ...(description !== undefined && { description }) })

function ToastList() {
  return Toast.useToastManager().toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={css.toast}>
      <div>
        <Toast.Title render={<b />} />
        <Toast.Description />
      </div>
      <Toast.Close render={<IconButton label="Dismiss" icon={<X size={14} />} />} />
    </Toast.Root>
  ))
}

export const Toasts = () => (
  <Toast.Provider toastManager={toasts}>
    <Toast.Portal>
      <Toast.Viewport className={css.toasts}>
        <ToastList />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)
