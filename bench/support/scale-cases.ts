/** The measured requests at each fleet size: lookups, pages, each documented filter, writes. */
import { formatId } from '../../src/platform/lib/ids.ts'
import { type Fleet, keyOf } from './fleet.ts'
import { getRequest, NEW_NUMBER, postRequest } from './requests.ts'

export interface ScaleCase {
  name: string
  /** Whole requests, sent in turn. */
  requests(fleet: Fleet): string[]
  /** The filter, for what the plan is shown of. */
  filter?: string
  status?: number
}

const pathOf = ({ workspace }: Fleet, rest: string): string =>
  `/api/v1/workspaces/${workspace.id}/devices${rest}`

const get = (fleet: Fleet, rest: string): string =>
  getRequest(pathOf(fleet, rest), { 'x-api-key': fleet.workspace.platformKey })

const PAGE = 50
const SAMPLE = 200

const sampleOf = ({ known }: Fleet) => known.slice(0, SAMPLE)

/** Requests for a page by filter; `{rare}` and `{common}` stand for ids of templates. */
export const filterText = (filter: string, fleet: Fleet): string =>
  filter
    .replace('{rare}', fleet.rareTemplateId)
    .replace('{common}', formatId('tpl', fleet.workspace.templateUuid))
    .replace('{key}', keyOf(Math.floor(fleet.size / 2)))
    .replace('{number}', String(Math.floor(fleet.size / 2)))
    .replace('{middle}', new Date(fleet.middle).toISOString())
    .replace('{hour}', new Date(fleet.startedAt - 1_800_000).toISOString())
    .replace('{month}', new Date(fleet.startedAt - 30 * 86_400_000).toISOString())

const filtered = (filter: string): ScaleCase => ({
  name: filter,
  filter,
  requests: (fleet) => [
    get(fleet, `?limit=${PAGE}&filter=${encodeURIComponent(filterText(filter, fleet))}`),
  ],
})

/** Each field of the grammar: a common value, a rare one, and what can be combined. */
const FILTERS = [
  'device_key = {key}',
  'device_key = "K-00000*"',
  'device_key = "*7"',
  'device_key = "*{number}"',
  'device_key > {key}',
  'hardware_id = hw-{number}',
  'hardware_id = "hw-1*"',
  'hardware_id:*',
  'name = "Hall sensor"',
  'name = "hall*"',
  'name = "proto*"',
  'name:sensor',
  'name:prototype',
  'name:"hall sens*"',
  'status = active',
  'status = suspended',
  'status != active',
  'template_id = {common}',
  'template_id = {rare}',
  'template_id:*',
  'connected = true',
  'connected = false',
  'claimed = true',
  'claimed = false',
  'created_at > {middle}',
  'claimed_at < {middle}',
  'last_seen_at > {hour}',
  'last_seen_at < {month}',
  'tags.site = s1',
  'tags.beta = yes',
  'tags.site:*',
  'tags.site != s1',
  'tags.line = "l7*"',
  'custom_fields.battery = 50',
  'custom_fields.battery < 20',
  'custom_fields.audited = true',
  'tags.site = s1 AND status = active',
  'tags.beta = yes AND connected = true',
  'tags.beta = yes OR status = suspended',
  'NOT tags.site = s1 AND claimed = true',
] as const

export const filterCases: readonly ScaleCase[] = FILTERS.map(filtered)

export const readCases: readonly ScaleCase[] = [
  { name: 'get by id', requests: (fleet) => sampleOf(fleet).map(({ id }) => get(fleet, `/${id}`)) },
  {
    name: 'get by device key',
    requests: (fleet) =>
      sampleOf(fleet).map(({ number }) =>
        get(fleet, `?filter=${encodeURIComponent(`device_key = ${keyOf(number)}`)}`),
      ),
  },
  { name: 'first page, 50 devices', requests: (fleet) => [get(fleet, `?limit=${PAGE}`)] },
  { name: 'first page, 10 devices', requests: (fleet) => [get(fleet, '?limit=10')] },
  {
    name: 'thousandth page, 10 devices',
    requests: (fleet) => [get(fleet, `?limit=10&cursor=${encodeURIComponent(fleet.deepCursor)}`)],
  },
]

export const provisionCase: ScaleCase = {
  name: 'provision',
  status: 201,
  requests: ({ workspace }) => [
    postRequest(
      '/api/v1/provision/device',
      { template_id: workspace.templateId, hardware_id: `new-${NEW_NUMBER}` },
      { 'service-auth-code': workspace.provisionKey },
    ),
  ],
}
