/** Groups of devices: named sets, chosen one by one or by a filter. */
import { useState } from 'react'
import type { CreateDeviceGroup, DeviceGroup } from '../../../../sdk/schema.ts'
import { useNavigate } from '@tanstack/react-router'
import { useChange, useList, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { UnreadCount } from '../../kit/Counts.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, RadioCards, TextField } from '../../kit/Field.tsx'
import { None } from '../../kit/Layout.tsx'
import { countText } from '../../kit/numbers.ts'
import { ListPage } from '../../kit/ListPage.tsx'
import { byName } from '../../kit/by-name.ts'
import { below } from '../../kit/navigation.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { CellLink, type Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { DeviceFilter } from '../devices/DeviceFilter.tsx'
import { kindLabels, Members } from './group-labels.tsx'
import { t } from './translations.ts'

const columnsOf = (slug: string): readonly Column<DeviceGroup>[] => [
  {
    name: t('Name'),
    wraps: true,
    cell: ({ id, name }) => <CellLink to={below(slug, `groups/${id}`)}>{name}</CellLink>,
  },
  { name: t('Kind'), cell: ({ kind }) => <Badge plain>{kindLabels[kind]}</Badge> },
  {
    name: t('Filter'),
    wraps: true,
    cell: ({ filter }) => (filter === null ? <None /> : <code>{filter}</code>),
  },
  { name: t('Devices'), number: true, cell: ({ id }) => <Members groupId={id} /> },
  { name: t('Changed'), cell: ({ updated_at }) => <Time at={updated_at} /> },
]

const kinds = [
  {
    value: 'static',
    label: t('A fixed list'),
    hint: t('You add devices by their keys, and remove them.'),
  },
  {
    value: 'dynamic',
    label: t('By filter'),
    hint: t('Every device that passes a filter, later ones too.'),
  },
] as const

type Kind = (typeof kinds)[number]['value']

/** How many devices pass the filter that is being typed. */
function Passing({ filter }: { filter: string }) {
  const { id } = useWorkspace()
  const count = useRead(
    'countDevices',
    { params: { id }, query: { filter } },
    { enabled: filter !== '', keepsPrevious: true },
  )
  const { data } = count
  if (filter === '') return null
  if (data === undefined) return <UnreadCount query={count} of={t('The number of devices')} />
  return (
    <p role="status">
      {data.value === 1
        ? t('1 device passes it now.')
        : t('{count} devices pass it now.', { count: countText(data) })}
    </p>
  )
}

function Create({ onClose }: { onClose: () => void }) {
  const { id, slug } = useWorkspace()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Kind>('static')
  const [filter, setFilter] = useState('')
  const create = useChange('createDeviceGroup', ['listDeviceGroups'])
  const body: CreateDeviceGroup = {
    name: name.trim(),
    ...(kind === 'dynamic' && { filter: filter.trim() }),
  }
  const input = { params: { id }, body }
  useNextCall('createDeviceGroup', input)
  const submit = (): void =>
    create.mutate(input, {
      onSuccess: (made) => void navigate({ to: below(slug, `groups/${made.id}`) }),
    })
  return (
    <Dialog title={t('Create a group')} open onClose={onClose}>
      <Form onSubmit={submit} problem={create.error}>
        <TextField label={t('Name')} pointer="/name" value={name} onValue={setName} />
        <RadioCards label={t('Kind')} value={kind} options={kinds} onValue={setKind} />
        {kind === 'dynamic' && (
          <>
            <DeviceFilter
              label={t('Filter')}
              pointer="/filter"
              hint={t('As in the list of devices: status = active AND tags.floor = ground')}
              value={filter}
              onValue={setFilter}
            />
            <Passing filter={filter.trim()} />
          </>
        )}
        <SubmitActions act={t('Create')} busy={create.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

export default function GroupList() {
  const { id, slug } = useWorkspace()
  const input = { params: { id }, query: { limit: 100 } }
  const list = useList('listDeviceGroups', input, { isLive: true })
  return (
    <ListPage
      title={t('Groups')}
      columns={columnsOf(slug)}
      list={byName(list, ({ name }) => name)}
      keyOf={(group) => group.id}
      making={{
        label: t('Create group'),
        operation: 'createDeviceGroup',
        dialog: (close) => <Create onClose={close} />,
      }}
      isExplained
      empty={{
        title: t('No groups yet'),
        text: t(
          'A group names a set of devices, for filters, jobs and rotations: those of a customer, of a site, or all that pass a filter.',
        ),
      }}
    />
  )
}
