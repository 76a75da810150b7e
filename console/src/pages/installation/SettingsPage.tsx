/** The settings of the service, as `mooring config` prints them: without secrets. */
import type { InstallationSettings } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Checkbox } from '../../kit/Field.tsx'
import { Muted, Panel, Stack } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Empty, Note } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { Said } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { settingGroups } from './setting-groups.ts'
import { t } from './words.ts'

type Setting = InstallationSettings['items'][number]

const columns: readonly Column<Setting>[] = [
  { name: t('Name'), cell: ({ name }) => <code>{name}</code> },
  {
    name: t('Value'),
    breaks: true,
    cell: ({ is_set, displayed, fallback }) =>
      is_set ? (
        <>
          <code>{displayed}</code> <Badge plain>{t('set')}</Badge>
        </>
      ) : (
        <Muted>
          <span lang="en">{fallback}</span>
        </Muted>
      ),
  },
  { name: t('Purpose'), wraps: true, cell: ({ about }) => <Said>{about}</Said> },
]

function Groups({ items }: { items: readonly Setting[] }) {
  const groups = settingGroups.map(({ title, names }) => ({
    title,
    settings: items.filter(({ name }) => names.test(name)),
  }))
  return groups
    .filter(({ settings }) => settings.length > 0)
    .map(({ title, settings }) => (
      <Panel key={title} title={title} flush>
        <Table
          label={title}
          columns={columns}
          list={wholeList(settings)}
          keyOf={({ name }) => name}
          empty={null}
          isEven
        />
      </Panel>
    ))
}

export default function SettingsPage() {
  const [{ set }, change] = useSearchState<{ set: string }>()
  const query = useRead('getInstallationSettings')
  const { data } = query
  const title = t('Settings of the service')
  if (data === undefined) return <PendingPage title={title} trail={[]} query={query} />
  const isOnlySet = set === 'yes'
  const items = data.items.filter(({ is_set }) => !isOnlySet || is_set)
  return (
    <Page title={title}>
      <Stack>
        <Note>
          {t('These are environment variables, read when the service starts. Defaults are grey.')}
        </Note>
        <Checkbox
          label={t('Only those that are set')}
          checked={isOnlySet}
          onValue={(only) => change({ set: only ? 'yes' : undefined })}
        />
        {items.length === 0 && (
          <Panel>
            <Empty title={t('No variable is set')}>
              {t('The service runs with its defaults.')}
            </Empty>
          </Panel>
        )}
        <Groups items={items} />
      </Stack>
    </Page>
  )
}
