/** A template as its form holds it, and as the service takes it. */
import type {
  CapabilityDefinition,
  DeviceTemplate,
  UpdateDeviceTemplate,
} from '../../../../sdk/schema.ts'
import { durationText, secondsOf } from '../../api/duration.ts'
import { jsonObjectOf } from '../../api/json-object.ts'

export interface TemplateDraft {
  name: string
  description: string
  serial_format: string
  capabilities: readonly string[]
  capability_definitions: readonly CapabilityDefinition[]
  /** JSON. */
  config: string
  /** Such as `7 d`. */
  overlap: string
  firmwareUrl: string
  firmwareHash: string
  firmwareSize: string
}

export const draftOf = (template: DeviceTemplate): TemplateDraft => ({
  name: template.name,
  description: template.description,
  serial_format: template.serial_format,
  capabilities: template.capabilities,
  capability_definitions: template.capability_definitions,
  config: JSON.stringify(template.default_config, null, 2),
  overlap: durationText(template.rotation_overlap_s),
  firmwareUrl: template.firmware?.url ?? '',
  firmwareHash: template.firmware?.sha256 ?? '',
  firmwareSize: template.firmware === null ? '' : String(template.firmware.size_bytes),
})

function bodyOf(draft: TemplateDraft): UpdateDeviceTemplate {
  const { name, description, serial_format, firmwareUrl: url, firmwareHash: sha256 } = draft
  const hasFirmware = `${url}${sha256}${draft.firmwareSize}`.trim() !== ''
  return {
    name,
    description,
    serial_format,
    capabilities: [...draft.capabilities],
    capability_definitions: [...draft.capability_definitions],
    default_config: jsonObjectOf(draft.config) ?? {},
    rotation_overlap_s: secondsOf(draft.overlap) ?? NaN,
    firmware: hasFirmware ? { url, sha256, size_bytes: Number(draft.firmwareSize) } : null,
  }
}

/** The members that the person has changed. */
export function changesOf(base: TemplateDraft, value: TemplateDraft): UpdateDeviceTemplate {
  const old = new Map<string, unknown>(Object.entries(bodyOf(base)))
  return Object.fromEntries(
    Object.entries(bodyOf(value)).filter(
      ([name, each]) => JSON.stringify(each) !== JSON.stringify(old.get(name)),
    ),
  )
}
