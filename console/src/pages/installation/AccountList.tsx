/** The accounts of the installation. */
import { useState } from 'react'
import type { InstallationAccountSummary, MadeAccount } from '../../../../sdk/schema.ts'
import { useChange, useList } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { DoneAction, SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, TextField } from '../../kit/Field.tsx'
import { Muted, None } from '../../kit/Layout.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { CellLink, type Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { roleNames } from '../../session/role-names.ts'
import { Finder, ShowAll, useFound } from './Finder.tsx'
import { PasswordLinkNote } from './PasswordLinkNote.tsx'
import { t } from './translations.ts'

export const AccountStatus = ({ status }: Pick<InstallationAccountSummary, 'status'>) => (
  <Badge tone={status === 'active' ? 'ok' : 'off'}>
    {status === 'active' ? t('active') : t('disabled')}
  </Badge>
)

/** `acme (owner), beta (viewer)`, with the roles in the language of the console. */
const withRoles = (workspaces: string): string =>
  Object.entries(roleNames).reduce(
    (text, [role, name]) => text.replaceAll(`(${role})`, `(${name})`),
    workspaces,
  )

const columns: readonly Column<InstallationAccountSummary>[] = [
  {
    name: t('Address'),
    breaks: true,
    cell: ({ id, email }) => <CellLink to={`/installation/accounts/${id}`}>{email}</CellLink>,
  },
  { name: t('Name'), wraps: true, cell: ({ name }) => name || <Muted>{t('no name')}</Muted> },
  { name: t('Status'), cell: AccountStatus },
  {
    name: t('Role'),
    cell: ({ role }) => (role === null ? <None /> : <Badge plain>{t('operator')}</Badge>),
  },
  { name: t('Second factor'), cell: ({ second_factor }) => (second_factor ? t('yes') : t('no')) },
  {
    name: t('Workspaces'),
    wraps: true,
    cell: ({ workspaces }) => withRoles(workspaces) || <Muted>{t('none')}</Muted>,
  },
  { name: t('Created'), cell: ({ created_at }) => <Time at={created_at} /> },
]

function Create({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [made, setMade] = useState<MadeAccount | null>(null)
  const create = useChange('createInstallationAccount', ['listInstallationAccounts'])
  const body = { email: email.trim(), ...(name.trim() !== '' && { name: name.trim() }) }
  useNextCall('createInstallationAccount', { body })
  if (made !== null) {
    return (
      <Dialog title={t('The account is created')} open onClose={onClose}>
        <PasswordLinkNote link={made} email={email} />
        <DoneAction onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <Dialog title={t('Create account')} open onClose={onClose}>
      <Form onSubmit={() => create.mutate({ body }, { onSuccess: setMade })} problem={create.error}>
        <TextField
          label={t('E-mail')}
          type="email"
          pointer="/email"
          hint={t(
            'The person gets a link to choose a password. To add them to a workspace, invite them there.',
          )}
          value={email}
          onValue={setEmail}
        />
        <TextField label={t('Name')} optional pointer="/name" value={name} onValue={setName} />
        <SubmitActions act={t('Create')} busy={create.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

export default function AccountList() {
  const found = useFound()
  const query = { limit: 100, ...found }
  const list = useList('listInstallationAccounts', { query })
  return (
    <ListPage
      title={t('Accounts')}
      columns={columns}
      list={list}
      keyOf={({ id }) => id}
      head={<Finder label={t('Find an account')} hint={t('Part of an address or a name.')} />}
      making={{
        label: t('Create account'),
        operation: 'createInstallationAccount',
        dialog: (close) => <Create onClose={close} />,
      }}
      empty={{
        title: t('No account matches'),
        text: t('People who were invited to a workspace create their accounts themselves.'),
        ...(found.search !== undefined && { action: <ShowAll /> }),
      }}
    />
  )
}
