/** What can be done with the chosen devices: by a job, whose progress has a page. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreateJob } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { jsonObjectOf, NO_JSON_OBJECT } from '../../api/json-object.ts'
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
  /** How many devices pass the filter, as far as that is known. */
  matching: string | undefined
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

export function SelectionBar({ chosen, filter, matching, isAllShown, onDone }: BarProps) {
  const [isAll, setAll] = useState(false)
  const [isChanging, setChanging] = useState(false)
  const blocked = useBlocked('createJob')
  const all = matching === undefined ? 'All that match' : `All ${matching} that match`
  const what = isAll ? all : `${chosen.size} selected`
  return (
    <Note
      title={what}
      action={
        <End>
          <Button onClick={onDone}>Clear</Button>
          <Button kind="primary" blocked={blocked} onClick={() => setChanging(true)}>
            Change…
          </Button>
        </End>
      }
    >
      {!isAllShown && (
        <Button kind="quiet" onClick={() => setAll(!isAll)}>
          {isAll ? 'Only the selected ones' : `Select ${all.toLowerCase()}`}
        </Button>
      )}
      {isChanging && (
        <StartJob
          selection={isAll ? { filter } : { device_ids: [...chosen] }}
          count={isAll ? all : `${chosen.size} devices`}
          onClose={() => setChanging(false)}
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

interface Typed {
  text: string
  value: string
  payload: Record<string, unknown> | undefined
}

function parametersOf(
  action: Action,
  { text, value, payload = {} }: Typed,
): CreateJob['parameters'] {
  if (action === 'tag') return { set: { [text]: value } }
  return action === 'command' ? { name: text, payload } : undefined
}

function StartJob({ selection, count, onClose }: StartProps) {
  const { id, slug } = useWorkspace()
  const navigate = useNavigate()
  const start = useChange('createJob', ['listJobs'])
  const [action, setAction] = useState<Action>('tag')
  const [text, setText] = useState('')
  const [value, setValue] = useState('')
  const [typed, setTyped] = useState('')
  const known = actions.find((each) => each.action === action)
  // What cannot be undone is not started by one click.
  const word = action === 'decommission' ? action : undefined
  const isConfirmed = word === undefined || typed === word
  const payload = jsonObjectOf(value)
  const isReadable = action !== 'command' || payload !== undefined
  const parameters = parametersOf(action, { text, value, payload })
  const body: CreateJob = { action, ...selection, ...(parameters && { parameters }) }
  useNextCall('createJob', { params: { id }, body })
  const submit = (): void => {
    if (!isReadable || !isConfirmed) return
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
              error={isReadable ? undefined : NO_JSON_OBJECT}
              value={value}
              onValue={setValue}
            />
          </>
        )}
        <Note tone={known?.danger ? 'warn' : 'info'}>
          {count} {known?.effect}. A job does it; it can be cancelled while it runs.
        </Note>
        {word !== undefined && (
          <TextField label={`Type ${word} to confirm`} mono value={typed} onValue={setTyped} />
        )}
        <FormActions>
          <Button
            type="submit"
            kind={known?.danger ? 'danger' : 'primary'}
            busy={start.isPending}
            blocked={isConfirmed ? undefined : `Type ${word} first.`}
          >
            Start
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}
