/** The actions on a webhook: a test, a pause, a new secret, its end. */
import { useNavigate } from '@tanstack/react-router'
import { MoreHorizontal, Pause, Play, Send } from 'lucide-react'
import { useState } from 'react'
import type { Webhook } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useButtonCall, useNextCall } from '../../kit/ApiPane.tsx'
import { Button, IconButton } from '../../kit/Button.tsx'
import { Count, useWaitingDeliveries } from '../../kit/Counts.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, FormActions, Select } from '../../kit/Field.tsx'
import { Facts, Small, Stack } from '../../kit/Layout.tsx'
import { Note, ProblemNote } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { ConfirmDialog, Dialog, Menu, say } from '../../kit/Overlay.tsx'
import { Code } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { WebhookSecret } from './WebhookSecret.tsx'
import { endOf, nameOf, ofWebhook, tookText } from './webhook-labels.tsx'
import { t } from './translations.ts'

interface ActProps {
  webhook: Webhook
  onClose: () => void
}

const overlaps = [
  { value: '86400', label: t('For a day') },
  { value: '604800', label: t('For a week') },
  { value: '3600', label: t('For an hour') },
  { value: '0', label: t('Not at all: the old one is known to others') },
] as const

function Rotate({ webhook, onClose }: ActProps) {
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]['value']>('86400')
  const rotate = useChange('rotateWebhookSecret', ['getWebhook'])
  const input = { params: ofWebhook(webhook), body: { overlap_s: Number(overlap) } }
  useNextCall('rotateWebhookSecret', input)
  if (rotate.data !== undefined) {
    return (
      <WebhookSecret webhook={rotate.data} onClose={onClose}>
        {overlap === '0'
          ? t('The old one has stopped signing.')
          : t('Until the old one stops, both sign: a receiver may know either.')}
      </WebhookSecret>
    )
  }
  return (
    <Dialog title={t('A new secret for {name}', { name: nameOf(webhook) })} open onClose={onClose}>
      <Form onSubmit={() => rotate.mutate(input)} problem={rotate.error}>
        <Select
          label={t('The old secret also signs')}
          value={overlap}
          options={overlaps}
          onValue={setOverlap}
        />
        <Small>{t('The secret is shown once, in the next step.')}</Small>
        <SubmitActions act={t('Create a new secret')} busy={rotate.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

function Remove({ webhook, onClose }: ActProps) {
  const { slug } = useWorkspace()
  const navigate = useNavigate()
  const remove = useChange('deleteWebhook', ['listWebhooks'])
  const params = ofWebhook(webhook)
  useNextCall('deleteWebhook', { params })
  const waiting = useWaitingDeliveries(webhook.id)
  const name = nameOf(webhook)
  const isCounting = waiting.data === undefined && waiting.error === null
  const mayLose = waiting.error !== null || (waiting.data?.value ?? 0) > 0
  const gone = (): void => void navigate({ to: below(slug, 'webhooks') })
  return (
    <ConfirmDialog
      title={t('Delete {name}?', { name })}
      act={t('Delete')}
      blocked={isCounting ? t('Its waiting deliveries are not counted yet.') : undefined}
      {...(mayLose && { typed: name })}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => remove.mutate({ params }, { onSuccess: gone })}
      onClose={onClose}
    >
      <Stack>
        <p>
          {t(
            'Nothing more is sent there, not even what is waiting. Its delivery log is deleted; the events stay in the feed.',
          )}
        </p>
        <Facts facts={[[t('Waiting deliveries'), <Count key="wait" {...waiting} />]]} />
      </Stack>
    </ConfirmDialog>
  )
}

/** A test event, sent at once, and the response of the receiver. */
function Test({ webhook, onClose }: ActProps) {
  const test = useChange('testWebhook')
  const params = ofWebhook(webhook)
  useNextCall('testWebhook', { params })
  const { data } = test
  const ended = data && {
    isAccepted: data.ok,
    words: { end: endOf(data), time: tookText(data.took_ms) },
  }
  return (
    <Dialog title={t('Test {name}', { name: nameOf(webhook) })} open onClose={onClose}>
      <Form onSubmit={() => test.mutate({ params })} problem={test.error}>
        <p>
          {t('Sends a webhook.test event to {host}, signed like any other.', {
            host: new URL(webhook.url).host,
          })}
        </p>
        {ended !== undefined && (
          <Note
            tone={ended.isAccepted ? 'ok' : 'bad'}
            title={
              ended.isAccepted
                ? t('Accepted: {end}, after {time}', ended.words)
                : t('Not accepted: {end}, after {time}', ended.words)
            }
          />
        )}
        {data !== undefined && data.body !== '' && (
          <Code label={t('Its response')}>{data.body}</Code>
        )}
        <FormActions>
          <Button type="submit" kind="primary" busy={test.isPending}>
            {data === undefined ? t('Send') : t('Send again')}
          </Button>
          <Button onClick={onClose}>{t('Close')}</Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}

const dialogs = { test: Test, rotate: Rotate, delete: Remove }

interface ActionsProps {
  webhook: Webhook
  etag: string | undefined
}

export function WebhookActions({ webhook, etag }: ActionsProps) {
  const [open, setOpen] = useState<keyof typeof dialogs | null>(null)
  const change = useChange('updateWebhook', ['getWebhook', 'listWebhooks'])
  const blocked = useBlocked('updateWebhook')
  const isOn = webhook.status === 'enabled'
  const params = ofWebhook(webhook)
  const body = { status: isOn ? ('disabled' as const) : ('enabled' as const) }
  const turning = useButtonCall('updateWebhook', { params, body })
  const turn = (): void => {
    const done = { onSuccess: () => say(isOn ? t('Paused') : t('It continues where it stopped')) }
    change.mutate({ params, body, etag }, done)
  }
  const Opened = open === null ? null : dialogs[open]
  return (
    <>
      {change.error !== null && <ProblemNote problem={change.error} />}
      <Button icon={<Send size={15} />} blocked={blocked} onClick={() => setOpen('test')}>
        {t('Test…')}
      </Button>
      <Button
        kind={isOn ? 'plain' : 'primary'}
        icon={isOn ? <Pause size={15} /> : <Play size={15} />}
        blocked={blocked}
        busy={change.isPending}
        onClick={turn}
        {...turning}
      >
        {isOn ? t('Pause') : t('Enable')}
      </Button>
      <Menu
        trigger={<IconButton kind="plain" label={t('More')} icon={<MoreHorizontal size={16} />} />}
        items={[
          { label: t('New secret…'), blocked, onSelect: () => setOpen('rotate') },
          { label: t('Delete…'), danger: true, blocked, onSelect: () => setOpen('delete') },
        ]}
      />
      {Opened !== null && <Opened webhook={webhook} onClose={() => setOpen(null)} />}
    </>
  )
}
