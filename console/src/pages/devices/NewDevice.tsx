/** From nothing to a connected device: its identity, its credentials, its code, its connection. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreatedDevice, CreateDevice, DeviceTemplate } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { serialExamples } from '../../api/serial-format.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, Select, TextField } from '../../kit/Field.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Note } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { Stepper } from '../../kit/Stepper.tsx'
import { Token } from '../../kit/Text.tsx'
import { UnreadField } from '../../kit/UnreadField.tsx'
import { WITH_NEW } from '../../session/new-dialog.ts'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { ConnectDevice } from './ConnectDevice.tsx'
import { rich, t } from './translations.ts'

const steps = [t('Device'), t('Credentials'), t('Code'), t('Connected')]

/** Where there is one template, it is the obvious choice. */
const onlyOf = (templates: readonly DeviceTemplate[]): string =>
  templates.length === 1 ? (templates[0]?.id ?? '') : ''

function AboutTemplate({ hasNone }: { hasNone: boolean }) {
  const { slug } = useWorkspace()
  const act = (
    <Link to={below(slug, 'templates')} search={WITH_NEW}>
      {t('Create template')}
    </Link>
  )
  return (
    <>
      {t('What all devices of a model have in common: topics, rules, default configuration.')}
      {hasNone && ' '}
      {hasNone && rich('There is none yet, and a first device needs none. {act}', { act })}
    </>
  )
}

interface AboutKeyProps {
  typed: string
  /** The format of the template's keys; undefined without a template. */
  format: string | undefined
}

function AboutKey({ typed, format }: AboutKeyProps) {
  const { slug } = useWorkspace()
  const [now] = useState(() => new Date())
  const topicOf = (key: string) => <Token>{`${slug}/${typed === '' ? key : typed}/…`}</Token>
  if (format === undefined) {
    return rich(
      'You choose it, for example its serial number. Unique in this workspace; part of its topics: {topic}',
      { topic: topicOf('TH2-000123') },
    )
  }
  // A key with a number may be taken.
  const [made = ''] = serialExamples(format.replaceAll('%#f', `<${t('number')}>`), slug, now)
  return rich(
    'Unique in this workspace and part of its topics ({topic}). Left empty, the template makes one, such as {key}.',
    { topic: topicOf(made), key: <Token>{made}</Token> },
  )
}

function Describe({ onMade }: { onMade: (device: CreatedDevice) => void }) {
  const { id } = useWorkspace()
  const templates = useRead('listDeviceTemplates', { params: { id }, query: { limit: 100 } })
  const create = useChange('createDevice', ['listDevices'])
  const blocked = useBlocked('createDevice')
  const [chosen, setTemplate] = useState<string>()
  const [{ template: linked }] = useSearchState<{ template: string }>()
  const known = templates.data?.items ?? []
  const isKnown = known.some((each) => each.id === linked)
  const template = chosen ?? (isKnown ? linked : undefined) ?? onlyOf(known)
  const [name, setName] = useState('')
  const [key, setKey] = useState('')
  const [hardware, setHardware] = useState('')
  const [isTried, setTried] = useState(false)
  // Keys are made by the format of a template.
  const isKeyMissing = template === '' && key === ''
  const body: CreateDevice = {
    ...(template !== '' && { template_id: template }),
    ...(name !== '' && { name }),
    ...(key !== '' && { device_key: key }),
    ...(hardware !== '' && { hardware_id: hardware }),
  }
  useNextCall('createDevice', { params: { id }, body })
  const submit = (): void => {
    setTried(true)
    if (!isKeyMissing && !isUnread) create.mutate({ params: { id }, body }, { onSuccess: onMade })
  }
  // Without the list, no template would be a choice that nobody has made.
  const isUnread = templates.data === undefined
  const unread = isUnread ? t('The templates are not known.') : undefined
  const none = { value: '', label: t('No template: the default rules') }
  const models = known.map((each) => ({
    value: each.id,
    label: `${each.name} (${each.model_key})`,
  }))
  return (
    <Panel title={t('Device')}>
      <Form onSubmit={submit} problem={create.error}>
        {blocked !== undefined && (
          <Note title={blocked}>
            {t(
              'The person who creates the device gets its credentials, and code that connects it.',
            )}
          </Note>
        )}
        {isUnread ? (
          <UnreadField label={t('Template')} query={templates} of={t('Templates')}>
            {t('A device cannot be created until they are read. What you type stays.')}
          </UnreadField>
        ) : (
          <Select
            label={t('Template')}
            hint={<AboutTemplate hasNone={models.length === 0} />}
            pointer="/template_id"
            value={template}
            options={[none, ...models]}
            onValue={setTemplate}
          />
        )}
        <TextField label={t('Name')} optional pointer="/name" value={name} onValue={setName} />
        <TextField
          label={t('Device key')}
          optional={template !== ''}
          hint={
            <AboutKey typed={key} format={known.find(({ id }) => id === template)?.serial_format} />
          }
          error={
            isTried && isKeyMissing ? t('A device without a template needs a key.') : undefined
          }
          pointer="/device_key"
          mono
          value={key}
          onValue={setKey}
        />
        <TextField
          label={t('Hardware id')}
          optional
          hint={t('Such as its MAC address. No two devices can have the same.')}
          pointer="/hardware_id"
          mono
          value={hardware}
          onValue={setHardware}
        />
        <FormActions>
          <Button type="submit" kind="primary" busy={create.isPending} blocked={blocked ?? unread}>
            {t('Create device')}
          </Button>
        </FormActions>
      </Form>
    </Panel>
  )
}

export default function NewDevice() {
  const { slug } = useWorkspace()
  const [device, setDevice] = useState<CreatedDevice | null>(null)
  const [at, setAt] = useState(0)
  const made = (next: CreatedDevice): void => {
    setDevice(next)
    setAt(1)
  }
  return (
    <Page
      title={t('Connect a device')}
      trail={[{ label: t('Devices'), to: below(slug, 'devices') }]}
    >
      <Stepper steps={steps} at={at} />
      <Stack>
        {device === null ? (
          <Stack narrow>
            <Describe onMade={made} />
          </Stack>
        ) : (
          <ConnectDevice device={device} step={at} onStep={setAt} />
        )}
      </Stack>
    </Page>
  )
}
