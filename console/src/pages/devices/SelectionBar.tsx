/** What can be done with the chosen devices: by a job, whose progress has a page. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreateJob } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { jsonObjectOf, NO_JSON_OBJECT } from '../../api/json-object.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, type Option, Select, TextArea, TextField } from '../../kit/Field.tsx'
import { End } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { below } from '../../kit/navigation.tsx'
import { useActionBlocks } from '../../session/action-blocks.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { numberText } from '../../kit/numbers.ts'
import { counted, t } from './words.ts'

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

/** What each action does is a sentence about several devices. */
const actions: readonly {
  action: Action
  label: string
  effect: (count: string) => string
  danger?: true
}[] = [
  {
    action: 'tag',
    label: t('Tag'),
    effect: (count) => t('{count} get the tag.', { count }),
  },
  {
    action: 'command',
    label: t('Send command'),
    effect: (count) => t('{count} get the command.', { count }),
  },
  {
    action: 'rotate',
    label: t('Rotate'),
    effect: (count) =>
      t(
        '{count} are asked to take new credentials; the old ones work until the new ones are used.',
        { count },
      ),
  },
  {
    action: 'resume',
    label: t('Resume'),
    effect: (count) => t('{count} may connect again.', { count }),
  },
  {
    action: 'suspend',
    label: t('Suspend'),
    effect: (count) => t('{count} are disconnected and refused until they are resumed.', { count }),
    danger: true,
  },
  {
    action: 'decommission',
    label: t('Decommission'),
    effect: (count) => t('{count} lose their credentials for good.', { count }),
    danger: true,
  },
]

export default function SelectionBar({ chosen, filter, matching, isAllShown, onDone }: BarProps) {
  const [isAll, setAll] = useState(false)
  const [isChanging, setChanging] = useState(false)
  const blocked = useBlocked('createJob')
  const n = numberText(chosen.size)
  const all =
    matching === undefined ? t('All that match') : t('All {n} that match', { n: matching })
  const selectAll =
    matching === undefined
      ? t('Select all that match')
      : t('Select all {n} that match', { n: matching })
  return (
    <Note
      title={isAll ? all : t('{n} selected', { n })}
      action={
        <End>
          <Button onClick={onDone}>{t('Clear selection')}</Button>
          <Button kind="primary" blocked={blocked} onClick={() => setChanging(true)}>
            {t('Change…')}
          </Button>
        </End>
      }
    >
      {!isAllShown && (
        <Button kind="quiet" onClick={() => setAll(!isAll)}>
          {isAll ? t('Only the selected ones') : selectAll}
        </Button>
      )}
      {isChanging && (
        <StartJob
          selection={isAll ? { filter } : { device_ids: [...chosen] }}
          count={isAll ? all : counted(chosen.size, '{n} device', '{n} devices')}
          onClose={() => setChanging(false)}
        />
      )}
    </Note>
  )
}

/** What can be chosen, and why some of it cannot. */
function useOptions(): Option<Action>[] {
  const blocks = useActionBlocks()
  return actions.map(({ action, label }) => ({ value: action, label, blocked: blocks[action] }))
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
  const options = useOptions()
  const [action, setAction] = useState<Action>('tag')
  const [text, setText] = useState('')
  const [value, setValue] = useState('')
  const [typed, setTyped] = useState('')
  const known = actions.find((each) => each.action === action)
  // What cannot be undone is not started by one click.
  const word = action === 'decommission' ? t('decommission') : undefined
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
    <Dialog title={t('Change devices')} open onClose={onClose}>
      <Form onSubmit={submit} problem={start.error}>
        <Select label={t('What to do')} value={action} onValue={setAction} options={options} />
        {action === 'tag' && (
          <>
            <TextField label={t('Tag')} pointer="/parameters/set" value={text} onValue={setText} />
            <TextField label={t('Value')} value={value} onValue={setValue} />
          </>
        )}
        {action === 'command' && (
          <>
            <TextField
              label={t('Command')}
              pointer="/parameters/name"
              value={text}
              onValue={setText}
            />
            <TextArea
              label={t('Arguments as JSON')}
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
          {known?.effect(count)} {t('A job does it; it can be cancelled while it runs.')}
        </Note>
        {word !== undefined && (
          <TextField
            label={t('Type {word} to confirm', { word })}
            mono
            value={typed}
            onValue={setTyped}
          />
        )}
        <FormActions>
          <Button
            type="submit"
            kind={known?.danger ? 'danger' : 'primary'}
            busy={start.isPending}
            blocked={isConfirmed ? undefined : t('Type {word} first.', { word })}
          >
            {t('Start')}
          </Button>
          <Button onClick={onClose}>{t('Cancel')}</Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}
