/** The public view of a device template and its mutable fields. */
import { rowView } from '../../common/row-view.ts'
import { DeviceTemplateView } from './schema.ts'
import type * as store from './store.ts'

export const fieldsOf = (row: store.TemplateFields): store.TemplateFields => ({
  name: row.name,
  description: row.description,
  serial_format: row.serial_format,
  capabilities: row.capabilities,
  capability_definitions: row.capability_definitions,
  default_config: row.default_config,
  mqtt_acl: row.mqtt_acl,
  rotation_overlap_s: row.rotation_overlap_s,
  firmware: row.firmware && { ...row.firmware, sha256: row.firmware.sha256.toLowerCase() },
})

export const viewOf = rowView<store.TemplateRow>()(DeviceTemplateView, {
  firmware: (row) => fieldsOf(row).firmware,
})

export const resourceOf = (view: DeviceTemplateView) => ({ kind: 'device_template', id: view.id })
