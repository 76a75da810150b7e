/** Webhooks: where events of the workspace are sent as they happen. */
import type { Webhook } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { byHost } from '../../api/host.ts'
import { Muted, Small } from '../../kit/Layout.tsx'
import { ForbiddenPage, ListPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import { CellLink, type Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { typesText } from '../events/event-labels.ts'
import { CreateWebhook } from './CreateWebhook.tsx'
import { nameOf, ShortReason, WebhookStatus } from './webhook-labels.tsx'
import { t } from './translations.ts'

const columnsOf = (slug: string): readonly Column<Webhook>[] => [
  {
    name: t('Webhook'),
    wraps: true,
    cell: (webhook) => (
      <CellLink to={below(slug, `webhooks/${webhook.id}`)}>{nameOf(webhook)}</CellLink>
    ),
  },
  {
    name: t('Status'),
    ends: true,
    wraps: true,
    cell: (webhook) => (
      <>
        <WebhookStatus {...webhook} />{' '}
        <Small>
          <ShortReason {...webhook} />
        </Small>
      </>
    ),
  },
  {
    name: t('Receiver'),
    wraps: true,
    cell: ({ url }) => <code title={url}>{byHost(url)}</code>,
  },
  {
    name: t('Events'),
    wraps: true,
    cell: ({ types }) => (types === null ? <Muted>{t('all')}</Muted> : typesText(types)),
  },
  { name: t('Created'), cell: ({ created_at }) => <Time at={created_at} /> },
  { name: t('Created by'), wraps: true, cell: ({ created_by }) => <Who id={created_by} /> },
]

export default function WebhookList() {
  const { id, slug } = useWorkspace()
  const input = { params: { id }, query: { limit: 100 } }
  const blocked = useBlocked('listWebhooks')
  const options = { isLive: true, enabled: blocked === undefined }
  const list = useList('listWebhooks', input, options)
  if (blocked !== undefined) return <ForbiddenPage title={t('Webhooks')} why={blocked} />
  return (
    <ListPage
      title={t('Webhooks')}
      columns={columnsOf(slug)}
      list={list}
      keyOf={(webhook) => webhook.id}
      making={{
        label: t('Create webhook'),
        operation: 'createWebhook',
        dialog: (close) => <CreateWebhook onClose={close} />,
      }}
      isExplained
      empty={{
        title: t('No webhooks yet'),
        command: 'mooring webhooks create https://example.com/hook',
        text: t(
          'A webhook sends events to your URL as they happen: signed, in order for each device, and repeated until they are accepted.',
        ),
      }}
    />
  )
}
