/** The devices of a workspace: find them, choose many, change them by a job. */
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Device } from '../../../../sdk/schema.ts'
import { useList, useRead } from '../../api/hooks.ts'
import { LinkButton } from '../../kit/Button.tsx'
import { FilterEditor } from '../../kit/FilterEditor.tsx'
import { Muted, Panel, Row } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import { Condition } from './device-words.tsx'
import { useFilterFields } from './filter-fields.ts'

const PAGE = 100
const LIVE_MS = 5_000

const tagText = (tags: Device['tags']): string =>
  Object.entries(tags)
    .map(([key, value]) => `${key}:${value}`)
    .join(' ')

function useColumns(): readonly Column<Device>[] {
  const { id, slug } = useWorkspace()
  const templates = useRead('listDeviceTemplates', { params: { id }, query: { limit: 100 } })
  const nameOf = new Map(templates.data?.items.map((each) => [each.id, each.name]))
  return [
    {
      name: 'Key',
      cell: (device) => (
        <Link to={below(slug, `devices/${device.id}`)}>
          <code>{device.device_key}</code>
        </Link>
      ),
    },
    {
      name: 'Name',
      cell: ({ name, device_key }) => (name === device_key ? <Muted>–</Muted> : name),
    },
    { name: 'State', cell: (device) => <Condition device={device} /> },
    {
      name: 'Template',
      cell: ({ template_id }) =>
        template_id === null ? (
          <Muted>none</Muted>
        ) : (
          (nameOf.get(template_id) ?? <Id>{template_id}</Id>)
        ),
    },
    { name: 'Tags', cell: ({ tags }) => <code>{tagText(tags)}</code> },
    { name: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
  ]
}

function NoDevices({ isFiltered }: { isFiltered: boolean }) {
  const { slug } = useWorkspace()
  if (isFiltered) {
    return (
      <Empty title="No device passes this filter">
        The filter is read by the service; <a href="/api/v1/reference">its grammar</a> is short.
      </Empty>
    )
  }
  return (
    <Empty
      title="Connect your first device"
      action={
        <LinkButton kind="primary" to={below(slug, 'devices/new')}>
          Add a device
        </LinkButton>
      }
    >
      A device gets an identity, a password for MQTT and topics of its own. The next page makes one,
      shows code for it, and waits until it connects.
    </Empty>
  )
}

export default function DeviceList() {
  const { id, slug } = useWorkspace()
  const [{ filter = '' }, setState] = useSearchState<{ filter: string }>()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const query = { limit: PAGE, ...(filter !== '' && { filter }) }
  const list = useList('listDevices', { params: { id }, query }, { refetchInterval: LIVE_MS })
  const columns = useColumns()
  const fields = useFilterFields(list.items ?? [])
  const blocked = useBlocked('createDevice')
  const isMore = list.hasNextPage ? '+' : ''
  const submit = (text: string): void => {
    setChosen(new Set())
    setState({ filter: text })
  }
  return (
    <Page
      title="Devices"
      note={list.items && `${list.items.length}${isMore}${filter === '' ? '' : ' match'}`}
      actions={
        <LinkButton kind="primary" icon={<Plus size={15} />} to={below(slug, 'devices/new')}>
          {blocked === undefined ? 'Add device' : 'How to add a device'}
        </LinkButton>
      }
    >
      <Row>
        <FilterEditor
          label="Filter of devices"
          placeholder={'status = active AND tags.floor = "ground"'}
          value={filter}
          fields={fields}
          problem={list.error}
          onSubmit={submit}
        />
      </Row>
      {chosen.size > 0 && (
        <SelectionBar
          chosen={chosen}
          filter={filter}
          isAllShown={!list.hasNextPage && chosen.size === list.items?.length}
          onDone={() => setChosen(new Set())}
        />
      )}
      <Panel flush>
        <Table
          label="Devices"
          columns={columns}
          list={list}
          keyOf={(device) => device.id}
          selection={{ chosen, onChange: setChosen }}
          empty={<NoDevices isFiltered={filter !== ''} />}
        />
      </Panel>
    </Page>
  )
}
