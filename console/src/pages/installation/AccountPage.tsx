/** One account: how its person signs in, where it belongs to, and what can be done for it. */
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type {
  DisabledAccount,
  InstallationAccount,
  LinkedIdentity,
  PasswordLink,
} from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { type Act, Acts } from '../../kit/Acts.tsx'
import { useButtonCall, useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { DoneAction } from '../../kit/DialogActions.tsx'
import { Columns, Facts, Panel, Reasons, Row, Small, Stack } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Empty, ProblemNote } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { ConfirmDialog, Dialog, say } from '../../kit/Overlay.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { Code, Id, Time } from '../../kit/Text.tsx'
import { roleNames } from '../../session/role-names.ts'
import { AccountStatus } from './AccountList.tsx'
import { PasswordLinkNote } from './PasswordLinkNote.tsx'
import { counted, t } from './translations.ts'

const trail = [{ label: t('Accounts'), to: '/installation/accounts' }]
const REFRESHED = ['getInstallationAccount', 'listInstallationAccounts'] as const

interface AccountProps {
  account: InstallationAccount
}

const columns: readonly Column<InstallationAccount['workspaces'][number]>[] = [
  {
    name: t('Workspace'),
    cell: ({ workspace_id: id, name }) => <Link to={`/installation/workspaces/${id}`}>{name}</Link>,
  },
  { name: t('Slug'), cell: ({ slug }) => <Id>{slug}</Id> },
  { name: t('Role'), cell: ({ role }) => <Badge plain>{roleNames[role]}</Badge> },
  { name: t('Since'), cell: ({ since }) => <Time at={since} /> },
]

const ofAccount = ({ id }: InstallationAccount) => ({ account_id: id })

interface ActProps extends AccountProps {
  onClose: () => void
}

/** The rest of the account. */
const leftText = ({ ownerless, keys }: DisabledAccount): string =>
  [
    ...ownerless.map((slug) => t('{slug} no longer has an owner who can sign in.', { slug })),
    ...keys.map(({ slug, keys: count }) =>
      t('{n} API keys of {slug} keep working.', { n: numberText(count), slug }),
    ),
  ].join(' ')

