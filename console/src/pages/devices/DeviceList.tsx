/** The devices of a workspace: find them, keep what was found as a view, change many by a job. */
import { useNavigate } from '@tanstack/react-router'
import { Columns3, Plus } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import type { DeviceCount } from '../../../../sdk/schema.ts'
import { call } from '../../api/client.ts'
import { escaped, tokensOf, type TypedValue, type FilterField } from '../../api/filter.ts'
import { useList, useRead, useResource } from '../../api/hooks.ts'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { FilterEditor, refusalOf } from '../../kit/FilterEditor.tsx'
import { Panel, Row } from '../../kit/Layout.tsx'
import { makesAbove, makingKind } from '../../kit/ListPage.tsx'
import { Empty, Note, Unread } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { useSteadyRows } from '../../kit/steady-rows.ts'
import { Table } from '../../kit/Table.tsx'
import { deviceColumns, setDeviceColumns } from '../../session/preferences.ts'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { ViewMenu } from './ViewMenu.tsx'
import { USUAL_COLUMNS, useColumns, versionOf } from './device-columns.tsx'
import { useFilterFields } from './filter-fields.ts'
import { WITH_GUIDE } from './guide.ts'
import { numberText } from '../../kit/numbers.ts'
import { rich, t } from './translations.ts'

/** For what one does with the list, once one does it. */
const ColumnsDialog = lazy(() => import('./ColumnsDialog.tsx'))
const SelectionBar = lazy(() => import('./SelectionBar.tsx'))
const ReceiptDialog = lazy(async () => ({
  default: (await import('../endpoints/Receipt.tsx')).ReceiptDialog,
}))

const PAGE = 100
const COUNT_MS = 30_000

interface State extends Record<string, string> {
  filter: string
  view: string
  columns: string
  /** The receipt of a device that has just been deleted. */
  receipt: string
  /** See `guide.ts`. */
  guide: string
}
type SetState = ReturnType<typeof useSearchState<State>>[1]

interface NoDevicesProps {
  /** Clears the filter; undefined where there is none. */
  onClear: (() => void) | undefined
  /** The link to what connects one. */
  connect: ReactNode
}

function NoDevices({ onClear, connect }: NoDevicesProps) {
  if (onClear !== undefined) {
    return (
      <Empty
        title={t('No device passes this filter')}
        action={<Button onClick={onClear}>{t('Show all devices')}</Button>}
      >
        {rich('The filter is read by the service; {grammar} is short.', {
          grammar: <a href="/api/v1/reference">{t('its grammar')}</a>,
        })}
      </Empty>
    )
  }
  return (
    <Empty
      title={t('Connect your first device')}
      action={connect}
      command="mooring devices create --key <key>"
    >
      {t(
        'A device gets an identity, a password for MQTT and topics of its own. The next page makes one, shows code for it, and waits until it connects.',
      )}
    </Empty>
  )
}

/**
 * The columns that a person prefers, for an address that says nothing of what it shows. They become
 * a part of it, so that it shows the same to a colleague who prefers others.
 */
function usePreferred({ filter, view, columns }: Partial<State>, setState: SetState) {
  const isBare = filter === undefined && view === undefined && columns === undefined
  const preferred = (isBare ? deviceColumns() : null)?.join()
  useEffect(() => {
    if (preferred !== undefined) setState({ columns: preferred })
  }, [preferred, setState])
  return preferred?.split(',') ?? null
}

/** The state in the address, and the additions of the chosen view. */
function useShown() {
  const { id } = useWorkspace()
  const [address, setState] = useSearchState<State>()
  const { view: viewId } = address
  const params = { id, view_id: viewId ?? '' }
  const view = useResource('getView', { params }, { enabled: viewId !== undefined })
  const preferred = usePreferred(address, setState)
  const saved = view.data?.body
  const kept = saved?.columns ?? null
  const filter = address.filter ?? saved?.filter ?? ''
  const columns = address.columns?.split(',') ?? kept ?? preferred
  // Without its filter, all devices would be shown as if they were those of the view.
  const isGone = view.error?.code === 'view_not_found'
  const isUnread = view.isError && !isGone && saved === undefined && filter === ''
  const isChanged =
    saved !== undefined &&
    (filter !== (saved.filter ?? '') || (columns ?? []).join() !== (kept ?? []).join())
  return {
    view,
    filter,
    columns: columns ?? USUAL_COLUMNS,
    /** As a view keeps them. */
    ownColumns: columns,
    isChanged,
    isReady: viewId === undefined || !(view.isPending || isUnread),
    isUnread,
    isNone: viewId === undefined,
    receipt: address.receipt,
    closeReceipt: () => setState({ receipt: undefined }),
    isGuided: address.guide === WITH_GUIDE.guide,
    endGuide: () => setState({ guide: undefined }),
    choose: (chosen: string | undefined) =>
      setState({ view: chosen, filter: undefined, columns: undefined }),
    setFilter: (text: string): void => {
      // Without a filter it is no longer that view.
      if (text === '') setState({ filter: undefined, view: undefined })
      else setState({ filter: text === saved?.filter ? undefined : text })
    },
    setColumns: (next: readonly string[]): void => {
      if (viewId === undefined) setDeviceColumns(next)
      setState({ columns: next.join() })
    },
  }
}

const textOf = (count: DeviceCount | undefined): string =>
  count === undefined ? '…' : `${numberText(count.value)}${count.is_lower_bound ? '+' : ''}`

