/** Asks before a page is left with something that would be lost. */
import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ConfirmDialog } from './Overlay.tsx'
import { t } from '../i18n/frame.ts'

interface LeaveGuardProps {
  /** Whether anything would be lost. */
  when: boolean
  title?: string
  children?: ReactNode
}

/** The tab of a page is part of its address; other parts of it change while one works. */
const placeOf = ({ pathname, search }: { pathname: string; search: object }): string =>
  `${pathname} ${String((search as { tab?: unknown }).tab)}`

/** For links within the console. Where the document itself is left, the browser asks. */
export function LeaveGuard({ when, title, children }: LeaveGuardProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => placeOf(current) !== placeOf(next),
    enableBeforeUnload: when,
    disabled: !when,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <ConfirmDialog
      title={title ?? t('Leave without saving?')}
      act={t('Leave this page')}
      keep={t('Stay here')}
      busy={false}
      problem={null}
      onConfirm={proceed}
      onClose={reset}
    >
      {children ?? t('What you have changed here is lost.')}
    </ConfirmDialog>
  )
}
