/** Plans the effect of one import row, given what exists. Does not query the database. */
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import { changedFields } from '../../../platform/record/record.ts'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import { formatId, parseId } from '../../../platform/lib/ids.ts'
import { mergeObjects } from '../../../platform/lib/merge-patch.ts'
import {
  checkFieldValues,
  type FieldDefinitions,
} from '../../devices/custom-fields/custom-field-values.ts'
import { isClientId, reservedKey } from '../../common/device-key.ts'
import { noSuchTemplate } from '../../devices/registry/device.ts'
import { requireSmall, requireSmallConfig } from '../../common/json-object.ts'
import { fieldValueOf } from './device-columns.ts'
import type { KnownDevice, TemplateRow } from './import-store.ts'
import { MAX_TAGS } from '../../common/tag-shapes.ts'
import type { ImportDevice, ImportQuery } from './schema.ts'

export type Mode = NonNullable<ImportQuery['mode']>

export interface Known {
  byKey: ReadonlyMap<string, KnownDevice>
  byHardwareId: ReadonlyMap<string, KnownDevice>
}

/** The workspace's templates that rows refer to. */
export interface Templates {
  customFields: FieldDefinitions
  byId: ReadonlyMap<string, TemplateRow>
  byModelKey: ReadonlyMap<string, TemplateRow>
}

/** The members that an import can set. */
export type Fields = Omit<KnownDevice, 'id' | 'device_key' | 'status' | 'name'> & {
  /** Null for a new device, which is then named after its key. */
  name: string | null
}

export type Step =
  | { kind: 'create'; fields: Fields; template: TemplateRow | undefined }
  | { kind: 'update'; before: KnownDevice; after: KnownDevice; changes: Changes }
  | { kind: 'keep'; device: KnownDevice }

export type Changes = ReturnType<typeof changedFields<object>>

/** @throws Failure device_key_taken, hardware_id_taken if the row matches no device consistently */
function findDevice(value: ImportDevice, known: Known): KnownDevice | undefined {
  const { device_key, hardware_id } = value
  const byKey = device_key ? known.byKey.get(device_key) : undefined
  const byHardwareId = hardware_id ? known.byHardwareId.get(hardware_id) : undefined
  if (byHardwareId !== undefined && device_key && byHardwareId !== byKey) {
    throw new Failure('hardware_id_taken')
  }
  const own = byKey?.hardware_id ?? null
  if (hardware_id && own !== null && own !== hardware_id) {
    throw new Failure('device_key_taken', {
      detail: 'The device with this device_key has another hardware_id.',
    })
  }
  return byKey ?? byHardwareId
}

/** @param otherwise the template if the row names none */
function templateOf(
  { model_key, template_id }: ImportDevice,
  templates: Templates,
  otherwise: string | null,
): string | null {
  const named = template_id ? templates.byId.get(parseId('tpl', template_id) ?? '') : undefined
  if (model_key) {
    const template = templates.byModelKey.get(model_key)
    if (template === undefined) throw invalid('/model_key', 'is not a template of this workspace')
    if (named !== undefined && named !== template) {
      throw invalid('/template_id', 'names another template than model_key')
    }
    return template.id
  }
  if (template_id) {
    if (named === undefined) throw noSuchTemplate()
    return named.id
  }
  return model_key === null || template_id === null ? null : otherwise
}

const NOTHING: Fields = {
  name: null,
  hardware_id: null,
  template_id: null,
  tags: {},
  custom_fields: {},
  config: {},
}

/** The fields after the row, merged as by PATCH (RFC 7396). */
function fieldsAfter(before: Fields, value: ImportDevice, templates: Templates): Fields {
  const patch = Object.fromEntries(
    Object.entries(value.custom_fields ?? {}).map(([name, given]) => [
      name,
      fieldValueOf(value, given, templates.customFields.get(name)?.type),
    ]),
  )
  const tags = mergeObjects(before.tags, value.tags ?? {}) as Record<string, string>
  const fields: Fields = {
    name: value.name ?? before.name,
    hardware_id: value.hardware_id ?? before.hardware_id,
    template_id: templateOf(value, templates, before.template_id),
    tags,
    custom_fields: mergeObjects(before.custom_fields, patch),
    config: mergeObjects(before.config, value.config ?? {}),
  }
  if (Object.keys(tags).length > MAX_TAGS) throw invalid('/tags', `would be more than ${MAX_TAGS}`)
  checkFieldValues(templates.customFields, patch, fields.custom_fields)
  requireSmall('/custom_fields', fields.custom_fields)
  requireSmallConfig('/config', fields.config)
  return fields
}

const shown = ({ name, hardware_id, template_id, tags, custom_fields, config }: Fields) => ({
  name,
  hardware_id,
  template_id: template_id === null ? null : formatId('tpl', template_id),
  tags,
  custom_fields,
  config,
})

/** The differences, ignoring the order of members. */
function changesOf(before: Fields, after: Fields): Changes | undefined {
  const changes = changedFields(shown(before), shown(after))
  if (canonicalJson(changes.before) === canonicalJson(changes.after)) return undefined
  return changes
}

/** @throws Failure describing the problem of the row */
export function planRow(value: ImportDevice, known: Known, templates: Templates, mode: Mode): Step {
  const device = findDevice(value, known)
  if (device === undefined) {
    if (mode === 'update') throw new Failure('device_not_found')
    if (value.device_key && isClientId(value.device_key)) throw reservedKey()
    const fields = fieldsAfter(NOTHING, value, templates)
    const template = templates.byId.get(fields.template_id ?? '')
    if (!value.device_key && template === undefined) {
      throw invalid('/device_key', 'is missing: a new device wants device_key or a template')
    }
    return { kind: 'create', fields, template }
  }
  const fields = fieldsAfter(device, value, templates)
  const after = { ...device, ...fields, name: fields.name ?? device.name }
  const changes = changesOf(device, after)
  if (changes === undefined) return { kind: 'keep', device }
  if (mode === 'create') {
    throw new Failure('device_key_taken', { detail: 'The device exists, and differs.' })
  }
  return { kind: 'update', before: device, after, changes }
}
