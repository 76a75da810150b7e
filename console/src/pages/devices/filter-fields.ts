/** The fields of the filter of devices, with what this workspace has: templates, tags, fields. */
import type { Device } from '../../../../sdk/schema.ts'
import type { FilterField } from '../../api/filter.ts'
import { useRead } from '../../api/hooks.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const equal = ['=', '!=']
const ordered = [...equal, '<', '<=', '>', '>=']
const times = ['<', '<=', '>', '>=']
const truth = ['true', 'false']

const fixed: readonly FilterField[] = [
  { name: 'device_key', type: 'key', operators: ordered },
  { name: 'name', type: 'text', operators: [...equal, ':'] },
  { name: 'hardware_id', type: 'text', operators: [...equal, ':'] },
  {
    name: 'status',
    type: 'word',
    operators: equal,
    values: ['registered', 'active', 'suspended', 'decommissioned'],
  },
  {
    name: 'approval',
    type: 'word',
    operators: equal,
    values: ['approved', 'pending', 'rejected'],
  },
  { name: 'connected', type: 'yes or no', operators: equal, values: truth },
  { name: 'claimed', type: 'yes or no', operators: equal, values: truth },
  { name: 'last_seen_at', type: 'time', operators: [...times, ':'] },
  { name: 'created_at', type: 'time', operators: times },
  { name: 'claimed_at', type: 'time', operators: [...times, ':'] },
  { name: 'id', type: 'id', operators: equal },
]

const quoted = (value: string): string => (/^[\w.-]+$/.test(value) ? value : JSON.stringify(value))

/** The tags of the devices that are shown, with their values. */
function tagFields(devices: readonly Device[]): FilterField[] {
  const values = new Map<string, Set<string>>()
  for (const { tags } of devices) {
    for (const [key, value] of Object.entries(tags)) {
      values.set(key, (values.get(key) ?? new Set()).add(quoted(value)))
    }
  }
  return [...values].map(([key, found]) => ({
    name: `tags.${key}`,
    type: 'tag',
    operators: [...equal, ':'],
    values: [...found],
  }))
}

/** @param devices that are shown: their tags are offered */
export function useFilterFields(devices: readonly Device[]): readonly FilterField[] {
  const { id } = useWorkspace()
  const params = { id }
  const templates = useRead('listDeviceTemplates', { params, query: { limit: 100 } })
  const groups = useRead('listDeviceGroups', { params, query: { limit: 100 } })
  const customFields = useRead('listCustomFields', { params })
  return [
    ...fixed,
    {
      name: 'template_id',
      type: 'template',
      operators: [...equal, ':'],
      values: (templates.data?.items ?? []).map((each) => each.id),
    },
    {
      name: 'group',
      type: 'group',
      operators: equal,
      values: (groups.data?.items ?? []).map((each) => each.id),
    },
    ...(customFields.data?.items ?? []).map(({ name, type }) => ({
      name: `custom_fields.${name}`,
      type,
      operators: type === 'number' ? ordered : [...equal, ':'],
      ...(type === 'boolean' && { values: truth }),
    })),
    ...tagFields(devices),
  ]
}
