/** What can be done with the chosen devices: by a job, whose progress has a page. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreateJob } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, Select, TextArea, TextField } from '../../kit/Field.tsx'
import { End } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { below } from '../../kit/navigation.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'

interface BarProps {
  chosen: ReadonlySet<string>
  filter: string
  /** Whether the chosen devices are all that there are. */
  isAllShown: boolean
  onDone: () => void
}

type Action = CreateJob['action']

/** What each action does, in words, for the sentence before it happens. */
const actions: readonly { action: Action; label: string; effect: string; danger?: true }[] = [
  { action: 'tag', label: 'Tag', effect: 'get the tag' },
  { action: 'command', label: 'Send command', effect: 'get the command' },
  {
    action: 'rotate',
    label: 'Rotate',
    effect: 'are asked to take new credentials; the old ones work until the new ones are used',
  },
  { action: 'resume', label: 'Resume', effect: 'may connect again' },
  {
    action: 'suspend',
    label: 'Suspend',
    effect: 'are disconnected and refused until they are resumed',
    danger: true,
  },
  {
    action: 'decommission',
    label: 'Decommission',
    effect: 'lose their credentials for good',
    danger: true,
  },
]

export function SelectionBar({ chosen, filter, isAllShown, onDone }: BarProps) {
  const [isAll, setAll] = useState(false)
  const [action, setAction] = useState<Action | null>(null)
  const blocked = useBlocked('createJob')
  const what = isAll ? 'All that match' : `${chosen.size} selected`
  return (
    <Note
      title={what}
      action={
        <End>
          <Button onClick={onDone}>Clear</Button>
          <Button kind="primary" blocked={blocked} onClick={() => setAction('tag')}>
            Change…
          </Button>
        </End>
      }
    >
      {!isAllShown && (
        <Button kind="quiet" onClick={() => setAll(!isAll)}>
          {isAll ? 'Only the selected ones' : 'Select all that match the filter'}
        </Button>
      )}
      {action !== null && (
        <StartJob
          selection={isAll ? { filter } : { device_ids: [...chosen] }}
          count={isAll ? 'All devices that match' : `${chosen.size} devices`}
          onClose={() => setAction(null)}
        />
      )}
    </Note>
  )
}

interface StartProps {
  selection: Pick<CreateJob, 'filter' | 'device_ids'>
  count: string
  onClose: () => void
}

function parametersOf(action: Action, text: string, value: string): CreateJob['parameters'] {
  if (action === 'tag') return { set: { [text]: value } }
  if (action !== 'command') return undefined
  return { name: text, payload: value.trim() === '' ? {} : (JSON.parse(value) as object as never) }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text || '{}')
    return true
  } catch {
    return false
  }
}

function StartJob({ selection, count, onClose }: StartProps) {
  const { id, slug } = useWorkspace()
  const navigate = useNavigate()
  const start = useChange('createJob', ['listJobs'])
  const [action, setAction] = useState<Action>('tag')
  const [text, setText] = useState('')
  const [value, setValue] = useState('')
  const known = actions.find((each) => each.action === action)
  const isReadable = action !== 'command' || isJson(value)
  const parameters = isReadable ? parametersOf(action, text, value) : undefined
  const body: CreateJob = { action, ...selection, ...(parameters && { parameters }) }
  useNextCall('createJob', { params: { id }, body })
  const submit = (): void => {
    if (!isReadable) return
    start.mutate(
      { params: { id }, body },
      { onSuccess: (job) => void navigate({ to: below(slug, `jobs/${job.id}`) }) },
    )
  }
  return (
    <Dialog title="Change devices" open onClose={onClose}>
      <Form onSubmit={submit} problem={start.error}>
        <Select
          label="What to do"
          value={action}
          onValue={setAction}
          options={actions.map(({ action: each, label }) => ({ value: each, label }))}
        />
        {action === 'tag' && (
          <>
            <TextField label="Tag" pointer="/parameters/set" value={text} onValue={setText} />
            <TextField label="Value" value={value} onValue={setValue} />
          </>
        )}
        {action === 'command' && (
          <>
            <TextField label="Command" pointer="/parameters/name" value={text} onValue={setText} />
            <TextArea
              label="Arguments as JSON"
              optional
              mono
              pointer="/parameters/payload"
              error={isReadable ? undefined : 'This is no JSON.'}
              value={value}
              onValue={setValue}
            />
          </>
        )}
        <Note tone={known?.danger ? 'warn' : 'info'}>
          {count} {known?.effect}. A job does it; it can be cancelled while it runs.
        </Note>
        <FormActions>
          <Button type="submit" kind={known?.danger ? 'danger' : 'primary'} busy={start.isPending}>
            Start
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}
