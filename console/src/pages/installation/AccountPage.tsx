/** One account: how its person signs in, where it belongs to, and what can be done for it. */
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { InstallationAccount, PasswordLink } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Columns, Facts, Panel, Row, Small, Stack } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Empty, ProblemNote } from '../../kit/Note.tsx'
import { ConfirmDialog, Dialog, say } from '../../kit/Overlay.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { AccountStatus } from './AccountList.tsx'
import { PasswordLinkNote } from './PasswordLinkNote.tsx'

const trail = [{ label: 'Accounts', to: '/installation/accounts' }]
const REFRESHED = ['getInstallationAccount', 'listInstallationAccounts'] as const

interface AccountProps {
  account: InstallationAccount
}

const columns: readonly Column<InstallationAccount['workspaces'][number]>[] = [
  {
    name: 'Workspace',
    cell: ({ workspace_id: id, name }) => <Link to={`/installation/workspaces/${id}`}>{name}</Link>,
  },
  { name: 'Slug', cell: ({ slug }) => <Id>{slug}</Id> },
  { name: 'Role', cell: ({ role }) => <Badge plain>{role}</Badge> },
  { name: 'Since', cell: ({ since }) => <Time at={since} /> },
]

const ofAccount = ({ id }: InstallationAccount) => ({ account_id: id })

interface ActProps extends AccountProps {
  onClose: () => void
}

function Disable({ account, onClose }: ActProps) {
  const disable = useChange('disableInstallationAccount', [...REFRESHED])
  return (
    <ConfirmDialog
      title={`Disable ${account.email}?`}
      act="Disable"
      busy={disable.isPending}
      problem={disable.error}
      onConfirm={() =>
        disable.mutate(
          { params: ofAccount(account) },
          {
            onSuccess: ({ ownerless, keys }) => {
              const left = [
                ...ownerless.map((slug) => `${slug} has no owner who can sign in any more.`),
                ...keys.map(({ slug, keys: count }) => `${count} API keys work on in ${slug}.`),
              ]
              say('Disabled', left.join(' ') || undefined)
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      {account.sessions === 1 ? 'Its session ends' : `Its ${account.sessions} sessions end`} at
      once, and nobody can sign in to it. It stays a member of its workspaces, and can be enabled
      again.
    </ConfirmDialog>
  )
}

function RemoveFactors({ account, onClose }: ActProps) {
  const remove = useChange('removeInstallationFactors', [...REFRESHED])
  return (
    <ConfirmDialog
      title="Remove the second factors?"
      act="Remove"
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() =>
        remove.mutate(
          { params: ofAccount(account) },
          {
            onSuccess: () => {
              say('Removed', 'The account is told by mail.')
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      The authenticator with its recovery codes, {account.passkeys} passkeys, and all identities of
      providers. Then the password alone signs in: do it only for the person that you have spoken
      to.
    </ConfirmDialog>
  )
}

function EndSessions({ account, onClose }: ActProps) {
  const end = useChange('endInstallationSessions', [...REFRESHED])
  return (
    <ConfirmDialog
      title="End all sessions?"
      act="End them"
      busy={end.isPending}
      problem={end.error}
      onConfirm={() =>
        end.mutate(
          { params: ofAccount(account) },
          {
            onSuccess: ({ sessions_ended }) => {
              say(`${sessions_ended} sessions have ended`)
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      {account.sessions} sessions of {account.email} end in every process. The password stays.
    </ConfirmDialog>
  )
}

function GiveLink({ account, onClose }: ActProps) {
  const [link, setLink] = useState<PasswordLink | null>(null)
  const create = useChange('createInstallationPasswordLink')
  if (link === null) {
    return (
      <ConfirmDialog
        title="Give a link that sets a password?"
        act="Give the link"
        kind="primary"
        busy={create.isPending}
        problem={create.error}
        onConfirm={() => create.mutate({ params: ofAccount(account) }, { onSuccess: setLink })}
        onClose={onClose}
      >
        The present password works until another one is chosen. Sessions end then, and the second
        factor stays.
      </ConfirmDialog>
    )
  }
  return (
    <Dialog title="Link" open onClose={onClose}>
      <PasswordLinkNote link={link} email={account.email} />
      <FormActions>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </FormActions>
    </Dialog>
  )
}

const acts = { disable: Disable, factors: RemoveFactors, sessions: EndSessions, link: GiveLink }

function Actions({ account }: AccountProps) {
  const [act, setAct] = useState<keyof typeof acts | null>(null)
  const enable = useChange('enableInstallationAccount', [...REFRESHED])
  const isActive = account.status === 'active'
  const helped =
    account.role === null ? undefined : 'An operator is helped by mooring accounts reset-password.'
  const Chosen = act && acts[act]
  return (
    <Stack tight>
      {enable.error !== null && <ProblemNote problem={enable.error} />}
      <Row>
        <Button
          blocked={helped ?? (isActive ? undefined : 'The account is disabled.')}
          onClick={() => setAct('link')}
        >
          Password link…
        </Button>
        <Button
          blocked={helped ?? (account.second_factor ? undefined : 'It has none.')}
          onClick={() => setAct('factors')}
        >
          Remove second factors…
        </Button>
        <Button
          blocked={account.sessions > 0 ? undefined : 'It has none.'}
          onClick={() => setAct('sessions')}
        >
          End sessions…
        </Button>
        {isActive ? (
          <Button kind="danger" onClick={() => setAct('disable')}>
            Disable…
          </Button>
        ) : (
          <Button
            kind="primary"
            busy={enable.isPending}
            onClick={() =>
              enable.mutate({ params: ofAccount(account) }, { onSuccess: () => say('Enabled') })
            }
          >
            Enable
          </Button>
        )}
      </Row>
      {Chosen && <Chosen account={account} onClose={() => setAct(null)} />}
    </Stack>
  )
}

export default function AccountPage() {
  const { accountId: account_id = '' } = useParams({ strict: false }) as { accountId?: string }
  const query = useRead('getInstallationAccount', { params: { account_id } })
  const { data: account } = query
  if (account === undefined) return <PendingPage title="Account" trail={trail} query={query} />
  return (
    <Page title={account.email} trail={trail} note={<AccountStatus status={account.status} />}>
      <Stack>
        <Panel title="What can be done">
          <Actions account={account} />
        </Panel>
        <Columns>
          <Panel title="Account">
            <Stack tight>
              <Facts
                facts={[
                  ['Name', account.name || undefined],
                  ['Id', <Id key="id">{account.id}</Id>],
                  ['Role', account.role ?? 'none in the installation'],
                  ['Created', <Time key="made" at={account.created_at} />],
                ]}
              />
              <Small>The command line alone makes operators: mooring accounts set-role.</Small>
            </Stack>
          </Panel>
          <Panel title="Signing in">
            <Facts
              facts={[
                ['Password', account.initial_password ? 'made by the service' : 'chosen'],
                ['Authenticator', account.authenticator ? 'yes' : 'no'],
                ['Passkeys', String(account.passkeys)],
                ['Sessions', String(account.sessions)],
                ['Last sign-in', <Time key="last" at={account.last_session_at} />],
              ]}
            />
          </Panel>
        </Columns>
        <Panel title="Workspaces" flush>
          <Table
            label="Workspaces"
            columns={columns}
            list={wholeList(account.workspaces)}
            keyOf={({ workspace_id }) => workspace_id}
            empty={<Empty title="It is in no workspace">People there can invite it.</Empty>}
          />
        </Panel>
      </Stack>
    </Page>
  )
}
