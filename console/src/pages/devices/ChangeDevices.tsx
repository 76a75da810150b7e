/** The dialog that changes the chosen devices, by a job. */
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreateJob } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { jsonObjectOf, NO_JSON_OBJECT } from '../../api/json-object.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, Select, TextArea, TextField } from '../../kit/Field.tsx'
import { Note, Pending } from '../../kit/Note.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { below } from '../../kit/navigation.tsx'
import { WITH_NEW } from '../../session/new-dialog.ts'
import { useActionBlocks } from '../../session/action-blocks.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { DEFAULT_TIMEOUT_S } from './command-labels.ts'
import { rich, t } from './translations.ts'

type Kind =
  | 'tag'
  | 'untag'
  | 'move_template'
  | 'publish_config'
  | 'command'
  | 'rotate'
  | 'resume'
  | 'suspend'
  | 'decommission'

interface Choice {
  kind: Kind
  label: string
  /** Its effect on one device or many. */
  effect: (count: string) => string
  danger?: true
}

const choices: readonly Choice[] = [
  {
    kind: 'tag',
    label: t('Set a tag'),
    effect: (count) => t('{count}: the tag is set.', { count }),
  },
  {
    kind: 'untag',
    label: t('Remove a tag'),
    effect: (count) => t('{count}: the tag is removed.', { count }),
  },
  {
    kind: 'move_template',
    label: t('Move to a template'),
    effect: (count) =>
      t('{count}: the rules, the configuration and the commands of the template apply.', { count }),
  },
  {
    kind: 'publish_config',
    label: t('Change the configuration'),
    effect: (count) => t('It is merged into the own configuration of {count}.', { count }),
  },
  {
    kind: 'command',
    label: t('Send command'),
    effect: (count) => t('{count}: the command is sent.', { count }),
  },
  {
    kind: 'rotate',
    label: t('Rotate'),
    effect: (count) =>
      t('{count}: asked to take new credentials; the old ones work until the new ones are used.', {
        count,
      }),
  },
  {
    kind: 'resume',
    label: t('Resume'),
    effect: (count) => t('{count} may connect again.', { count }),
  },
  {
    kind: 'suspend',
    label: t('Suspend'),
    effect: (count) => t('{count}: disconnected, and refused until resumed.', { count }),
    danger: true,
  },
  {
    kind: 'decommission',
    label: t('Decommission'),
    effect: (count) => t('{count}: the credentials are deleted permanently.', { count }),
    danger: true,
  },
]

const actionOf = (kind: Kind): CreateJob['action'] => (kind === 'untag' ? 'tag' : kind)

interface Typed {
  /** A tag, or the name of a command. */
  name: string
  /** The value of a tag, or JSON. */
  value: string
  /** Seconds to wait for the response to a command. */
  timeout: string
  /** Undefined until somebody has chosen; null: none. */
  templateId: string | null | undefined
}

const nothingTyped: Typed = {
  name: '',
  value: '',
  timeout: DEFAULT_TIMEOUT_S,
  templateId: undefined,
}

/** The parameters of the job besides its action; null while it cannot be read. */
function parametersOf(
  kind: Kind,
  { name, value, timeout, templateId }: Typed,
): Pick<CreateJob, 'parameters'> | null {
  if (kind === 'tag') return { parameters: { set: { [name]: value } } }
  if (kind === 'untag') return { parameters: { remove: [name] } }
  if (kind === 'move_template') {
    return templateId === undefined ? null : { parameters: { template_id: templateId } }
  }
  if (kind !== 'command' && kind !== 'publish_config') return {}
  const json = jsonObjectOf(value)
  if (json === undefined) return null
  if (kind === 'publish_config') return { parameters: { config: json } }
  return { parameters: { name, payload: json, timeout_s: Number(timeout) } }
}

interface InputsProps {
  kind: Kind
  typed: Typed
  isReadable: boolean
  onTyped: (changes: Partial<Typed>) => void
}

const UNCHOSEN = 'unchosen'
const NONE = 'none'

function Template({ typed, onTyped }: Omit<InputsProps, 'kind' | 'isReadable'>) {
  const { id } = useWorkspace()
  const templates = useRead('listDeviceTemplates', { params: { id }, query: { limit: 200 } })
  if (templates.data === undefined) return <Pending query={templates} of={t('Templates')} />
  const { templateId } = typed
  const options = templates.data.items.map((each) => ({ value: each.id, label: each.name }))
  // Without this one, devices would lose their template because nobody chose one.
  const choose = templateId === undefined ? [{ value: UNCHOSEN, label: t('Choose…') }] : []
  return (
    <Select
      label={t('Template')}
      pointer="/parameters/template_id"
      value={templateId === undefined ? UNCHOSEN : (templateId ?? NONE)}
      options={[...choose, { value: NONE, label: t('No template: the default rules') }, ...options]}
      onValue={(value) => onTyped({ templateId: value === NONE ? null : value })}
    />
  )
}

