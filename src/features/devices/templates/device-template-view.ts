/** The public view of a device template and its mutable fields. */
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp } from '../../common/shapes.ts'
import type { DeviceTemplateView } from './schema.ts'
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

export const viewOf = (row: store.TemplateRow): DeviceTemplateView => ({
  id: formatId('tpl', row.id),
  workspace_id: formatId('ws', row.workspace_id),
  model_key: row.model_key,
  ...fieldsOf(row),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

export const resourceOf = (view: DeviceTemplateView) => ({ kind: 'device_template', id: view.id })
