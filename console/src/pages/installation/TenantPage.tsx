/** One workspace, from outside: how much there is, and who belongs to it. Nothing of what is in it. */
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { InstallationWorkspace } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Cards, Facts, Panel, Stack, Stat } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Empty, Note } from '../../kit/Note.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { AccountStatus } from './AccountList.tsx'
import { countText, TenantStatus } from './TenantList.tsx'

const trail = [{ label: 'All workspaces', to: '/installation/workspaces' }]

const columns: readonly Column<InstallationWorkspace['people'][number]>[] = [
  {
    name: 'Address',
    breaks: true,
    cell: ({ user_id: id, email }) => <Link to={`/installation/accounts/${id}`}>{email}</Link>,
  },
  { name: 'Role', cell: ({ role }) => <Badge plain>{role}</Badge> },
  { name: 'Account', cell: AccountStatus },
]

interface OfTenant {
  tenant: InstallationWorkspace
}

function Restore({ tenant }: OfTenant) {
  const [isAsking, setAsking] = useState(false)
  const restore = useChange('restoreInstallationWorkspace', [
    'getInstallationWorkspace',
    'listInstallationWorkspaces',
  ])
  const input = { params: { workspace_id: tenant.id } }
  useNextCall('restoreInstallationWorkspace', input)
  const done = ({ has_owner }: { has_owner: boolean }): void => {
    say(
      'Restored',
      has_owner ? undefined : 'No owner of it can sign in: make one on the command line.',
    )
    setAsking(false)
  }
  return (
    <Note
      tone="warn"
      title="It is deleted"
      action={
        <Button kind="primary" onClick={() => setAsking(true)}>
          Restore…
        </Button>
      }
    >
      It is erased <Time at={tenant.erase_at} />. Until then it can be restored with all that it
      has.
      {isAsking && (
        <ConfirmDialog
          title={`Restore ${tenant.name}?`}
          act="Restore"
          kind="primary"
          busy={restore.isPending}
          problem={restore.error}
          onConfirm={() => restore.mutate(input, { onSuccess: done })}
          onClose={() => setAsking(false)}
        >
          Its {countText(tenant.devices)} devices can connect again, its {tenant.api_keys} API keys
          work again, and its {tenant.members} people see it.
        </ConfirmDialog>
      )}
    </Note>
  )
}

const Numbers = ({ tenant }: OfTenant) => (
  <Cards>
    <Stat label="Devices" value={countText(tenant.devices)} />
    <Stat label="Connected" value={countText(tenant.connected)} />
    <Stat label="Templates" value={tenant.templates} />
    <Stat label="API keys" value={tenant.api_keys} />
    <Stat label="MQTT logins" value={tenant.mqtt_principals} />
    <Stat label="Webhooks" value={tenant.webhooks} />
  </Cards>
)

export default function TenantPage() {
  const { workspaceId = '' } = useParams({ strict: false }) as { workspaceId?: string }
  const params = { workspace_id: workspaceId }
  const query = useRead('getInstallationWorkspace', { params })
  const { data: tenant } = query
  if (tenant === undefined) return <PendingPage title="Workspace" trail={trail} query={query} />
  return (
    <Page title={tenant.name} trail={trail} note={<TenantStatus status={tenant.status} />}>
      <Stack>
        {tenant.status === 'deleting' && <Restore tenant={tenant} />}
        <Numbers tenant={tenant} />
        <Panel title="Workspace">
          <Facts
            facts={[
              ['Slug', <Id key="slug">{tenant.slug}</Id>],
              ['Id', <Id key="id">{tenant.id}</Id>],
              ['Created', <Time key="made" at={tenant.created_at} />],
              ['Plan', tenant.plan ?? 'none'],
              ['Second factor', tenant.mfa_required ? 'required of everyone' : 'not required'],
              ['Domains', tenant.domains.length === 0 ? 'none' : tenant.domains.join(', ')],
            ]}
          />
        </Panel>
        <Panel title="People" flush>
          <Table
            label="People"
            columns={columns}
            list={wholeList(tenant.people)}
            keyOf={({ user_id }) => user_id}
            empty={
              <Empty
                title="Nobody belongs to it"
                command={`mooring accounts create --email … --workspace ${tenant.slug} --role owner`}
              >
                The command line makes an owner.
              </Empty>
            }
          />
        </Panel>
        <Note>
          An operator sees numbers and people, and nothing of the devices, messages and keys: for
          that, a member has to invite you.
        </Note>
      </Stack>
    </Page>
  )
}
