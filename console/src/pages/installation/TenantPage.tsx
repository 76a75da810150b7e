/**
 * One workspace, from outside: how much there is, and who belongs to it. Nothing of what is in it.
 */
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
import { numberText } from '../../kit/numbers.ts'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { roleNames } from '../../session/role-names.ts'
import { AccountStatus } from './AccountList.tsx'
import { countText, planText, TenantStatus } from './TenantList.tsx'
import { rich, t } from './translations.ts'

const trail = [{ label: t('All workspaces'), to: '/installation/workspaces' }]

const columns: readonly Column<InstallationWorkspace['people'][number]>[] = [
  {
    name: t('Address'),
    breaks: true,
    cell: ({ user_id: id, email }) => <Link to={`/installation/accounts/${id}`}>{email}</Link>,
  },
  { name: t('Role'), cell: ({ role }) => <Badge plain>{roleNames[role]}</Badge> },
  { name: t('Account'), cell: AccountStatus },
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
      t('Restored'),
      has_owner ? undefined : t('None of its owners can sign in: make one on the command line.'),
    )
    setAsking(false)
  }
  return (
    <Note
      tone="warn"
      title={t('It is deleted')}
      action={
        <Button kind="primary" onClick={() => setAsking(true)}>
          {t('Restore…')}
        </Button>
      }
    >
      {rich('It is erased {time}. Until then it can be restored with everything in it.', {
        time: <Time at={tenant.erase_at} />,
      })}
      {isAsking && (
        <ConfirmDialog
          title={t('Restore {name}?', tenant)}
          act={t('Restore')}
          kind="primary"
          busy={restore.isPending}
          problem={restore.error}
          onConfirm={() => restore.mutate(input, { onSuccess: done })}
          onClose={() => setAsking(false)}
        >
          {t(
            'Its {devices} devices can connect again, its {keys} API keys work again, and its {people} members see it again.',
            {
              devices: countText(tenant.devices),
              keys: numberText(tenant.api_keys),
              people: numberText(tenant.members),
            },
          )}
        </ConfirmDialog>
      )}
    </Note>
  )
}

const Numbers = ({ tenant }: OfTenant) => (
  <Cards>
    <Stat label={t('Devices')} value={countText(tenant.devices)} />
    <Stat label={t('Connected')} value={countText(tenant.connected)} />
    <Stat label={t('Templates')} value={tenant.templates} />
    <Stat label={t('API keys')} value={tenant.api_keys} />
    <Stat label={t('MQTT logins')} value={tenant.mqtt_principals} />
    <Stat
      label={t('Webhooks')}
      value={tenant.webhooks}
      note={
        tenant.webhooks_failing === 0
          ? undefined
          : t('{n} failing', { n: numberText(tenant.webhooks_failing) })
      }
    />
  </Cards>
)

const domainsText = ({ domains, unverified_domains }: InstallationWorkspace): string =>
  domains
    .map((name) =>
      unverified_domains.includes(name) ? t('{name} (not verified)', { name }) : name,
    )
    .join(', ') || t('none')

export default function TenantPage() {
  const { workspaceId = '' } = useParams({ strict: false }) as { workspaceId?: string }
  const params = { workspace_id: workspaceId }
  const query = useRead('getInstallationWorkspace', { params })
  const { data: tenant } = query
  if (tenant === undefined)
    return (
      <PendingPage title={t('Workspace')} of={t('The workspace')} trail={trail} query={query} />
    )
  return (
    <Page title={tenant.name} trail={trail} note={<TenantStatus status={tenant.status} />}>
      <Stack>
        {tenant.status === 'deleting' && <Restore tenant={tenant} />}
        <Numbers tenant={tenant} />
        <Panel title={t('Workspace')}>
          <Facts
            facts={[
              [t('Slug'), <Id key="slug">{tenant.slug}</Id>],
              [t('Id'), <Id key="id">{tenant.id}</Id>],
              [t('Created'), <Time key="made" at={tenant.created_at} />],
              [t('Plan'), planText(tenant)],
              [
                t('Second factor'),
                tenant.mfa_required ? t('required of everyone') : t('not required'),
              ],
              [t('Domains'), domainsText(tenant)],
            ]}
          />
        </Panel>
        <Panel title={t('People')} flush>
          <Table
            label={t('People')}
            columns={columns}
            list={wholeList(tenant.people)}
            keyOf={({ user_id }) => user_id}
            empty={
              <Empty
                title={t('It has no members')}
                command={`mooring accounts create --email … --workspace ${tenant.slug} --role owner`}
              >
                {t('The command line makes an owner.')}
              </Empty>
            }
          />
        </Panel>
        <Note>
          {t(
            'Operators see numbers and people, but no devices, messages or keys. To see those, ask a member for an invitation.',
          )}
        </Note>
      </Stack>
    </Page>
  )
}
