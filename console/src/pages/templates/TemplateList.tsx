/** The templates of a workspace: what the devices of a model have in common. */
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { DeviceTemplate } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Button } from '../../kit/Button.tsx'
import { Muted, Panel } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Empty } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { CreateTemplate } from './CreateTemplate.tsx'

const columnsOf = (slug: string): readonly Column<DeviceTemplate>[] => [
  {
    name: 'Name',
    wraps: true,
    cell: ({ id, name }) => <Link to={below(slug, `templates/${id}`)}>{name}</Link>,
  },
  { name: 'Model key', cell: ({ model_key }) => <code>{model_key}</code> },
  { name: 'Serial format', cell: ({ serial_format }) => <code>{serial_format}</code> },
  {
    name: 'Rules',
    cell: ({ mqtt_acl: rules }) =>
      rules.length === 0 ? <Muted>default</Muted> : `${rules.length}`,
  },
  {
    name: 'Capabilities',
    wraps: true,
    cell: ({ capabilities }) =>
      capabilities.length === 0 ? <Muted>none</Muted> : capabilities.join(', '),
  },
  { name: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
]

export default function TemplateList() {
  const { id, slug } = useWorkspace()
  const list = useList('listDeviceTemplates', { params: { id }, query: { limit: 100 } })
  const [isCreating, setCreating] = useState(false)
  const blocked = useBlocked('createDeviceTemplate')
  const create = (
    <Button
      kind="primary"
      icon={<Plus size={15} />}
      blocked={blocked}
      onClick={() => setCreating(true)}
    >
      Create template
    </Button>
  )
  return (
    <Page title="Templates" actions={create}>
      <Panel flush>
        <Table
          label="Templates"
          columns={columnsOf(slug)}
          list={list}
          keyOf={(template) => template.id}
          empty={
            <Empty title="No templates yet" action={create}>
              A template holds what the devices of one model have in common: how their keys look,
              which topics they may use, and their configuration.
            </Empty>
          }
        />
      </Panel>
      {isCreating && <CreateTemplate onClose={() => setCreating(false)} />}
    </Page>
  )
}