/** How many devices there are, and how many of them pass the filter: asked once rows are there. */
function useCounts(filter: string, hasRows: boolean) {
  const { id } = useWorkspace()
  const options = { refetchInterval: COUNT_MS, enabled: hasRows }
  const total = useRead('countDevices', { params: { id } }, options)
  const query = { filter }
  const isFiltered = hasRows && filter !== ''
  const passing = useRead(
    'countDevices',
    { params: { id }, query },
    { ...options, enabled: isFiltered },
  )
  if (filter === '') {
    const all = total.data && textOf(total.data)
    // An empty list says so itself.
    return { note: total.data?.value === 0 ? undefined : all, matching: all }
  }
  if (passing.data === undefined) return { note: undefined, matching: undefined }
  const matching = textOf(passing.data)
  return { note: t('{matching} of {total}', { matching, total: textOf(total.data) }), matching }
}

/**
 * Words without an operator are a key, or the beginning of one, or of words of a name. Behind the
 * name of a field they are none: the service says what is missing.
 */
function areWords(text: string, fields: readonly FilterField[]): boolean {
  const tokens = tokensOf(text)
  const [first] = tokens
  if (tokens.length > 1 && fields.some(({ name }) => name === first?.text)) return false
  return (
    tokens.length > 0 &&
    tokens.every(({ kind, text: word }) => kind === 'field' && !/["'!]/.test(word))
  )
}

function useGo(
  setFilter: (text: string) => void,
  fields: readonly FilterField[],
): (text: string) => Promise<void> {
  const { id, slug } = useWorkspace()
  const navigate = useNavigate()
  return async (text) => {
    if (!areWords(text, fields)) return setFilter(text)
    const word = escaped(text)
    const query = { filter: `device_key = "${word}"`, limit: 1 }
    const found = await call('listDevices', { params: { id }, query }).catch(() => undefined)
    const device = found?.items[0]
    if (device !== undefined) return navigate({ to: below(slug, `devices/${device.id}`) })
    setFilter(`device_key = "${word}*" OR name:"${word}*"`)
  }
}

export default function DeviceList() {
  const { id, slug } = useWorkspace()
  const shown = useShown()
  const { filter, view } = shown
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [typed, setTyped] = useState<TypedValue | 'other' | null>(null)
  const [isChoosing, setChoosing] = useState(false)
  const query = { limit: PAGE, ...(filter !== '' && { filter }) }
  const options = { isLive: true, enabled: shown.isReady, staleTime: 0 }
  const present = useList('listDevices', { params: { id }, query }, options)
  const list = useSteadyRows(present, (device) => device.id, filter)
  const { note, matching } = useCounts(filter, list.items !== undefined)
  const columns = useColumns(shown.columns)
  const fields = useFilterFields(typed)
  const go = useGo(shown.setFilter, fields)
  const blocked = useBlocked('createDevice')
  const hasRows = (list.items?.length ?? 0) > 0
  const choose: typeof setChosen = (next) => {
    setChosen(next)
    if (shown.isGuided) shown.endGuide()
  }
  const submit = (text: string): void => {
    setChosen(new Set())
    void go(text)
  }
  const connect = (
    <LinkButton kind={makingKind(list)} icon={<Plus size={15} />} to={below(slug, 'devices/new')}>
      {blocked === undefined ? t('Connect a device') : t('How to connect a device')}
    </LinkButton>
  )
  const acts = (
    <>
      <LinkButton to={below(slug, 'devices/labels')} search={filter === '' ? {} : { filter }}>
        {t('Label sheet')}
      </LinkButton>
      {connect}
    </>
  )
  const isAbove = filter !== '' || makesAbove(list)
  return (
    <Page title={t('Devices')} note={note} actions={isAbove && acts}>
      {view.error !== null && (
        <Unread problem={view.error} of={t('The view')} onRetry={view.refetch} />
      )}
      <Row>
        <FilterEditor
          label={t('Filter of devices')}
          placeholder={t('Name or key, or: connected = true AND tags.floor = ground')}
          value={filter}
          fields={fields}
          problem={list.error}
          onTyped={setTyped}
          onSubmit={submit}
        />
        <ViewMenu
          chosen={view.data}
          shown={{ filter, columns: shown.ownColumns }}
          isChanged={shown.isChanged}
          isNone={shown.isNone}
          onChoose={shown.choose}
        />
        <Button icon={<Columns3 size={15} />} onClick={() => setChoosing(true)}>
          {t('Columns')}
        </Button>
      </Row>
      <Suspense>
        {isChoosing && (
          <ColumnsDialog
            columns={shown.columns}
            onChange={shown.setColumns}
            onClose={() => setChoosing(false)}
          />
        )}
        {shown.receipt !== undefined && (
          <ReceiptDialog receiptId={shown.receipt} onClose={shown.closeReceipt} />
        )}
        {shown.isGuided && hasRows && (
          <Note
            title={t('Select the devices to change')}
            action={<Button onClick={shown.endGuide}>{t('Dismiss')}</Button>}
          >
            {t(
              'Filter first if there are many. With the first selected one, “Select all that match” and “Change…” appear here.',
            )}
          </Note>
        )}
        {chosen.size > 0 && (
          <SelectionBar
            chosen={chosen}
            filter={filter}
            matching={matching}
            isAllShown={!list.hasNextPage && chosen.size === list.items?.length}
            onDone={() => setChosen(new Set())}
          />
        )}
      </Suspense>
      {!shown.isUnread && (
        <Panel flush>
          <Table
            label={t('Devices')}
            columns={columns}
            list={list}
            keyOf={(device) => device.id}
            versionOf={versionOf}
            selection={{ chosen, onChange: choose }}
            empty={
              <NoDevices onClear={filter === '' ? undefined : () => submit('')} connect={connect} />
            }
            isMarked={refusalOf(list.error) !== undefined}
          />
        </Panel>
      )}
    </Page>
  )
}
