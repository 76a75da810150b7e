/** A panel that changes a resource with one operation: only members that differ are sent. */
import type { ReactNode } from 'react'
import type { Body, Input, OperationId } from '../api/client.ts'
import { useDraft } from '../api/draft.ts'
import { useChange } from '../api/hooks.ts'
import { useBlocked } from '../session/workspace.tsx'
import { useNextCall } from './ApiPane.tsx'
import { DraftForm } from './DraftForm.tsx'
import { Panel } from './Layout.tsx'
import { say } from './Overlay.tsx'
import { t } from '../i18n/frame.ts'

interface ChangeFormProps<Id extends OperationId, Value extends object> {
  title: string
  operation: Id
  params: Input<Id>['params']
  /** The ETag of the response that `present` was read from. */
  etag: string | undefined
  /** The present values of the service, as the form shows them. */
  present: Value
  bodyOf: (value: Value, base: Value) => Body<Id>
  /** Why a value can't be saved, if the page itself sees it. */
  faultOf?: (value: Value) => string | undefined
  /** The reads that are out of date afterwards. */
  refreshes: readonly OperationId[]
  /** Said once it is saved, besides that it is. */
  saved?: string
  children: (value: Value, change: (changes: Partial<Value>) => void) => ReactNode
}

export function ChangeForm<Id extends OperationId, Value extends object>(
  props: ChangeFormProps<Id, Value>,
) {
  const { title, operation, params, etag, present, refreshes, saved, children } = props
  const { bodyOf, faultOf } = props
  const draft = useDraft(present, etag)
  const save = useChange(operation, refreshes)
  const blocked = useBlocked(operation)
  const input = { params, body: bodyOf(draft.value, draft.base) } as Input<Id>
  useNextCall(operation, input)
  const done = (): void => {
    draft.drop()
    say(t('Saved'), saved)
  }
  return (
    <Panel title={title}>
      <DraftForm
        draft={draft}
        problem={save.error}
        busy={save.isPending}
        blocked={blocked ?? faultOf?.(draft.value)}
        onSave={() => save.mutate({ ...input, etag: draft.etag }, { onSuccess: done })}
        onReset={save.reset}
      >
        {children(draft.value, draft.change)}
      </DraftForm>
    </Panel>
  )
}
