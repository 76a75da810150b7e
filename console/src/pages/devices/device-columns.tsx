/** The columns that the list of devices can have. */
import { type ReactNode, useMemo } from 'react'
import type { Device } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { inOneLine } from '../../api/tags.ts'
import { Muted, None } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { CellLink, type Column } from '../../kit/Table.tsx'
import { Truncated, Id, JsonLine, Time } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { approvalLabels, Condition, statusLabels } from './device-labels.tsx'
import { t } from './translations.ts'

/** The columns shown unless a person or a view says otherwise. */
export const USUAL_COLUMNS: readonly string[] = [
  'device_key',
  'name',
  'state',
  'template_id',
  'tags',
  'last_seen_at',
]

const none = <None />

/** A value of a tag or custom field. */
const textOf = (value: unknown): ReactNode => {
  if (value === undefined || value === null) return none
  return typeof value === 'string' ? <code>{value}</code> : <JsonLine value={value} />
}

function Tags({ tags }: Pick<Device, 'tags'>) {
  const text = inOneLine(tags)
  if (text === '') return none
  return (
    <code>
      <Truncated>{text}</Truncated>
    </code>
  )
}

const TemplateName = ({ id, name }: { id: string; name: string | undefined }) =>
  name === undefined ? <Id>{id}</Id> : <Truncated>{name}</Truncated>

interface Surroundings {
  slug: string
  templateName: (id: string) => string | undefined
}

const fixed: Readonly<
  Record<
    string,
    Pick<Column<Device>, 'name' | 'wraps' | 'heads' | 'ends' | 'isLast'> & {
      cell: (d: Device, s: Surroundings) => ReactNode
    }
  >
> = {
  device_key: {
    name: t('Device key'),
    cell: ({ id, device_key }, { slug }) => (
      <CellLink to={below(slug, `devices/${id}`)}>
        <code>{device_key}</code>
      </CellLink>
    ),
  },
  name: {
    name: t('Name'),
    wraps: true,
    heads: true,
    cell: ({ id, name, device_key }, { slug }) =>
      name === device_key ? null : <CellLink to={below(slug, `devices/${id}`)}>{name}</CellLink>,
  },
  state: { name: t('Status'), ends: true, cell: (device) => <Condition device={device} /> },
  status: { name: t('Lifecycle'), cell: ({ status }) => statusLabels[status] },
  approval: { name: t('Approval'), cell: ({ approval }) => approvalLabels[approval] },
  template_id: {
    name: t('Template'),
    cell: ({ template_id }, { templateName }) =>
      template_id === null ? (
        <Muted>{t('none')}</Muted>
      ) : (
        <TemplateName id={template_id} name={templateName(template_id)} />
      ),
  },
  tags: { name: t('Tags'), isLast: true, cell: ({ tags }) => <Tags tags={tags} /> },
  hardware_id: { name: t('Hardware id'), cell: ({ hardware_id }) => textOf(hardware_id) },
  last_seen_at: { name: t('Last seen'), cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
  created_at: { name: t('Created'), cell: ({ created_at }) => <Time at={created_at} /> },
  updated_at: { name: t('Changed'), cell: ({ updated_at }) => <Time at={updated_at} /> },
  claimed_at: { name: t('Claimed'), cell: ({ claimed_at }) => <Time at={claimed_at} /> },
}

/** The columns that are there in any workspace. */
export const FIXED_COLUMNS: readonly string[] = Object.keys(fixed)

const TAG = 'tags.'
const FIELD = 'custom_fields.'

/** A column's heading. */
export const columnName = (id: string): string =>
  fixed[id]?.name ?? (id.startsWith(FIELD) ? id.slice(FIELD.length) : id.slice(TAG.length))

function columnOf(id: string, surroundings: Surroundings): Column<Device> | undefined {
  const name = columnName(id)
  const known = fixed[id]
  if (known !== undefined) {
    return { ...known, id, cell: (device) => known.cell(device, surroundings) }
  }
  if (id.startsWith(TAG)) {
    const tag = id.slice(TAG.length)
    return { id, name, cell: ({ tags }) => textOf(tags[tag]) }
  }
  if (!id.startsWith(FIELD)) return undefined
  const field = id.slice(FIELD.length)
  return { id, name, cell: ({ custom_fields: fields }) => textOf(fields[field]) }
}

/**
 * Columns that a view names and this page does not know are left out. They stay the same as long as
 * nothing of them changes, so that rows need not be drawn again.
 */
export function useColumns(ids: readonly string[]): readonly Column<Device>[] {
  const { id, slug } = useWorkspace()
  const { data } = useRead('listDeviceTemplates', { params: { id }, query: { limit: 100 } })
  const wanted = ids.join()
  return useMemo(() => {
    const nameOf = new Map(data?.items.map((each) => [each.id, each.name]))
    const surroundings = { slug, templateName: (each: string) => nameOf.get(each) }
    return wanted.split(',').flatMap((each) => columnOf(each, surroundings) ?? [])
  }, [wanted, data, slug])
}

/** The version of a row: being seen again is no change of a device. */
export const versionOf = ({
  last_seen_at: _lastSeenAt,
  updated_at: _updatedAt,
  ...device
}: Device): string => JSON.stringify(device)
