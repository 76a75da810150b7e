/** One group: its devices, and its name or filter. */
import { useNavigate, useParams } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Device, DeviceGroup } from '../../../../sdk/schema.ts'
import { useChange, useList, useResource } from '../../api/hooks.ts'
import { LoneDanger } from '../../kit/Acts.tsx'
import { useButtonCall, useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { ChangeForm } from '../../kit/ChangeForm.tsx'
import { DevicesCounted } from '../../kit/Counts.tsx'
import { TextField } from '../../kit/Field.tsx'
import { byName, isWhole } from '../../kit/by-name.ts'
import { Columns, End, Facts, Panel, Row, Small, Stack } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Empty, Note, ProblemNote } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Condition, DeviceName, nameOf } from '../devices/device-labels.tsx'
import { AddByKeys } from './AddByKeys.tsx'
import { DeviceCount, kindLabels } from './group-labels.tsx'
import { numberText } from '../../kit/numbers.ts'
import { DeviceFilter } from '../devices/DeviceFilter.tsx'
import { t } from './translations.ts'

interface GroupProps {
  group: DeviceGroup
  etag: string | undefined
}

const ofGroup = ({ workspace_id: id, id: group_id }: DeviceGroup) => ({ id, group_id })

function Settings({ group, etag }: GroupProps) {
  return (
    <ChangeForm
      title={group.kind === 'dynamic' ? t('Name and filter') : t('Name')}
      operation="updateDeviceGroup"
      params={ofGroup(group)}
      etag={etag}
      present={{ name: group.name, filter: group.filter ?? '' }}
      bodyOf={(value, base) => ({
        ...(value.name !== base.name && { name: value.name }),
        ...(value.filter !== base.filter && { filter: value.filter }),
      })}
      refreshes={['getDeviceGroup', 'listDeviceGroups', 'listDeviceGroupDevices', 'countDevices']}
    >
      {(value, change) => (
        <>
          <TextField
            label={t('Name')}
            pointer="/name"
            value={value.name}
            onValue={(name) => change({ name })}
          />
          {group.kind === 'dynamic' && (
            <DeviceFilter
              label={t('Filter')}
              pointer="/filter"
              value={value.filter}
              onValue={(filter) => change({ filter })}
            />
          )}
        </>
      )}
    </ChangeForm>
  )
}

const columns: readonly Column<Device>[] = [
  { name: t('Device'), wraps: true, cell: (device) => <DeviceName device={device} /> },
  { name: t('Status'), ends: true, cell: (device) => <Condition device={device} /> },
  { name: t('Last seen'), cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
]

interface RemoveProps {
  group: DeviceGroup
  onClose: () => void
}

/** Names of the groups whose filter has it: the service then refuses to delete it. */
function useUsers({ id: own, workspace_id: id }: DeviceGroup): string[] {
  const query = { filter: 'kind = dynamic', limit: 200 }
  const { items = [] } = useList('listDeviceGroups', { params: { id }, query })
  return items.filter(({ filter }) => filter?.includes(own)).map(({ name }) => name)
}

function Remove({ group, onClose }: RemoveProps) {
  const { slug } = useWorkspace()
  const navigate = useNavigate()
  const remove = useChange('deleteDeviceGroup', ['listDeviceGroups'])
  const input = { params: ofGroup(group) }
  useNextCall('deleteDeviceGroup', input)
  const gone = { onSuccess: () => void navigate({ to: below(slug, 'groups') }) }
  const users = useUsers(group)
  return (
    <ConfirmDialog
      title={t('Delete {name}?', { name: group.name })}
      act={t('Delete')}
      blocked={
        users.length === 0
          ? undefined
          : t('Change the filter of {names} first.', { names: users.join(', ') })
      }
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => remove.mutate(input, gone)}
      onClose={onClose}
    >
      <Stack>
        <p>
          {t(
            'Its devices stay. Saved views and links that name it stop working. A group whose filter names it has to be changed first.',
          )}
        </p>
        <Facts
          facts={[
            [
              t('Devices in the group'),
              <DevicesCounted key="devices" filter={`group = ${group.id}`} />,
            ],
          ]}
        />
      </Stack>
    </ConfirmDialog>
  )
}

