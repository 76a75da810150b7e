/** The API keys of a workspace: the rights of each, and when it was last used. */
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ApiKey } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Muted, Panel } from '../../kit/Layout.tsx'
import { ForbiddenPage, makesAbove, makingKind } from '../../kit/ListPage.tsx'
import { Empty } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, Tabs } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useNewDialog } from '../../session/new-dialog.ts'
import { useSearchState } from '../../session/search-state.ts'
import { Who } from '../../session/Who.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { CreateKey } from './CreateKey.tsx'
import { limitsInWords } from './key-limits.ts'
import { KeyStatus, keyName, kindNames } from './key-labels.tsx'
import { t } from './translations.ts'

const columnsOf = (slug: string): readonly Column<ApiKey>[] => [
  {
    name: t('Name'),
    wraps: true,
    cell: (key) => <Link to={below(slug, `keys/${key.id}`)}>{keyName(key)}</Link>,
  },
  { name: t('Kind'), cell: ({ key_kind }) => <Badge plain>{kindNames[key_kind]}</Badge> },
  { name: t('Status'), ends: true, cell: (key) => <KeyStatus status={key.status} /> },
  { name: t('Key'), cell: ({ key_hint }) => <code>{key_hint}</code> },
  { name: t('Restrictions'), wraps: true, cell: limitsInWords },
  {
    name: t('Expires'),
    cell: ({ expires_at }) =>
      expires_at === null ? <Muted>{t('never')}</Muted> : <Time at={expires_at} />,
  },
  {
    name: t('Last use'),
    cell: ({ last_used_at }) =>
      last_used_at === null ? <Muted>{t('never')}</Muted> : <Time at={last_used_at} />,
  },
  { name: t('Created by'), wraps: true, cell: ({ created_by }) => <Who id={created_by} /> },
]

const views = [
  [t('All active'), {}],
  [t('Platform keys'), { view: 'platform' }],
  [t('Provision keys'), { view: 'provision' }],
  [t('Revoked and expired'), { view: 'ended' }],
] as const

const filters: Readonly<Record<string, string>> = {
  platform: 'status = active AND key_kind = platform',
  provision: 'status = active AND key_kind = provision',
  ended: 'status != active',
}

const WHAT = t(
  'A provision key lets a factory register devices; a platform key lets your backend use the API.',
)

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
  const { isOpen, open, close } = useNewDialog()
  const blocked = useBlocked('createApiKey')
  const create = (
    <Button kind={makingKind(list)} icon={<Plus size={15} />} blocked={blocked} onClick={open}>
      {t('Create key')}
    </Button>
  )
  if (hidden !== undefined)
    return <ForbiddenPage title={t('API keys')} actions={create} why={hidden} />
  return (
    <Page
      title={t('API keys')}
      about={(list.items?.length ?? 0) > 0 ? WHAT : undefined}
      actions={(view === 'ended' || makesAbove(list)) && create}
    >
      <Tabs
        label={t('Which keys')}
        tabs={views.map(([label, search]) => ({
          label,
          link: { to: below(slug, 'keys'), search: search as never },
        }))}
      />
      <Panel flush>
        <Table
          label={t('API keys')}
          columns={columnsOf(slug)}
          list={list}
          keyOf={(key) => key.id}
          empty={
            view === 'ended' ? (
              <Empty title={t('No key has ended')}>
                {t('Revoked and expired keys are listed here.')}
              </Empty>
            ) : (
              <Empty
                title={t('No keys yet')}
                action={create}
                command="mooring keys create --kind provision"
              >
                {WHAT}
              </Empty>
            )
          }
        />
      </Panel>
      {isOpen && <CreateKey onClose={close} />}
    </Page>
  )
}
