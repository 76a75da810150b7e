/** The fields of the filter of devices, with what occurs in this workspace. */
import { useMemo } from 'react'
import { listDevicesFields } from '../../../../sdk/filters.ts'
import type { DeviceFacets } from '../../../../sdk/schema.ts'
import { escaped, type FilterField, labelled, type TypedValue } from '../../api/filter.ts'
import { useRead } from '../../api/hooks.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { numberText } from '../../kit/numbers.ts'
import { columnName, FIXED_COLUMNS } from './device-columns.tsx'
import { t } from './translations.ts'

/** The column of the status also says whether a device is connected, and approved. */
const shownAsStatus = {
  online: 'connected = true',
  offline: 'connected = false',
  pending: 'approval = pending',
  rejected: 'approval = rejected',
}

const otherwise = t(
  'Online and Offline: connected = true or false; Awaits approval: approval = pending',
)

/** The fields that the service describes, without the patterns of many. */
const fixed: readonly FilterField[] = labelled(
  listDevicesFields.filter((each) => !('pattern' in each)),
  {
    ...Object.fromEntries(FIXED_COLUMNS.map((each) => [each, columnName(each)])),
    // The one that lists show.
    status: columnName('state'),
  },
).map((each) => (each.name === 'status' ? { ...each, instead: shownAsStatus, otherwise } : each))

const operatorsOf = (name: string): FilterField['operators'] =>
  listDevicesFields.find((each) => each.name === name)?.operators ?? []

/** A value as the grammar reads it: an unquoted one may be a number or a boolean. */
function literalOf(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value)
  if (/^[A-Za-z_][\w.-]*$/.test(value) && value !== 'true' && value !== 'false') return value
  return `"${escaped(value)}"`
}

const HAS_FACETS = /^(?:status|approval|connected|claimed|template_id|(?:tags|custom_fields)\..+)$/

type Facet = DeviceFacets['values'][number]

const countOf = ({ devices }: Facet): string =>
  `${numberText(devices.value)}${devices.is_lower_bound ? '+' : ''}`

const STALE_MS = 60_000

/** @param typed the value that is being typed; null before the editor is used */
export function useFilterFields(typed: TypedValue | 'other' | null): readonly FilterField[] {
  const { id } = useWorkspace()
  const params = { id }
  const options = { enabled: typed !== null, staleTime: STALE_MS }
  const { data: templatesFound } = useRead(
    'listDeviceTemplates',
    { params, query: { limit: 100 } },
    options,
  )
  const { data: groupsFound } = useRead(
    'listDeviceGroups',
    { params, query: { limit: 100 } },
    options,
  )
  const { data: fieldsFound } = useRead('listCustomFields', { params }, options)
  const tagQuery = { field: 'tags', limit: 200 }
  const { data: tagsFound } = useRead('listDeviceFacets', { params, query: tagQuery }, options)
  const isValue = typed !== null && typed !== 'other' && HAS_FACETS.test(typed.field)
  const [field, prefix] = isValue ? [typed.field, typed.text] : ['status', '']
  const query = { field, ...(prefix !== '' && { prefix }) }
  const { data } = useRead(
    'listDeviceFacets',
    { params, query },
    { ...options, enabled: isValue, keepsPrevious: true },
  )
  return useMemo(() => {
    const named = { group: groupsFound, template_id: templatesFound }
    const all: FilterField[] = [
      ...fixed.map((each) => {
        if (each.name !== 'template_id' && each.name !== 'group') return each
        const items = named[each.name]?.items ?? []
        const hints = Object.fromEntries(items.map((item) => [item.id, item.name]))
        return { ...each, values: Object.keys(hints), hints }
      }),
      ...(tagsFound?.values ?? []).map((each) => ({
        name: `tags.${each.value}`,
        type: t('tag of {count}', { count: countOf(each) }),
        operators: operatorsOf('tags.<key>'),
      })),
      ...(fieldsFound?.items ?? []).map(({ name, type }) => ({
        name: `custom_fields.${name}`,
        type,
        operators: operatorsOf('custom_fields.<name>'),
      })),
    ]
    if (data === undefined) return all
    return all.map((each) => {
      if (each.name !== data.field) return each
      const hints = Object.fromEntries(
        data.values.map((facet) => {
          const text = literalOf(facet.value)
          const name = each.hints?.[text]
          return [text, name === undefined ? countOf(facet) : `${name}, ${countOf(facet)}`]
        }),
      )
      // Values that occur come first; known values that do not occur are offered, too.
      const values = new Set([...Object.keys(hints), ...(each.values ?? [])])
      return { ...each, values: [...values], hints: { ...each.hints, ...hints } }
    })
  }, [templatesFound, groupsFound, tagsFound, fieldsFound, data])
}
