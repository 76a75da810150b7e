/** Sends the events of a time again: all of them, or those that were given up. */
import { useState } from 'react'
import type { Webhook, WebhookRedelivery } from '../../../../sdk/schema.ts'
import { noTypes, typesOf } from '../../api/event-kinds.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { currentOf, UnreadCount } from '../../kit/Counts.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, RadioCards, TextField } from '../../kit/Field.tsx'
import { Columns } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { countText } from '../../kit/numbers.ts'
import { Dialog, say } from '../../kit/Overlay.tsx'
import { exactTime } from '../../kit/Text.tsx'
import { EventTypes } from '../events/EventTypes.tsx'
import { localTime } from '../keys/key-limits.ts'
import { ofWebhook } from './webhook-labels.tsx'
import { t } from './translations.ts'

const which = [
  {
    value: 'dead',
    label: t('What was given up'),
    hint: t('Deliveries that failed for three days, or whose event was refused.'),
  },
  {
    value: 'all',
    label: t('Every event'),
    hint: t(
      'Also what was delivered, and what happened before the webhook was created. A receiver that remembers webhook-id processes nothing twice.',
    ),
  },
] as const

const DAY_MS = 86_400_000

type Events = WebhookRedelivery['events']

const isNothing = ({ value, is_lower_bound }: Events): boolean => value === 0 && !is_lower_bound

/** The request before it is sent. */
function reachOf(events: Events): string {
  if (isNothing(events))
    return t('Nothing to redeliver in this range. Waiting deliveries are sent anyway.')
  const n = countText(events)
  return n === '1'
    ? t('1 event is sent again.')
    : t('{n} events are sent again, each device in order.', { n })
}

/** The act, with the number if it is known. */
function actOf(events: Events | undefined): string {
  if (events === undefined || isNothing(events)) return t('Redeliver')
  const n = countText(events)
  return n === '1' ? t('Redeliver 1 event') : t('Redeliver {n} events', { n })
}

const isoOf = (local: string): string => new Date(local).toISOString()

export function RedeliverRange({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [what, setWhat] = useState<'dead' | 'all'>('dead')
  const [after, setAfter] = useState(() => localTime(new Date(Date.now() - DAY_MS).toISOString()))
  const [until, setUntil] = useState('')
  const [types, setTypes] = useState(noTypes)
  const redeliver = useChange('redeliverWebhookEvents', ['listWebhookDeliveries', 'getWebhook'])
  const chosen = typesOf(types)
  const body = {
    after: after === '' ? '' : isoOf(after),
    ...(until !== '' && { until: isoOf(until) }),
    ...(what === 'dead' && { status: 'dead' as const }),
    ...(chosen !== null && { types: chosen }),
  }
  const input = { params: ofWebhook(webhook), body }
  useNextCall('redeliverWebhookEvents', input)
  const trial = useRead(
    'redeliverWebhookEvents',
    { ...input, query: { dry_run: true } },
    { enabled: after !== '', keepsPrevious: true },
  )
  const events = after === '' ? undefined : trial.data?.events
  // The note may be that of the last range for a moment, but not the act.
  const present = after === '' ? undefined : currentOf(trial)?.events
  const submit = (): void =>
    redeliver.mutate(input, {
      onSuccess: (range) => {
        const times = { from: exactTime(range.after), until: exactTime(range.until) }
        say(t('Redelivering'), t('{from} to {until}', times))
        onClose()
      },
    })
  return (
    <Dialog title={t('Redeliver a range')} open wide onClose={onClose}>
      <Form onSubmit={submit} problem={redeliver.error}>
        <RadioCards label={t('What')} value={what} options={which} onValue={setWhat} />
        <Columns>
          <TextField
            label={t('From')}
            type="datetime-local"
            pointer="/after"
            value={after}
            onValue={setAfter}
          />
          <TextField
            label={t('Until')}
            optional
            type="datetime-local"
            pointer="/until"
            hint={t('Empty: now.')}
            value={until}
            onValue={setUntil}
          />
        </Columns>
        <EventTypes value={types} onValue={setTypes} />
        {events !== undefined && trial.error === null && <Note>{reachOf(events)}</Note>}
        {after !== '' && <UnreadCount query={trial} of={t('The number of events')} />}
        <SubmitActions
          act={actOf(present)}
          busy={redeliver.isPending}
          blocked={
            present !== undefined && isNothing(present)
              ? t('Nothing to redeliver in this range.')
              : undefined
          }
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  )
}
