/** The settings of the service, as `mooring config` prints them: without secrets. */
import type { InstallationSettings } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Checkbox } from '../../kit/Field.tsx'
import { Muted, Stack } from '../../kit/Layout.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { Note } from '../../kit/Note.tsx'
import { type Column, listOf } from '../../kit/Table.tsx'
import { useSearchState } from '../../session/search-state.ts'
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
  { name: t('What for'), wraps: true, cell: ({ about }) => <span lang="en">{about}</span> },
]

export default function SettingsPage() {
  const [{ set }, change] = useSearchState<{ set: string }>()
  const query = useRead('getInstallationSettings')
  const isOnlySet = set === 'yes'
  const items = query.data?.items.filter(({ is_set }) => !isOnlySet || is_set)
  return (
    <ListPage
      title={t('Settings of the service')}
      columns={columns}
      list={{ ...listOf(query), items }}
      keyOf={({ name }) => name}
      head={
        <Stack tight>
          <Note>
            {t(
              'They are environment variables, read at the start of the service. What is grey is the default.',
            )}
          </Note>
          <Checkbox
            label={t('Only those that are set')}
            checked={isOnlySet}
            onValue={(only) => change({ set: only ? 'yes' : undefined })}
          />
        </Stack>
      }
      empty={{ title: t('None is set'), text: t('The service runs with its defaults.') }}
    />
  )
}