function Disable({ account, onClose }: ActProps) {
  const disable = useChange('disableInstallationAccount', [...REFRESHED])
  useNextCall('disableInstallationAccount', { params: ofAccount(account) })
  return (
    <ConfirmDialog
      title={t('Disable {email}?', account)}
      act={t('Disable')}
      busy={disable.isPending}
      problem={disable.error}
      onConfirm={() =>
        disable.mutate(
          { params: ofAccount(account) },
          {
            onSuccess: (result) => {
              say(t('Disabled'), leftText(result) || undefined)
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      {counted(
        account.sessions,
        'Its session ends at once, and nobody can sign in with it. It stays a member of its workspaces, and can be enabled again.',
        'Its {n} sessions end at once, and nobody can sign in with it. It stays a member of its workspaces, and can be enabled again.',
      )}
    </ConfirmDialog>
  )
}

function RemoveFactors({ account, onClose }: ActProps) {
  const remove = useChange('removeInstallationFactors', [...REFRESHED])
  useNextCall('removeInstallationFactors', { params: ofAccount(account) })
  return (
    <ConfirmDialog
      title={t('Remove the second factors?')}
      act={t('Remove')}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() =>
        remove.mutate(
          { params: ofAccount(account) },
          {
            onSuccess: () => {
              say(t('Removed'), t('The person is notified by e-mail.'))
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      {counted(
        account.passkeys,
        'This removes the authenticator with its recovery codes, {n} passkey and all linked identities. Then the password alone is enough to sign in: do it only after you have spoken to the person.',
        'This removes the authenticator with its recovery codes, {n} passkeys and all linked identities. Then the password alone is enough to sign in: do it only after you have spoken to the person.',
      )}
    </ConfirmDialog>
  )
}

function EndSessions({ account, onClose }: ActProps) {
  const end = useChange('endInstallationSessions', [...REFRESHED])
  useNextCall('endInstallationSessions', { params: ofAccount(account) })
  return (
    <ConfirmDialog
      title={t('End all sessions?')}
      act={t('End them')}
      busy={end.isPending}
      problem={end.error}
      onConfirm={() =>
        end.mutate(
          { params: ofAccount(account) },
          {
            onSuccess: ({ sessions_ended }) => {
              say(counted(sessions_ended, '{n} session has ended', '{n} sessions have ended'))
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      {t('{sessions} sessions of {email} end everywhere. The password stays.', account)}
    </ConfirmDialog>
  )
}

function GiveLink({ account, onClose }: ActProps) {
  const [link, setLink] = useState<PasswordLink | null>(null)
  const create = useChange('createInstallationPasswordLink')
  useNextCall('createInstallationPasswordLink', { params: ofAccount(account) })
  if (link === null) {
    return (
      <ConfirmDialog
        title={t('Create a password link?')}
        act={t('Create link')}
        kind="primary"
        busy={create.isPending}
        problem={create.error}
        onConfirm={() => create.mutate({ params: ofAccount(account) }, { onSuccess: setLink })}
        onClose={onClose}
      >
        {t(
          'The current password works until a new one is chosen. Sessions end then; the second factor stays.',
        )}
      </ConfirmDialog>
    )
  }
  return (
    <Dialog title={t('Link')} open onClose={onClose}>
      <PasswordLinkNote link={link} email={account.email} />
      <DoneAction onClose={onClose} />
    </Dialog>
  )
}

const dialogs = { disable: Disable, factors: RemoveFactors, sessions: EndSessions, link: GiveLink }

type ActName = keyof typeof dialogs

/** Why the console does not help with the sign-in of somebody. */
const unhelped = ({ role }: InstallationAccount): string | undefined =>
  role === null ? undefined : t('That is done for an operator on the command line.')

const hasFactors = ({ second_factor, identities }: InstallationAccount): boolean =>
  second_factor || identities.length > 0

function OfOperator({ account }: AccountProps) {
  const command = `mooring accounts reset-password --email ${account.email}`
  return (
    <>
      <Small>{t('The password of an operator is reset on the command line:')}</Small>
      <Code label={t('Command')} wraps>
        {command}
      </Code>
      {hasFactors(account) && (
        <>
          <Small>{t('The same, and removes the second factors:')}</Small>
          <Code label={t('Command')} wraps>
            {`${command} --remove-authenticator`}
          </Code>
        </>
      )}
    </>
  )
}

/** An action that lets somebody in again has a button on a phone, too. */
function useActs(account: InstallationAccount, open: (name: ActName) => void): Act[] {
  const { data: me } = useRead('getMe')
  const isActive = account.status === 'active'
  const helped = unhelped(account)
  const acts: Act[] = [
    {
      label: t('Password link…'),
      button: 'always',
      blocked: helped ?? (isActive ? undefined : t('The account is disabled.')),
      onSelect: () => open('link'),
    },
    {
      label: t('Remove second factors…'),
      button: 'wide',
      blocked: helped ?? (hasFactors(account) ? undefined : t('It has no second factor.')),
      onSelect: () => open('factors'),
    },
    {
      label: t('End sessions…'),
      button: 'wide',
      blocked: account.sessions > 0 ? undefined : t('It has no sessions.'),
      onSelect: () => open('sessions'),
    },
  ]
  const disable: Act = {
    label: t('Disable…'),
    button: 'wide',
    danger: true,
    blocked: me?.id === account.id ? t('Your own account stays enabled.') : undefined,
    onSelect: () => open('disable'),
  }
  return isActive ? [...acts, disable] : acts
}

function Actions({ account }: AccountProps) {
  const [act, setAct] = useState<ActName | null>(null)
  const acts = useActs(account, setAct)
  const enable = useChange('enableInstallationAccount', [...REFRESHED])
  const input = { params: ofAccount(account) }
  const enabling = useButtonCall('enableInstallationAccount', input)
  const Chosen = act && dialogs[act]
  return (
    <Stack tight>
      {enable.error !== null && <ProblemNote problem={enable.error} />}
      <Row>
        {account.status !== 'active' && (
          <Button
            kind="primary"
            busy={enable.isPending}
            onClick={() => enable.mutate(input, { onSuccess: () => say(t('Enabled')) })}
            {...enabling}
          >
            {t('Enable')}
          </Button>
        )}
        <Acts acts={acts} />
      </Row>
      <Reasons of={acts.map(({ blocked }) => blocked).filter((why) => why !== unhelped(account))} />
      {account.role !== null && <OfOperator account={account} />}
      {Chosen && <Chosen account={account} onClose={() => setAct(null)} />}
    </Stack>
  )
}

const About = ({ account }: AccountProps) => (
  <Panel title={t('Account')}>
    <Stack tight>
      <Facts
        facts={[
          [t('Name'), account.name || undefined],
          [t('Id'), <Id key="id">{account.id}</Id>],
          [t('Role'), account.role === null ? t('no role in the installation') : t('operator')],
          [t('Created'), <Time key="made" at={account.created_at} />],
        ]}
      />
      {account.role === null && (
        <>
          <Small>{t('Only the command line makes an account an operator:')}</Small>
          <Code label={t('Command')} wraps>
            {`mooring accounts set-role --email ${account.email} --role operator`}
          </Code>
        </>
      )}
    </Stack>
  </Panel>
)

const SigningIn = ({ account }: AccountProps) => (
  <Panel title={t('Signing in')}>
    <Facts
      facts={[
        [t('Password'), account.initial_password ? t('created by the service') : t('set')],
        [t('Authenticator'), account.authenticator ? t('yes') : t('no')],
        [t('Passkeys'), String(account.passkeys)],
        [t('Linked identities'), String(account.identities.length)],
        [t('Sessions'), String(account.sessions)],
        [t('Last sign-in'), <Time key="last" at={account.last_session_at} />],
      ]}
    />
  </Panel>
)

const identityColumns: readonly Column<LinkedIdentity>[] = [
  { name: t('Provider'), cell: ({ provider }) => <code>{provider}</code> },
  { name: t('Address at the provider'), breaks: true, cell: ({ email }) => email },
  { name: t('Linked'), cell: ({ created_at }) => <Time at={created_at} /> },
  { name: t('Last sign-in'), cell: ({ last_used_at }) => <Time at={last_used_at} /> },
]

const Identities = ({ account: { identities } }: AccountProps) =>
  identities.length > 0 && (
    <Panel title={t('Linked identities')} flush>
      <Table
        label={t('Linked identities')}
        columns={identityColumns}
        list={wholeList(identities)}
        keyOf={({ id }) => id}
        empty={null}
      />
    </Panel>
  )

const Workspaces = ({ account: { workspaces } }: AccountProps) => (
  <Panel title={t('Workspaces')} flush>
    <Table
      label={t('Workspaces')}
      columns={columns}
      list={wholeList(workspaces)}
      keyOf={({ workspace_id }) => workspace_id}
      empty={
        <Empty title={t('Not in any workspace')}>
          {t('Members of a workspace can invite its person.')}
        </Empty>
      }
    />
  </Panel>
)

export default function AccountPage() {
  const { accountId: account_id = '' } = useParams({ strict: false }) as { accountId?: string }
  const query = useRead('getInstallationAccount', { params: { account_id } })
  const { data: account } = query
  if (account === undefined)
    return <PendingPage title={t('Account')} of={t('The account')} trail={trail} query={query} />
  return (
    <Page title={account.email} trail={trail} note={<AccountStatus status={account.status} />}>
      <Stack>
        <Panel title={t('Actions')}>
          <Actions account={account} />
        </Panel>
        <Columns>
          <About account={account} />
          <SigningIn account={account} />
        </Columns>
        <Identities account={account} />
        <Workspaces account={account} />
      </Stack>
    </Page>
  )
}
