/** The settings of the service, as `mooring config` prints them: without secrets. */
import type { InstallationSettings } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Checkbox } from '../../kit/Field.tsx'
import { Muted, Panel, Row, Stack } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Empty, Note } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { Name, Said } from '../../kit/Text.tsx'
import { inWords } from '../../kit/times.ts'
import { useSearchState } from '../../session/search-state.ts'
import { language } from '../../i18n/language.ts'
import { bytesText } from '../usage/meter-labels.ts'
import { Finder, useFound } from './Finder.tsx'
import { settingGroups } from './setting-groups.ts'
import { t } from './translations.ts'

const texts = language === 'en' ? {} : (await import('./settings.de.ts')).settingTexts

type Setting = InstallationSettings['items'][number]

/** Values without which something is not protected. */
const risky: Readonly<Record<string, string>> = {
  MOORING_RATE_LIMITS: 'off',
  MOORING_DATABASE_ROLE: 'none',
}

const isAnyPort = (name: string, value: string): boolean => name.endsWith('_PORT') && value === '0'

/** In the language of the console. */
const own = (text: string): string => texts[text] ?? text

/** The units of settings, which are plain numbers in the environment, by the end of a name. */
const units: readonly [end: string, unit: string, inOthers?: (value: number) => string][] = [
  ['_BYTES', t('bytes'), bytesText],
  ['_MS', 'ms', inWords],
  ['_S', 's', (seconds) => inWords(seconds * 1000)],
  ['_DAYS', 'd'],
  ['_BP', t('basis points')],
]

/** Units by the words in the description of a limit. */
const rates: readonly [said: RegExp, unit: string][] = [
  [/\b(in|of) a second\b/, t('per second')],
  [/\bin an hour\b/, t('per hour')],
  [/\ba minute\b/, t('per minute')],
]

const LARGE = 1000

/** @returns what stands after a value; empty for what is no number */
function unitText(name: string, about: string, value: string): string {
  if (!/^\d+(,\d+)*$/.test(value)) return ''
  const [, unit, inOthers] = units.find(([end]) => name.endsWith(end)) ?? []
  if (unit === undefined) return rates.find(([said]) => said.test(about))?.[1] ?? ''
  const number = Number(value)
  return inOthers !== undefined && number >= LARGE ? `${unit} (${inOthers(number)})` : unit
}

const Unit = ({ name, about, value }: { name: string; about: string; value: string }) => (
  <> {unitText(name, about, value)}</>
)

function Value({ name, about, is_set, has_default, displayed, fallback }: Setting) {
  if (is_set) {
    return (
      <>
        <code>{displayed}</code>
        <Unit name={name} about={about} value={displayed} />{' '}
        {isAnyPort(name, displayed) && t('(any free port)')}{' '}
        {risky[name] === displayed ? (
          <Badge tone="warn">{t('protection is off')}</Badge>
        ) : (
          <Badge plain>{t('set')}</Badge>
        )}
      </>
    )
  }
  if (fallback === 'none') return <Muted>{t('not set')}</Muted>
  if (has_default) {
    return (
      <Muted>
        {own(fallback)}
        <Unit name={name} about={about} value={fallback} />
      </Muted>
    )
  }
  return <Muted>{t('not set – {what}', { what: own(fallback) })}</Muted>
}

const columns: readonly Column<Setting>[] = [
  { name: t('Name'), wraps: true, cell: Name },
  { name: t('Value'), breaks: true, cell: Value },
  { name: t('Purpose'), wraps: true, cell: ({ about }) => <Said isTranslated>{own(about)}</Said> },
]

/** Brokers that have any of the settings. */
const groupsOf = (items: readonly Setting[]) =>
  settingGroups
    .map(({ title, names }, at) => ({
      id: `group-${at}`,
      title,
      settings: items.filter(({ name }) => names.test(name)),
    }))
    .filter(({ settings }) => settings.length > 0)

interface GroupsProps {
  groups: ReturnType<typeof groupsOf>
}

const Jumps = ({ groups }: GroupsProps) => (
  <nav aria-label={t('Groups')}>
    <Row>
      {groups.map(({ id, title }) => (
        <a key={id} href={`#${id}`}>
          {title}
        </a>
      ))}
    </Row>
  </nav>
)

const Groups = ({ groups }: GroupsProps) =>
  groups.map(({ id, title, settings }) => (
    <Panel key={id} id={id} title={title} flush>
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

export default function SettingsPage() {
  const [{ set }, change] = useSearchState<{ set: string }>()
  const { search = '' } = useFound()
  const query = useRead('getInstallationSettings')
  const { data } = query
  const title = t('Settings of the service')
  if (data === undefined)
    return <PendingPage title={title} of={t('The settings')} trail={[]} query={query} />
  const isOnlySet = set === 'yes'
  const items = data.items.filter(
    (each) =>
      (!isOnlySet || each.is_set) &&
      `${each.name} ${own(each.about)}`.toLowerCase().includes(search.toLowerCase()),
  )
  const groups = groupsOf(items)
  return (
    <Page title={title}>
      <Stack>
        <Note>
          {t('These are environment variables, read when the service starts. Defaults are grey.')}
        </Note>
        <Finder label={t('Find a setting')} hint={t('Part of its name or of its purpose.')} />
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
        {groups.length > 1 && <Jumps groups={groups} />}
        <Groups groups={groups} />
      </Stack>
    </Page>
  )
}
