/** One delivery: the event that was sent, and each attempt with the response of the receiver. */
import { RotateCw } from 'lucide-react'
import type { Webhook, WebhookAttempt, WebhookDeliveryDetail } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Facts, Panel, Row, Stack } from '../../kit/Layout.tsx'
import { Note, Pending, ProblemNote } from '../../kit/Note.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { Code, exactTime, Id } from '../../kit/Text.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { EventName } from '../events/EventName.tsx'
import { DeliveryStatus, endOf, NextTry, ofWebhook, tookText } from './webhook-labels.tsx'
import { t } from './translations.ts'

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const isValid = ({ status }: WebhookAttempt): boolean =>
  status !== null && status >= 200 && status < 300

const Attempt = ({ attempt, number }: { attempt: WebhookAttempt; number: number }) => (
  <Panel
    title={
      <Row>
        {t('Attempt {number}', { number })}
        <Badge tone={isValid(attempt) ? 'ok' : 'bad'}>{endOf(attempt)}</Badge>
      </Row>
    }
    aside={exactTime(attempt.at)}
  >
    <Stack tight>
      <Facts
        facts={[
          [t('To'), <code key="url">{attempt.url}</code>],
          [t('Took'), tookText(attempt.took_ms)],
        ]}
      />
      {attempt.answer !== '' && <Code label={t('Response')}>{attempt.answer}</Code>}
      <Code label={t('Headers as sent')}>
        {Object.entries(attempt.headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join('\n')}
      </Code>
    </Stack>
  </Panel>
)

interface DetailProps {
  webhook: Webhook
  delivery: WebhookDeliveryDetail
}

const Detail = ({ webhook, delivery }: DetailProps) => (
  <Stack>
    <Facts
      facts={[
        [t('Status'), <DeliveryStatus key="status" {...delivery} />],
        [t('Event'), <EventName key="type" type={delivery.type} isWhole />],
        ['webhook-id', <Id key="id">{delivery.event_id}</Id>],
        [t('Tries'), delivery.tries],
        [
          t('Next attempt'),
          delivery.status === 'waiting' ? (
            <NextTry key="next" webhook={webhook} delivery={delivery} />
          ) : undefined,
        ],
      ]}
    />
    {delivery.attempts.length === 0 && <Note>{t('It was not sent yet.')}</Note>}
    {delivery.attempts
      .map((attempt, at) => <Attempt key={attempt.at} attempt={attempt} number={at + 1} />)
      .toReversed()}
    {delivery.body === null ? (
      <Note tone="warn">{t('The event is no longer kept.')}</Note>
    ) : (
      <Code label={t('Body')}>{pretty(delivery.body)}</Code>
    )}
  </Stack>
)

interface DeliveryDialogProps {
  webhook: Webhook
  deliveryId: string
  onClose: () => void
}

export function DeliveryDialog({ webhook, deliveryId, onClose }: DeliveryDialogProps) {
  const params = { ...ofWebhook(webhook), delivery_id: deliveryId }
  const query = useRead('getWebhookDelivery', { params }, { isLive: true, refetchInterval: 5_000 })
  const again = useChange('redeliverWebhookDelivery', [
    'listWebhookDeliveries',
    'getWebhookDelivery',
  ])
  const blocked = useBlocked('redeliverWebhookDelivery')
  useNextCall('redeliverWebhookDelivery', { params })
  return (
    <Dialog title={t('Delivery')} open wide onClose={onClose}>
      {query.data === undefined ? (
        <Pending query={query} of={t('The delivery')} />
      ) : (
        <Detail webhook={webhook} delivery={query.data} />
      )}
      {again.error !== null && <ProblemNote problem={again.error} />}
      <FormActions>
        <Button
          kind="primary"
          icon={<RotateCw size={15} />}
          blocked={blocked}
          busy={again.isPending}
          onClick={() => again.mutate({ params })}
        >
          {t('Redeliver')}
        </Button>
        <Button onClick={onClose}>{t('Close')}</Button>
      </FormActions>
    </Dialog>
  )
}
