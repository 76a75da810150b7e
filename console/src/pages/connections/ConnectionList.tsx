/** The live connections: find clients, and end their sessions. */
import { Unplug } from 'lucide-react'
import { useState } from 'react'
import { listConnectionsFields } from '../../../../sdk/filters.ts'
import type { Connection } from '../../../../sdk/schema.ts'
import { escaped, labelled, tokensOf } from '../../api/filter.ts'
import { useList } from '../../api/hooks.ts'
import { devicesNamed } from '../../api/named-devices.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { FilterEditor, refusalOf } from '../../kit/FilterEditor.tsx'
import { End, Panel, Stack } from '../../kit/Layout.tsx'
import { Empty, Note } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { useSteadyRows } from '../../kit/steady-rows.ts'
import { type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { ConnectionSeries } from './ConnectionSeries.tsx'
import { Disconnect, type Selection } from './Disconnect.tsx'
import { Refusals, useRefusals } from './Refusals.tsx'
import { t } from './translations.ts'

const PAGE = 100
/** Clients that are no devices have no events. */
const SLOW_MS = 5_000

const transports: Readonly<Record<Connection['transport'], string>> = {
  tcp: 'TCP',
  tls: 'TLS',
  ws: 'WebSocket',
  wss: t('WebSocket, TLS'),
}

const columns: readonly Column<Connection>[] = [
  { name: t('Client'), wraps: true, cell: ({ principal_id }) => <Who id={principal_id} /> },
  { name: t('Client id'), wraps: true, cell: ({ client_id }) => <code>{client_id}</code> },
  { name: t('From'), cell: ({ address }) => <code>{address}</code> },
  {
    name: t('Transport'),
    cell: ({ transport, protocol }) => (
      <Badge plain>{`MQTT ${protocol} · ${transports[transport]}`}</Badge>
    ),
  },
  {
    name: t('Password'),
    number: true,
    isDetail: true,
    cell: ({ credential_version }) => t('no. {n}', { n: credential_version }),
  },
  { name: t('Process'), isDetail: true, cell: ({ node }) => <code>{node.slice(-8)}</code> },
  { name: t('Connected'), cell: ({ connected_at }) => <Time at={connected_at} /> },
]

/** The names of the filter's fields in the columns. */
const fields = labelled(listConnectionsFields, {
  principal_id: t('Client'),
  address: t('From'),
  node: t('Process'),
  connected_at: t('Connected'),
})

/**
 * Words without an operator: an address, an id, the key or the name of a device, or the beginning
 * of a client id.
 */
async function filterOf(workspaceId: string, text: string): Promise<string> {
  const tokens = tokensOf(text)
  if (tokens.length === 0 || tokens.some(({ kind }) => kind !== 'field')) return text
  const word = escaped(text)
  if (/^[\d.]+$|:.*:/.test(text)) return `address = "${word}"`
  if (/^(?:dev|mqp|mqm)_/.test(text)) return `principal_id = "${word}"`
  const devices = await devicesNamed(workspaceId, text)
  if (devices.length === 0) return `client_id = "${word}*"`
  return devices.map((id) => `principal_id = ${id}`).join(' OR ')
}

function Nobody({ isFiltered }: { isFiltered: boolean }) {
  const { slug } = useWorkspace()
  if (isFiltered) {
    return (
      <Empty title={t('No connection passes this filter')}>
        {t('Change the filter, or clear it to see all connections.')}
      </Empty>
    )
  }
  return (
    <Empty
      title={t('No connections')}
      action={<LinkButton to={below(slug, 'endpoints')}>{t('Where to connect')}</LinkButton>}
    >
      {t('Devices, phones and MQTT logins appear here as long as they are connected.')}
    </Empty>
  )
}

interface ChosenProps {
  chosen: ReadonlySet<string>
  /** How many pass the filter, if that is known; undefined if all of them are chosen. */
  matching: string | undefined
  filter: string
  onSelect: (selection: Selection) => void
  onClear: () => void
}

function Chosen({ chosen, matching, filter, onSelect, onClear }: ChosenProps) {
  const blocked = useBlocked('cutConnections')
  const named = { connection_ids: [...chosen] }
  return (
    <Note
      title={t('{n} selected', { n: numberText(chosen.size) })}
      action={
        <End>
          <Button onClick={onClear}>{t('Clear selection')}</Button>
          {matching !== undefined && filter !== '' && (
            <Button
              blocked={blocked}
              onClick={() => onSelect({ body: { filter }, count: matching })}
            >
              {t('Disconnect all {n} that match…', { n: matching })}
            </Button>
          )}
          <Button
            kind="danger"
            icon={<Unplug size={15} />}
            blocked={blocked}
            onClick={() => onSelect({ body: named, count: String(chosen.size) })}
          >
            {t('Disconnect…')}
          </Button>
        </End>
      }
    >
      {t('They may connect again at once. To refuse a client, suspend it.')}
    </Note>
  )
}

export default function ConnectionList() {
  const { id } = useWorkspace()
  const [{ filter = '' }, setState] = useSearchState<{ filter: string }>()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [selection, setSelection] = useState<Selection | null>(null)
  const refusals = useRefusals()
  const hasRefusals = (refusals.data?.items.length ?? 0) > 0
  const query = { limit: PAGE, ...(filter !== '' && { filter }) }
  const options = { isLive: true, refetchInterval: SLOW_MS, staleTime: 0 }
  const present = useList('listConnections', { params: { id }, query }, options)
  const list = useSteadyRows(present, (each) => each.id, filter)
  const isRefused = list.items === undefined && refusalOf(list.error) !== undefined
  const here = new Set((present.items ?? []).map((each) => each.id).filter((e) => chosen.has(e)))
  const shown = present.items?.length ?? 0
  const matching = `${numberText(shown)}${present.hasNextPage ? '+' : ''}`
  // It stays once it is there: somebody may be typing while the last client leaves.
  const [isFiltering, setFiltering] = useState(false)
  const isEmpty = list.items?.length === 0 && filter === ''
  const isKnown = list.items !== undefined || list.error !== null || filter !== ''
  if (!isFiltering && isKnown && !isEmpty) setFiltering(true)
  const isAll = !present.hasNextPage && here.size === shown
  const clear = (): void => setChosen(new Set())
  const submit = async (text: string): Promise<void> => {
    clear()
    setState({ filter: await filterOf(id, text) })
  }
  return (
    <Page
      title={t('Connections')}
      note={present.items && (shown > 0 || filter !== '') ? matching : undefined}
      about={t('The clients that are connected to MQTT now, and those that were refused.')}
    >
      {selection !== null && (
        <Disconnect
          selection={selection}
          onClose={() => {
            setSelection(null)
            clear()
          }}
        />
      )}
      <Stack>
        <ConnectionSeries />
        {hasRefusals && <Refusals query={refusals} />}
        {isFiltering && (
          <FilterEditor
            label={t('Filter of connections')}
            placeholder={t('Key, name or address, or: protocol = "3.1.1" AND transport = tcp')}
            value={filter}
            fields={fields}
            problem={list.error}
            onTyped={() => {}}
            onSubmit={(text) => void submit(text)}
          />
        )}
        {here.size > 0 && (
          <Chosen
            chosen={here}
            matching={isAll ? undefined : matching}
            filter={filter}
            onSelect={setSelection}
            onClear={clear}
          />
        )}
        {!isRefused && (
          <Panel title={t('Open connections')} flush>
            <Table
              label={t('Connections')}
              columns={columns}
              list={list}
              keyOf={(each) => each.id}
              selection={{ chosen: here, onChange: setChosen }}
              empty={<Nobody isFiltered={filter !== ''} />}
            />
          </Panel>
        )}
        {!hasRefusals && <Refusals query={refusals} />}
      </Stack>
    </Page>
  )
}