function Inputs({ kind, typed, isReadable, onTyped }: InputsProps) {
  const { name, value, timeout } = typed
  const error = isReadable ? undefined : NO_JSON_OBJECT
  const setName = (text: string): void => onTyped({ name: text })
  const setValue = (text: string): void => onTyped({ value: text })
  if (kind === 'move_template') return <Template typed={typed} onTyped={onTyped} />
  if (kind === 'untag') {
    const pointer = '/parameters/remove'
    return <TextField label={t('Tag')} pointer={pointer} value={name} onValue={setName} />
  }
  if (kind === 'tag') {
    return (
      <>
        <TextField label={t('Tag')} pointer="/parameters/set" value={name} onValue={setName} />
        <TextField
          label={t('Value')}
          hint={t('Devices that have this tag get the new value.')}
          value={value}
          onValue={setValue}
        />
      </>
    )
  }
  if (kind === 'publish_config') {
    return (
      <TextArea
        label={t('Changes as JSON')}
        hint={t('Members that are null are removed.')}
        mono
        pointer="/parameters/config"
        error={error}
        value={value}
        onValue={setValue}
      />
    )
  }
  if (kind !== 'command') return null
  return (
    <>
      <TextField label={t('Command')} pointer="/parameters/name" value={name} onValue={setName} />
      <TextArea
        label={t('Arguments as JSON')}
        optional
        mono
        pointer="/parameters/payload"
        error={error}
        value={value}
        onValue={setValue}
      />
      <TextField
        label={t('Seconds to wait for its response')}
        hint={t('A device that is offline gets the command if it connects within this time.')}
        pointer="/parameters/timeout_s"
        inputMode="numeric"
        value={timeout}
        onValue={(text) => onTyped({ timeout: text })}
      />
    </>
  )
}

/**
 * The other way to rotate; a rotation takes a filter, and no devices that were selected one by one.
 */
function InWaves({ filter }: Pick<CreateJob, 'filter'>) {
  const { slug } = useWorkspace()
  const search = filter === undefined ? {} : { ...WITH_NEW, filter }
  return rich('It asks them all at once; a rotation asks in waves, and halts if many fail: {act}', {
    act: (
      <Link to={below(slug, 'rotations')} search={search as never}>
        {t('Rotations')}
      </Link>
    ),
  })
}

interface ChangeProps {
  selection: Pick<CreateJob, 'filter' | 'device_ids'>
  /** How many, in words. */
  count: string
  onClose: () => void
}

export function ChangeDevices({ selection, count, onClose }: ChangeProps) {
  const { id, slug } = useWorkspace()
  const navigate = useNavigate()
  const start = useChange('createJob', ['listJobs'])
  const blocks = useActionBlocks()
  const [kind, setKind] = useState<Kind>('tag')
  const [typed, setTyped] = useState(nothingTyped)
  const [confirmation, setConfirmation] = useState('')
  const known = choices.find((each) => each.kind === kind)
  // An action that cannot be undone is not started by one click.
  const word = kind === 'decommission' ? t('decommission') : undefined
  const isConfirmed = word === undefined || confirmation === word
  const isUnchosen = kind === 'move_template' && typed.templateId === undefined
  const parameters = parametersOf(kind, typed)
  const unconfirmed = isConfirmed ? undefined : t('Type {word} first.', { word })
  const blocked = isUnchosen ? t('Choose a template first.') : unconfirmed
  const body: CreateJob = { action: actionOf(kind), ...selection, ...parameters }
  useNextCall('createJob', { params: { id }, body })
  const submit = (): void => {
    if (parameters === null || !isConfirmed) return
    start.mutate(
      { params: { id }, body },
      { onSuccess: (job) => void navigate({ to: below(slug, `jobs/${job.id}`) }) },
    )
  }
  return (
    <Dialog title={t('Change devices')} open onClose={onClose}>
      <Form onSubmit={submit} problem={start.error}>
        <Select
          label={t('What to do')}
          value={kind}
          onValue={setKind}
          // Actions that a role may not take are shown, with the reason.
          options={choices.map((each) => ({
            value: each.kind,
            label: each.label,
            blocked: blocks[actionOf(each.kind)],
          }))}
        />
        <Inputs
          kind={kind}
          typed={typed}
          isReadable={parameters !== null}
          onTyped={(changes) => setTyped({ ...typed, ...changes })}
        />
        <Note tone={known?.danger ? 'warn' : 'info'}>
          {known?.effect(count)} {t('A job does it; it can be cancelled while it runs.')}{' '}
          {kind === 'rotate' && <InWaves {...selection} />}
        </Note>
        {word !== undefined && (
          <TextField
            label={t('Type {word} to confirm', { word })}
            mono
            value={confirmation}
            onValue={setConfirmation}
          />
        )}
        <SubmitActions
          act={t('Start')}
          kind={known?.danger ? 'danger' : 'primary'}
          busy={start.isPending}
          blocked={blocked}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  )
}
