/** The settings of the service, as `mooring config` prints them: without secrets. */
import type { InstallationSettings } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Checkbox, Select } from '../../kit/Field.tsx'
import { Muted, Panel, Stack } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Empty, Note } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { Said } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { Finder, useFound } from './Finder.tsx'
import { settingGroups } from './setting-groups.ts'
import { rich, t } from './words.ts'

type Setting = InstallationSettings['items'][number]

/** Values without which something is not protected. */
const risky: Readonly<Record<string, string>> = {
  MOORING_RATE_LIMITS: 'off',
  MOORING_DATABASE_ROLE: 'none',
}

const isAnyPort = (name: string, value: string): boolean => name.endsWith('_PORT') && value === '0'

function Value({ name, is_set, has_default, displayed, fallback }: Setting) {
  if (is_set) {
    return (
      <>
        <code>{displayed}</code> {isAnyPort(name, displayed) && t('(any free port)')}{' '}
        {risky[name] === displayed ? (
          <Badge tone="warn">{t('protection is off')}</Badge>
        ) : (
          <Badge plain>{t('set')}</Badge>
        )}
      </>
    )
  }
  if (fallback === 'none') return <Muted>{t('not set')}</Muted>
  const what = <span lang="en">{fallback}</span>
  return <Muted>{has_default ? what : rich('not set – {what}', { what })}</Muted>
}

const columns: readonly Column<Setting>[] = [
  { name: t('Name'), cell: ({ name }) => <code>{name}</code> },
  { name: t('Value'), breaks: true, cell: Value },
  { name: t('Purpose'), wraps: true, cell: ({ about }) => <Said>{about}</Said> },
]

const groupOptions = settingGroups.map(({ title }) => ({ value: title, label: title }))

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
  const [{ set, group = '' }, change] = useSearchState<{ set: string; group: string }>()
  const { search = '' } = useFound()
  const query = useRead('getInstallationSettings')
  const { data } = query
  const title = t('Settings of the service')
  if (data === undefined)
    return <PendingPage title={title} of={t('The settings')} trail={[]} query={query} />
  const isOnlySet = set === 'yes'
  const names = settingGroups.find((each) => each.title === group)?.names
  const items = data.items.filter(
    (each) =>
      (!isOnlySet || each.is_set) &&
      (names === undefined || names.test(each.name)) &&
      `${each.name} ${each.about}`.toLowerCase().includes(search.toLowerCase()),
  )
  return (
    <Page title={title}>
      <Stack>
        <Note>
          {t('These are environment variables, read when the service starts. Defaults are grey.')}
        </Note>
        <Finder label={t('Find a setting')} hint={t('Part of its name or of its purpose.')} />
        <Stack narrow>
          <Select
            label={t('Group')}
            options={[{ value: '', label: t('All') }, ...groupOptions]}
            value={group}
            onValue={(next) => change({ group: next === '' ? undefined : next })}
          />
        </Stack>
        <Checkbox
          label={t('Only those that are set')}
          checked={isOnlySet}
          onValue={(only) => change({ set: only ? 'yes' : undefined })}
        />
        {items.length === 0 && (
          <Panel>
            <Empty title={t('No setting matches')}>{t('What is not set has its default.')}</Empty>
          </Panel>
        )}
        <Groups items={items} />
      </Stack>
    </Page>
  )
}
