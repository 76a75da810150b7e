/** The API keys of a workspace: what each may do, and when it was last used. */
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { ApiKey } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Muted, Panel } from '../../kit/Layout.tsx'
import { ForbiddenPage } from '../../kit/ListPage.tsx'
import { Empty } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, Tabs } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { Who } from '../../session/Who.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { CreateKey } from './CreateKey.tsx'
import { limitsInWords } from './key-limits.ts'
import { KeyStatus, keyName, quotaInWords } from './key-words.tsx'

const columnsOf = (slug: string): readonly Column<ApiKey>[] => [
  {
    name: 'Name',
    cell: (key) => <Link to={below(slug, `keys/${key.id}`)}>{keyName(key)}</Link>,
  },
  { name: 'Kind', cell: ({ key_kind }) => <Badge plain>{key_kind}</Badge> },
  { name: 'Status', cell: (key) => <KeyStatus status={key.status} /> },
  { name: 'Key', cell: ({ key_hint }) => <code>{key_hint}</code> },
  { name: 'Limits', cell: limitsInWords },
  {
    name: 'Devices',
    cell: (key) => (key.key_kind === 'platform' ? <Muted>–</Muted> : quotaInWords(key)),
  },
  {
    name: 'Expires',
    cell: ({ expires_at }) =>
      expires_at === null ? <Muted>never</Muted> : <Time at={expires_at} />,
  },
  {
    name: 'Last use',
    cell: ({ last_used_at }) =>
      last_used_at === null ? <Muted>never</Muted> : <Time at={last_used_at} />,
  },
  { name: 'Created by', cell: ({ created_by }) => <Who id={created_by} /> },
]

const views = [
  ['Active', {}],
  ['Platform', { view: 'platform' }],
  ['Provision', { view: 'provision' }],
  ['Ended', { view: 'ended' }],
] as const

const filters: Readonly<Record<string, string>> = {
  platform: 'status = active AND key_kind = platform',
  provision: 'status = active AND key_kind = provision',
  ended: 'status != active',
}

export default function KeyList() {
  const { id, slug } = useWorkspace()
  const [{ view = '' }] = useSearchState<{ view: string }>()
  const filter = filters[view] ?? 'status = active'
  const hidden = useBlocked('listApiKeys')
  const list = useList(
    'listApiKeys',
    { params: { id }, query: { limit: 100, filter } },
    { enabled: hidden === undefined },
  )
  const [isCreating, setCreating] = useState(false)
  const blocked = useBlocked('createApiKey')
  const create = (
    <Button
      kind="primary"
      icon={<Plus size={15} />}
      blocked={blocked}
      onClick={() => setCreating(true)}
    >
      Create key
    </Button>
  )
  if (hidden !== undefined) return <ForbiddenPage title="API keys" actions={create} why={hidden} />
  return (
    <Page title="API keys" actions={create}>
      <Tabs
        label="Which keys"
        tabs={views.map(([label, search]) => ({
          label,
          link: { to: below(slug, 'keys'), search: search as never },
        }))}
      />
      <Panel flush>
        <Table
          label="API keys"
          columns={columnsOf(slug)}
          list={list}
          keyOf={(key) => key.id}
          empty={
            view === 'ended' ? (
              <Empty title="No key has ended">Revoked and expired keys are listed here.</Empty>
            ) : (
              <Empty title="No keys yet" action={create}>
                A provision key lets a factory register devices; a platform key lets your backend
                use the API.
              </Empty>
            )
          }
        />
      </Panel>
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
    </Page>
  )
}
