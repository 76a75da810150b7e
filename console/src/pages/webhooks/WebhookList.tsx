/** Webhooks: where events of the workspace are sent as they happen. */
import type { Webhook } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Muted } from '../../kit/Layout.tsx'
import { ForbiddenPage, ListPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import { CellLink, type Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { CreateWebhook } from './CreateWebhook.tsx'
import { nameOf, reasonOf, WebhookStatus } from './webhook-words.tsx'

const columnsOf = (slug: string): readonly Column<Webhook>[] => [
  {
    name: 'Webhook',
    breaks: true,
    cell: (webhook) => (
      <CellLink to={below(slug, `webhooks/${webhook.id}`)}>{nameOf(webhook)}</CellLink>
    ),
  },
  { name: 'Status', cell: (webhook) => <WebhookStatus {...webhook} /> },
  { name: 'URL', breaks: true, cell: ({ url }) => <code>{url}</code> },
  {
    name: 'Events',
    wraps: true,
    cell: ({ types }) => (types === null ? <Muted>all</Muted> : <code>{types.join(', ')}</code>),
  },
  { name: 'Why', wraps: true, cell: reasonOf },
  { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  { name: 'By', wraps: true, cell: ({ created_by }) => <Who id={created_by} /> },
]

export default function WebhookList() {
  const { id, slug } = useWorkspace()
  const input = { params: { id }, query: { limit: 100 } }
  const blocked = useBlocked('listWebhooks')
  const options = { isLive: true, enabled: blocked === undefined }
  const list = useList('listWebhooks', input, options)
  if (blocked !== undefined) return <ForbiddenPage title="Webhooks" why={blocked} />
  return (
    <ListPage
      title="Webhooks"
      columns={columnsOf(slug)}
      list={list}
      keyOf={(webhook) => webhook.id}
      making={{
        label: 'Create webhook',
        operation: 'createWebhook',
        dialog: (close) => <CreateWebhook onClose={close} />,
      }}
      empty={{
        title: 'No webhooks yet',
        text: 'A webhook sends events to a URL of yours as they happen, signed, in order for each device, and again until they are accepted.',
      }}
    />
  )
}
