/**
 * A file of devices that a person has chosen: the meaning of its columns, and its rows in pieces. A
 * piece is one call: browsers read a response only after they have sent everything.
 */
import { parseCsv, type Rows, separatorOf, writeCsv } from './csv.ts'
import { t } from '../i18n/frame.ts'

/** Rows of one call. */
export const PIECE = 1_000
const MAX_ROWS = 1_000_000

/** The column of a file of wrong rows that says why; it is never imported. */
const PROBLEM = 'problem'

export interface DeviceFile {
  name: string
  form: 'csv' | 'ndjson'
  /** The columns of a table; empty for lines of JSON. */
  header: readonly string[]
  /** Cells, or a line of JSON alone. */
  rows: readonly (readonly string[])[]
}

/** @throws Error that says what is wrong with the file */
export function readDeviceFile(name: string, text: string): DeviceFile {
  const isLines = /\.(?:ndjson|jsonl)$/i.test(name) || /^\ufeff?\s*\{/.test(text)
  const [header = [], ...rows] = isLines
    ? [[], ...text.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [[line]]))]
    : parseCsv(text, separatorOf(text))
  if (rows.length === 0) throw new Error(t('The file has no rows.'))
  if (rows.length > MAX_ROWS) throw new Error(t('A file may have a million rows.'))
  return { name, form: isLines ? 'ndjson' : 'csv', header, rows }
}

/** Columns that the service knows, with what they are for people. */
export const columns: readonly (readonly [name: string, label: string])[] = [
  ['device_key', t('Device key')],
  ['hardware_id', t('Hardware id')],
  ['name', t('Name')],
  ['model_key', t('Template, by model key')],
  ['template_id', t('Template, by id')],
  ['tags', t('Tags, as JSON')],
  ['custom_fields', t('Custom fields, as JSON')],
  ['config', t('Configuration, as JSON')],
]

/** The further columns of an export; the service ignores them. */
const exported = new Set([
  'id',
  'status',
  'approval',
  'claimed_at',
  'last_seen_at',
  'created_at',
  'updated_at',
])

const aliases: Readonly<Record<string, string>> = {
  key: 'device_key',
  device: 'device_key',
  serial: 'device_key',
  serial_number: 'device_key',
  hardware: 'hardware_id',
  mac: 'hardware_id',
  mac_address: 'hardware_id',
  imei: 'hardware_id',
  model: 'model_key',
  template: 'model_key',
  label: 'name',
}

/** For each column of the file: the column of the service, or '' for none. */
export type Mapping = readonly string[]

export function guessMapping(header: readonly string[]): Mapping {
  const taken = new Set<string>()
  return header.map((name) => {
    const plain = name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_')
    const isKnown = columns.some(([column]) => column === plain)
    const isMember = /^(?:tags|custom_fields|config)\../.test(name.trim())
    const target = isMember ? name.trim() : isKnown ? plain : (aliases[plain] ?? '')
    if (taken.has(target) || exported.has(plain) || plain === PROBLEM) return ''
    taken.add(target)
    return target
  })
}

/** Why a file can't be imported with a mapping; undefined if it can. */
export function faultOf({ form }: DeviceFile, mapping: Mapping): string | undefined {
  if (form === 'ndjson') return undefined
  const used = mapping.filter((target) => target !== '')
  const twice = used.find((target, at) => used.indexOf(target) !== at)
  if (twice !== undefined) return t('Two columns are imported as {name}.', { name: twice })
  const isNamed = used.includes('device_key') || used.includes('hardware_id')
  return isNamed ? undefined : t('One column has to be the device key or the hardware id.')
}

/** Rows, as the service takes them. */
export function rowsOf(
  { form }: DeviceFile,
  mapping: Mapping,
  rows: readonly (readonly string[])[],
): Rows {
  if (form === 'ndjson') {
    return { type: 'application/x-ndjson', text: rows.map(([line]) => `${line}\n`).join('') }
  }
  const used = [...mapping.keys()].filter((at) => mapping[at] !== '')
  const table = [mapping, ...rows].map((row) => used.map((at) => row[at] ?? ''))
  return { type: 'text/csv', text: writeCsv(table) }
}

/** The columns that name a device: only one row of a file may have each name. */
export function nameOf(
  { form }: DeviceFile,
  mapping: Mapping,
  row: readonly string[],
): string | undefined {
  if (form === 'csv') {
    const at = ['device_key', 'hardware_id'].map((each) => mapping.indexOf(each))
    return at.map((each) => row[each]).find((cell) => cell !== undefined && cell !== '')
  }
  try {
    const { device_key, hardware_id } = JSON.parse(row[0] ?? '') as Record<string, unknown>
    return [device_key, hardware_id].find((each) => typeof each === 'string')
  } catch {
    return undefined
  }
}

/**
 * The wrong rows of a file as a file, each with why it is wrong: to be corrected and chosen again.
 */
export function wrongFile(
  { form, header }: DeviceFile,
  wrong: readonly { row: readonly string[]; message: string }[],
): string {
  if (form === 'ndjson') return wrong.map(({ row: [line] }) => `${line}\n`).join('')
  const keeps = [...header.keys()].filter((at) => header[at] !== PROBLEM)
  const cells = (row: readonly string[]): string[] => keeps.map((at) => row[at] ?? '')
  return writeCsv([
    [...cells(header), PROBLEM],
    ...wrong.map(({ row, message }) => [...cells(row), message]),
  ])
}
