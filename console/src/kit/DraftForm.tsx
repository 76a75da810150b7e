/** A form that changes a resource: it saves, discards, and shows what others changed meanwhile. */
import type { ReactNode } from 'react'
import type { Draft } from '../api/draft.ts'
import type { Problem } from '../api/problem.ts'
import { Button } from './Button.tsx'
import { Diff } from './Diff.tsx'
import { Form, FormActions } from './Field.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'
import { Note } from './Note.tsx'
import { t } from '../i18n/frame.ts'

interface DraftFormProps<Value> {
  draft: Draft<Value>
  problem: Problem | null
  busy: boolean
  /** Why it can't be saved. */
  blocked?: string | undefined
  /** The label of the button instead of “Save”. */
  act?: string
  /** The part of a draft in a difference; all of it by default. */
  shown?: (value: Value) => unknown
  onSave: () => void
  /** Forgets the last refusal. */
  onReset: () => void
  children: ReactNode
}

export function DraftForm<Value>(props: DraftFormProps<Value>) {
  const { draft, problem, busy, blocked, act = t('Save'), onSave, onReset, children } = props
  const { shown = (value: Value): unknown => value } = props
  const isOutdated = problem?.code === 'precondition_failed'
  const why = blocked ?? (draft.isChanged ? undefined : t('Nothing is changed.'))
  const rebase = (): void => {
    draft.rebase()
    onReset()
  }
  const discard = (): void => {
    draft.drop()
    onReset()
  }
  return (
    <Form
      problem={isOutdated ? null : problem}
      onSubmit={() => why === undefined && !busy && onSave()}
    >
      {isOutdated && (
        <>
          <Note tone="bad" title={problem.title}>
            {t('Nothing was saved. From theirs to yours:')}
          </Note>
          <Diff before={shown(draft.present)} after={shown(draft.value)} />
          <FormActions>
            <Button onClick={rebase}>{t('Keep mine')}</Button>
            <Button onClick={discard}>{t('Take theirs')}</Button>
          </FormActions>
        </>
      )}
      {children}
      <FormActions>
        <Button type="submit" kind="primary" busy={busy} blocked={why}>
          {act}
        </Button>
        {draft.isChanged && !isOutdated && (
          <Button onClick={discard}>{t('Discard changes')}</Button>
        )}
      </FormActions>
      <LeaveGuard when={draft.isChanged} />
    </Form>
  )
}
