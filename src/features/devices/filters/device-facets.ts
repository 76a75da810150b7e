/** The values of a field of devices, with the number of devices that have each. */
import type { Db } from '../../../platform/database/connect.ts'
import { is } from '../../../platform/lib/filter-node.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { BoundedCount } from '../../common/bounded-count.ts'
import { deviceFilterForms, isMemberName } from './device-filter-format.ts'
import { countDevicesThat } from './device-filter-page.ts'
import * as store from './facets-store.ts'

/** Values that are examined, and devices that are counted for each. */
const MAX_VALUES = 200
const MAX_DEVICES = 1_000
/** Devices that are examined for a word that no index answers alone. */
const BUDGET_OF_WORD = 5_000

export interface FacetValue {
  value: string | number | boolean
  devices: BoundedCount
}

export interface Facets {
  /** In the order of the values. */
  values: FacetValue[]
  /** Whether there are further values. */
  isMore: boolean
}

/** Sorts after every text that starts with what precedes it. */
const LAST = '\u{10ffff}'
/** Labels of longer texts are truncated. */
const MAX_TEXT = 255

const counted = (value: FacetValue['value'], count: number): FacetValue => ({
  value,
  devices: { value: Math.min(count, MAX_DEVICES), is_lower_bound: count > MAX_DEVICES },
})

/** Where values of a field are found. */
interface Place {
  db: Db
  workspaceId: string
}

const limits = { limit: MAX_VALUES + 1, max: MAX_DEVICES + 1 }

const upToMax = (values: FacetValue[]): Facets => ({
  values: values.slice(0, MAX_VALUES),
  isMore: values.length > MAX_VALUES,
})

const range = ({ workspaceId }: Place, begin: string) => ({
  ...limits,
  workspaceId,
  from: begin,
  to: begin + LAST,
})

async function namesOf(place: Place, kind: 't:' | 'c:', prefix: string): Promise<Facets> {
  const rows = await store.labelNames.rows(place.db, range(place, kind + prefix))
  return upToMax(rows.map(({ name, count }) => counted(name, count)))
}

async function tagValues(place: Place, key: string, prefix: string): Promise<Facets> {
  const head = `t:${key}=`
  const rows = await store.labelValues.rows(place.db, range(place, head + prefix))
  return upToMax(rows.map(({ label, count }) => counted(label.slice(head.length), count)))
}

/** The inverse of the function `device_label_number` of the database. */
function numberOfLabel(hex: string): number {
  const bytes = Buffer.from(hex, 'hex')
  const first = bytes[0] ?? 0
  if (first >= 0x80) bytes[0] = first - 0x80
  else for (const [at, byte] of bytes.entries()) bytes[at] = 0xff - byte
  return bytes.readDoubleBE()
}

/** Undefined for what no comparison can name: lists, objects and long texts. */
function scalarOfLabel(label: string): FacetValue['value'] | undefined {
  const text = label.slice(1)
  if (label.startsWith('n')) return numberOfLabel(text)
  if (label.startsWith('b')) return text === 'true'
  return label.startsWith('s') && text.length <= MAX_TEXT ? text : undefined
}

/** Texts and booleans begin with the prefix; numbers are only there without one. */
async function customValues(place: Place, name: string, prefix: string): Promise<Facets> {
  const head = `c:${name}=`
  const begins = prefix === '' ? [''] : [`b${prefix}`, `s${prefix}`]
  const found: FacetValue[] = []
  for (const begin of begins) {
    const rows = await store.labelValues.rows(place.db, range(place, head + begin))
    for (const { label, count } of rows) {
      const value = scalarOfLabel(label.slice(head.length))
      if (value !== undefined) found.push(counted(value, count))
    }
  }
  return upToMax(found)
}

async function templates({ db, workspaceId }: Place, prefix: string): Promise<Facets> {
  const rows = await store.usedTemplates.rows(db, { ...limits, workspaceId })
  const found = rows.map(({ id, count }) => counted(formatId('tpl', id), count))
  const { values, isMore } = upToMax(found)
  return { values: values.filter(({ value }) => String(value).startsWith(prefix)), isMore }
}

/** Fields with few values: each is counted as the filter that asks for it. */
async function fewValues(
  { db, workspaceId }: Place,
  field: string,
  texts: readonly string[],
): Promise<Facets> {
  const effort = { entries: MAX_DEVICES, budget: BUDGET_OF_WORD }
  const values: FacetValue[] = []
  for (const value of texts) {
    const found = await countDevicesThat(db, workspaceId, is(field, '=', value), effort)
    const { devices } = counted(value, found.count)
    const is_lower_bound = devices.is_lower_bound || found.isLowerBound
    if (found.count > 0 || is_lower_bound) {
      values.push({ value, devices: { ...devices, is_lower_bound } })
    }
  }
  return { values, isMore: false }
}

/** The values of a field, or undefined if it has too many to list them. */
const valuesOf = (field: string): readonly string[] | undefined =>
  deviceFilterForms.find(({ name }) => name === field)?.values

/** Fields that have facets, as they are listed to a caller who names another one. */
export const facetFields: readonly string[] = [
  ...deviceFilterForms.flatMap(({ name, values }) => (values ? [name] : [])),
  'template_id',
  'tags',
  'tags.<key>',
  'custom_fields',
  'custom_fields.<name>',
]

/** @returns undefined if the field has no facets */
export async function findFacets(
  db: Db,
  workspaceId: string,
  field: string,
  prefix: string,
): Promise<Facets | undefined> {
  const place = { db, workspaceId }
  const texts = valuesOf(field)
  if (texts !== undefined) {
    return fewValues(
      place,
      field,
      texts.filter((text) => text.startsWith(prefix)),
    )
  }
  if (field === 'template_id') return templates(place, prefix)
  if (field === 'tags') return namesOf(place, 't:', prefix)
  if (field === 'custom_fields') return namesOf(place, 'c:', prefix)
  const [kind] = field.split('.', 1)
  const name = field.slice(field.indexOf('.') + 1)
  if (!isMemberName(name) || name === field) return undefined
  if (kind === 'tags') return tagValues(place, name, prefix)
  return kind === 'custom_fields' ? customValues(place, name, prefix) : undefined
}
