/** Domains: own names of the workspace for MQTT and for the API. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { AddDomain, Domain } from '../../../../sdk/schema.ts'
import { useChange, useList } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, RadioCards, TextField } from '../../kit/Field.tsx'
import { Muted } from '../../kit/Layout.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { CellLink, type Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { DomainStatus, purposes, TimeSoFar } from './domain-labels.tsx'
import { useTarget } from './target.ts'
import { t } from './translations.ts'

const columnsOf = (slug: string): readonly Column<Domain>[] => [
  {
    name: t('Name'),
    breaks: true,
    cell: ({ id, name }) => <CellLink to={below(slug, `domains/${id}`)}>{name}</CellLink>,
  },
  { name: t('For'), cell: ({ purpose }) => <Badge plain>{purposes[purpose]}</Badge> },
  {
    name: t('Status'),
    ends: true,
    cell: ({ status }) => <DomainStatus status={status} />,
  },
  {
    name: t('What to do'),
    hidesName: true,
    cell: ({ id, status }) =>
      status === 'pending' && (
        <CellLink to={below(slug, `domains/${id}`)}>{t('Add its DNS records')}</CellLink>
      ),
  },
  {
    name: t('Certificate until'),
    nameIn: ({ certificate }) => (certificate === null ? t('Certificate') : t('Certificate until')),
    cell: ({ certificate }) =>
      certificate === null ? <Muted>{t('none yet')}</Muted> : <Time at={certificate.not_after} />,
  },
  {
    name: t('DNS checked'),
    cell: ({ checked_at }) => <TimeSoFar at={checked_at} />,
  },
  { name: t('Added'), cell: ({ created_at }) => <Time at={created_at} /> },
  { name: t('Added by'), wraps: true, cell: ({ created_by }) => <Who id={created_by} /> },
]

const options = [
  {
    value: 'mqtt',
    label: 'MQTT',
    hint: t(
      'Devices connect to it. It has a certificate of its own if the service terminates TLS.',
    ),
  },
  { value: 'api', label: 'API', hint: t('The API and this console answer under it.') },
] as const

function Add({ onClose }: { onClose: () => void }) {
  const { id, slug } = useWorkspace()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [purpose, setPurpose] = useState<AddDomain['purpose']>('mqtt')
  const target = useTarget({ name: '', purpose })
  const add = useChange('addDomain', ['listDomains'])
  const input = { params: { id }, body: { name: name.trim(), purpose } }
  useNextCall('addDomain', input)
  const submit = (): void =>
    add.mutate(input, {
      onSuccess: (made) => void navigate({ to: below(slug, `domains/${made.id}`) }),
    })
  return (
    <Dialog title={t('Add a domain')} open onClose={onClose}>
      <Form onSubmit={submit} problem={add.error}>
        <TextField
          label={t('Name')}
          mono
          pointer="/name"
          hint={
            target === undefined
              ? t('A host name such as devices.example.com, whose DNS record leads to the service.')
              : t(
                  'A host name such as devices.example.com. Then create this DNS record: {record} {host}.',
                  { ...target },
                )
          }
          value={name}
          onValue={setName}
        />
        <RadioCards label={t('For')} value={purpose} options={options} onValue={setPurpose} />
        <SubmitActions act={t('Add')} busy={add.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

export default function DomainList() {
  const { id, slug } = useWorkspace()
  const list = useList('listDomains', { params: { id }, query: { limit: 100 } }, { isLive: true })
  return (
    <ListPage
      title={t('Domains')}
      columns={columnsOf(slug)}
      list={list}
      keyOf={(domain) => domain.id}
      making={{
        label: t('Add domain'),
        operation: 'addDomain',
        dialog: (close) => <Add onClose={close} />,
      }}
      isExplained
      empty={{
        title: t('No domains yet'),
        command: 'mooring domains add mqtt.example.com',
        text: t(
          'Your devices, or programs that use the API, can connect to a name of your own, such as mqtt.example.com. Only clients of this workspace get in there. A DNS record proves that the name is yours.',
        ),
      }}
    />
  )
}