/** In which order the devices stand, if there are several. */
function orderOf({ kind }: DeviceGroup, list: Parameters<typeof isWhole>[0]): string | undefined {
  if (list.items === undefined || list.items.length < 2) return undefined
  if (isWhole(list)) return t('by name')
  return kind === 'static' ? t('newest first') : t('in the order of the filter')
}

interface DevicesProps {
  group: DeviceGroup
  onAdd: () => void
}

function Devices({ group, onAdd }: DevicesProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const params = ofGroup(group)
  const input = { params, query: { limit: 100 } }
  const list = useList('listDeviceGroupDevices', input, { isLive: true })
  const remove = useChange('changeDeviceGroupMembers', ['listDeviceGroupDevices', 'countDevices'])
  const blocked = useBlocked('changeDeviceGroupMembers')
  const isStatic = group.kind === 'static'
  const add = (
    <Button icon={<Plus size={15} />} blocked={blocked} onClick={onAdd}>
      {t('Add by keys…')}
    </Button>
  )
  const removal = { params, body: { remove: [...chosen] } }
  const preview = useButtonCall('changeDeviceGroupMembers', removal)
  const removeChosen = (): void =>
    remove.mutate(removal, {
      onSuccess: ({ removed }) => {
        say(t('{n} removed', { n: numberText(removed) }))
        setChosen(new Set())
      },
    })
  return (
    <>
      {remove.error !== null && <ProblemNote problem={remove.error} />}
      {chosen.size > 0 && (
        <Note
          title={t('{n} selected', { n: numberText(chosen.size) })}
          action={
            <End>
              <Button onClick={() => setChosen(new Set())}>{t('Clear selection')}</Button>
              <Button blocked={blocked} busy={remove.isPending} onClick={removeChosen} {...preview}>
                {t('Remove from the group')}
              </Button>
            </End>
          }
        >
          {t('The devices themselves stay.')}
        </Note>
      )}
      <Panel
        title={
          <>
            {t('Devices')} <Small>{orderOf(group, list)}</Small>
          </>
        }
        {...(isStatic && { aside: add })}
        flush
      >
        <Table
          label={t('Devices of the group')}
          columns={columns}
          list={byName(list, nameOf)}
          keyOf={(device) => device.id}
          {...(isStatic && { selection: { chosen, onChange: setChosen } })}
          empty={
            isStatic ? (
              <Empty title={t('No devices yet')} action={add}>
                {t('Paste the keys of devices to add them.')}
              </Empty>
            ) : (
              <Empty title={t('No device passes the filter')}>
                {t('Those that will, appear here.')}
              </Empty>
            )
          }
        />
      </Panel>
    </>
  )
}

export default function GroupPage() {
  const { id, slug } = useWorkspace()
  const { groupId = '' } = useParams({ strict: false }) as { groupId?: string }
  const params = { id, group_id: groupId }
  const query = useResource('getDeviceGroup', { params }, { isLive: true })
  const [open, setOpen] = useState<'add' | 'delete' | null>(null)
  const blocked = useBlocked('deleteDeviceGroup')
  const trail = [{ label: t('Groups'), to: below(slug, 'groups') }]
  if (query.data === undefined)
    return <PendingPage title={t('Group')} of={t('The group')} trail={trail} query={query} />
  const { body: group, etag } = query.data
  const close = (): void => setOpen(null)
  return (
    <Page
      title={group.name}
      trail={trail}
      note={
        <Row>
          <Badge plain>{kindLabels[group.kind]}</Badge> <DeviceCount groupId={group.id} />
        </Row>
      }
      actions={
        <>
          <LinkButton to={below(slug, 'devices')} search={{ filter: `group = ${group.id}` }}>
            {t('Show in Devices')}
          </LinkButton>
          <LoneDanger label={t('Delete…')} blocked={blocked} onSelect={() => setOpen('delete')} />
        </>
      }
    >
      <Columns wideFirst>
        <div>
          <Devices group={group} onAdd={() => setOpen('add')} />
        </div>
        <Settings key={group.id} group={group} etag={etag} />
      </Columns>
      {open === 'add' && <AddByKeys group={group} onClose={close} />}
      {open === 'delete' && <Remove group={group} onClose={close} />}
    </Page>
  )
}
