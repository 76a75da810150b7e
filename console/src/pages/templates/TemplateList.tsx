/** The templates of a workspace: the common properties of the devices of a model. */
import { Link } from '@tanstack/react-router'
import type { DeviceTemplate } from '../../../../sdk/schema.ts'
import { serialExamples } from '../../api/serial-format.ts'
import { useList } from '../../api/hooks.ts'
import { Muted } from '../../kit/Layout.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import type { Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { CreateTemplate } from './CreateTemplate.tsx'
import { t } from './translations.ts'

const columnsOf = (slug: string): readonly Column<DeviceTemplate>[] => [
  {
    name: t('Name'),
    wraps: true,
    cell: ({ id, name }) => <Link to={below(slug, `templates/${id}`)}>{name}</Link>,
  },
  { name: t('Model key'), cell: ({ model_key }) => <code>{model_key}</code> },
  {
    name: t('Device keys'),
    cell: ({ serial_format }) => (
      <code title={serial_format}>
        {serialExamples(serial_format, slug, new Date()).slice(0, 2).join(', ')}
      </code>
    ),
  },
  {
    name: t('Rules'),
    number: true,
    cell: ({ mqtt_acl: rules }) =>
      rules.length === 0 ? <Muted>{t('default')}</Muted> : `${rules.length}`,
  },
  {
    name: t('Capabilities'),
    wraps: true,
    cell: ({ capabilities }) =>
      capabilities.length === 0 ? <Muted>{t('none')}</Muted> : capabilities.join(', '),
  },
  { name: t('Changed'), cell: ({ updated_at }) => <Time at={updated_at} /> },
]

export default function TemplateList() {
  const { id, slug } = useWorkspace()
  const list = useList('listDeviceTemplates', { params: { id }, query: { limit: 100 } })
  return (
    <ListPage
      title={t('Templates')}
      columns={columnsOf(slug)}
      list={list}
      keyOf={(template) => template.id}
      making={{
        label: t('Create template'),
        operation: 'createDeviceTemplate',
        dialog: (close) => <CreateTemplate onClose={close} />,
      }}
      isExplained
      empty={{
        title: t('No templates yet'),
        text: t(
          'A template holds what the devices of one model have in common: how their keys look, which topics they may use, and their configuration.',
        ),
        command: 'mooring templates create --model <key> --name <name>',
      }}
    />
  )
}
