/** One webhook: its deliveries and how they went, its settings, and code that receives it. */
import { useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import type { Webhook } from '../../../../sdk/schema.ts'
import { chosenOf, typesOf } from '../../api/event-kinds.ts'
import { useResource } from '../../api/hooks.ts'
import { ChangeForm } from '../../kit/ChangeForm.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Columns, Facts, Panel, Stack } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import { Note } from '../../kit/Note.tsx'
import { Samples } from '../../kit/Samples.tsx'
import { SectionTabs } from '../../kit/SectionTabs.tsx'
import { Page } from '../../kit/Shell.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { useWatch } from '../../live/live.ts'
import { useSearchState } from '../../session/search-state.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { EventTypes } from '../events/EventTypes.tsx'
import { Deliveries } from './Deliveries.tsx'
import { Failing, FailingInShort } from './Failing.tsx'
import { WebhookActions } from './WebhookActions.tsx'
import { receivers } from './webhook-code.ts'
import { howToTry, nameOf, ofWebhook, reasonOf, WebhookStatus } from './webhook-labels.tsx'
import { t } from './translations.ts'

export interface SectionProps {
  webhook: Webhook
  etag: string | undefined
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

const About = ({ webhook }: Pick<SectionProps, 'webhook'>) => {
  const { previous_secret_until: until, created_at, created_by } = webhook
  return (
    <Panel title={t('Details')}>
      <Facts
        facts={[
          [t('Id'), <Id key="id">{webhook.id}</Id>],
          [t('The old secret signs until'), until === null ? undefined : <Time at={until} />],
          [t('Created'), <Time key="at" at={created_at} />],
          [t('Created by'), <Who key="by" id={created_by} />],
        ]}
      />
    </Panel>
  )
}

const Settings = ({ webhook, etag }: SectionProps) => (
  <Columns wideFirst>
    <ChangeForm
      title={t('URL and events')}
      operation="updateWebhook"
      params={ofWebhook(webhook)}
      etag={etag}
      present={{
        url: webhook.url,
        description: webhook.description ?? '',
        types: chosenOf(webhook.types),
      }}
      bodyOf={(value, base) => ({
        ...(value.url !== base.url && { url: value.url }),
        ...(value.description !== base.description && { description: value.description || null }),
        ...(!isSame(value.types, base.types) && { types: typesOf(value.types) }),
      })}
      refreshes={['getWebhook', 'listWebhooks']}
    >
      {(value, change) => (
        <>
          <TextField
            label={t('URL')}
            mono
            type="url"
            pointer="/url"
            value={value.url}
            onValue={(url) => change({ url })}
          />
          <TextField
            label={t('Description')}
            optional
            pointer="/description"
            value={value.description}
            onValue={(description) => change({ description })}
          />
          <EventTypes value={value.types} onValue={(types) => change({ types })} />
        </>
      )}
    </ChangeForm>
    <About webhook={webhook} />
  </Columns>
)

const Code = () => (
  <Panel title={t('A receiver that verifies signatures')}>
    <Stack tight>
      <Note>
        {t(
          'Verify the raw body, before it is parsed. Answer 2xx within 15 seconds, and do the work afterwards. An event can come twice, with the same webhook-id.',
        )}
      </Note>
      <Samples samples={receivers}>
        {t(
          'The variable MOORING_WEBHOOK_SECRET holds the secret, which was shown once; “New secret…” makes another one.',
        )}{' '}
        {howToTry}
      </Samples>
    </Stack>
  </Panel>
)

const sections: Readonly<Record<string, readonly [label: string, ComponentType<SectionProps>]>> = {
  deliveries: [t('Deliveries'), Deliveries],
  settings: [t('Settings'), Settings],
  code: [t('Receiver'), Code],
}

export default function WebhookPage() {
  const { id, slug } = useWorkspace()
  const { webhookId = '' } = useParams({ strict: false }) as { webhookId?: string }
  const [{ tab = 'deliveries' }] = useSearchState<{ tab: string }>()
  useWatch(`webhook:${webhookId}`)
  const params = { id, webhook_id: webhookId }
  const query = useResource('getWebhook', { params }, { isLive: true })
  const trail = [{ label: t('Webhooks'), to: below(slug, 'webhooks') }]
  const tabs = (
    <SectionTabs
      label={t('Parts of the webhook')}
      sections={sections}
      open={tab}
      to={below(slug, `webhooks/${webhookId}`)}
    />
  )
  if (query.data === undefined)
    return (
      <PendingPage
        title={t('Webhook')}
        of={t('The webhook')}
        trail={trail}
        query={query}
        tabs={tabs}
      />
    )
  const { body: webhook, etag } = query.data
  const [, Section] = sections[tab] ?? [t('Deliveries'), Deliveries]
  const Trouble = Section === Deliveries ? Failing : FailingInShort
  return (
    <Page
      title={nameOf(webhook)}
      trail={trail}
      note={<WebhookStatus {...webhook} />}
      actions={<WebhookActions webhook={webhook} etag={etag} />}
    >
      {tabs}
      {webhook.failing_since !== null && <Trouble webhook={webhook} />}
      {webhook.status === 'disabled' && (
        <Note
          tone={webhook.disabled_reason === 'asked' ? 'info' : 'bad'}
          title={t('Nothing is sent: {reason}', { reason: reasonOf(webhook) })}
        >
          {t(
            'No event is lost while events are kept. Once enabled, the webhook continues where it stopped.',
          )}
        </Note>
      )}
      <Section webhook={webhook} etag={etag} />
    </Page>
  )
}
