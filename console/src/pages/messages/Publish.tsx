/** Publishes a message as the service: rules of clients do not apply to it. */
import { useState } from 'react'
import type { PublishMessage } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Checkbox, Form, Select, TextArea, TextField } from '../../kit/Field.tsx'
import { Dialog, say } from '../../kit/Overlay.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { t } from './translations.ts'

const levels = [
  { value: '0', label: t('0: at most once') },
  { value: '1', label: t('1: at least once') },
  { value: '2', label: t('2: exactly once') },
] as const

export function Publish({ onClose }: { onClose: () => void }) {
  const { id, slug } = useWorkspace()
  const [topic, setTopic] = useState(`${slug}/`)
  const [payload, setPayload] = useState('')
  const [qos, setQos] = useState<(typeof levels)[number]['value']>('0')
  const [retain, setRetain] = useState(false)
  const publish = useChange('publishMessage')
  const body: PublishMessage = { topic, payload, encoding: 'text', qos: Number(qos), retain }
  const input = { params: { id }, body }
  useNextCall('publishMessage', input)
  const submit = (): void =>
    publish.mutate(input, {
      onSuccess: () => {
        say(t('Published'), topic)
        onClose()
      },
    })
  return (
    <Dialog title={t('Publish a message')} open onClose={onClose}>
      <Form onSubmit={submit} problem={publish.error}>
        <TextField label={t('Topic')} mono pointer="/topic" value={topic} onValue={setTopic} />
        <TextArea
          label={t('Message')}
          mono
          rows={5}
          pointer="/payload"
          hint={t('As it is sent: JSON, or any text.')}
          value={payload}
          onValue={setPayload}
        />
        <Select label={t('Quality of service')} value={qos} options={levels} onValue={setQos} />
        <Checkbox
          label={t('Retain it')}
          hint={t(
            'The broker keeps it for later subscribers. An empty message deletes what it keeps.',
          )}
          checked={retain}
          onValue={setRetain}
        />
        <SubmitActions act={t('Publish')} busy={publish.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
