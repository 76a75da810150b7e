/** The workspaces of a person, and how another one is created. */
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Workspace } from '../../../../sdk/schema.ts'
import { useChange, useList } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, TextField } from '../../kit/Field.tsx'
import { Panel } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { slugOf } from '../../session/slug-of.ts'
import { roleNames } from '../../session/role-names.ts'
import { t } from './translations.ts'

const statusNames: Readonly<Record<Workspace['status'], string>> = {
  active: t('active'),
  suspended: t('suspended'),
  deleting: t('deleting'),
}

const columns: readonly Column<Workspace>[] = [
  { name: t('Name'), cell: ({ name, slug }) => <Link to={below(slug, '')}>{name}</Link> },
  { name: t('Slug'), cell: ({ slug }) => <Id>{slug}</Id> },
  { name: t('Your role'), cell: ({ role }) => <Badge plain>{roleNames[role]}</Badge> },
  {
    name: t('Status'),
    cell: ({ status }) => (
      <Badge tone={status === 'active' ? 'ok' : 'bad'}>{statusNames[status]}</Badge>
    ),
  },
  { name: t('Created'), cell: ({ created_at }) => <Time at={created_at} /> },
]

function CreateWorkspace({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [slug, setSlug] = useState<string | null>(null)
  const create = useChange('createWorkspace', ['listWorkspaces', 'getMe'])
  const navigate = useNavigate()
  const body = { name, slug: slug ?? slugOf(name) }
  useNextCall('createWorkspace', { body })
  const submit = (): void =>
    create.mutate({ body }, { onSuccess: (made) => void navigate({ to: below(made.slug, '') }) })
  return (
    <Dialog title={t('Create workspace')} open onClose={onClose}>
      <Form onSubmit={submit} problem={create.error}>
        <TextField label={t('Name')} pointer="/name" value={name} onValue={setName} />
        <TextField
          label={t('Slug')}
          hint={t(
            'Its short name in addresses, and the first level of all its topics. It can be changed until the first device exists.',
          )}
          pointer="/slug"
          value={body.slug}
          onValue={setSlug}
          mono
        />
        <SubmitActions act={t('Create')} busy={create.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

export default function Workspaces() {
  const list = useList('listWorkspaces', { query: { limit: 200 } })
  const [isCreating, setCreating] = useState(false)
  const open = (): void => setCreating(true)
  // Where the list could not be read, that is what there is to do first.
  const isUnread = list.items === undefined && list.error !== null
  const create = (
    <Button {...(!isUnread && { kind: 'primary' })} icon={<Plus size={15} />} onClick={open}>
      {t('Create workspace')}
    </Button>
  )
  return (
    <Page title={t('Workspaces')} actions={create}>
      <Panel flush>
        <Table
          label={t('Workspaces')}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          empty={
            <Empty title={t('You are in no workspace yet')} action={create}>
              {t(
                'A workspace holds devices, their keys and rules, and the people who manage them. Create one, or ask a colleague to invite you.',
              )}
            </Empty>
          }
        />
      </Panel>
      {isCreating && <CreateWorkspace onClose={() => setCreating(false)} />}
    </Page>
  )
}
