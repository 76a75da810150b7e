/** The public view of a device template and its mutable fields. */
import { rowView } from '../../common/row-view.ts'
import { DeviceTemplateView, StoredTemplate } from './schema.ts'
import type * as store from './store.ts'

const names = Object.keys(StoredTemplate.properties) as (keyof StoredTemplate)[]

export function fieldsOf(row: StoredTemplate): StoredTemplate {
  const fields = Object.fromEntries(names.map((name) => [name, row[name]])) as StoredTemplate
  const { firmware } = fields
  return { ...fields, firmware: firmware && { ...firmware, sha256: firmware.sha256.toLowerCase() } }
}

export const viewOf = rowView<store.TemplateRow>()(DeviceTemplateView, {
  firmware: (row) => fieldsOf(row).firmware,
})

export const resourceOf = (view: DeviceTemplateView) => ({ kind: 'device_template', id: view.id })
