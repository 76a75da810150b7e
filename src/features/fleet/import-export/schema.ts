/** Schemas of imported and exported devices, which share their columns. */
import Type, { type Static } from 'typebox'
import { deviceFilterForms } from '../../devices/filters/device-filter-format.ts'
import { FilterOf } from '../../common/filter-text.ts'
import { DEVICE_KEY_PATTERN } from '../../devices/templates/serial-format.ts'
import { JsonObject } from '../../common/json-object.ts'
import { MqttCredentials } from '../../common/mqtt-credentials-shape.ts'
import {
  Flag,
  Id,
  Integer,
  Name,
  NamedObject,
  Nullable,
  Text,
  Timestamp,
} from '../../common/shapes.ts'
import { TagKey, tagOptions, TagValue } from '../../common/tag-shapes.ts'

/** Members that an export contains but an import cannot set. */
const columns = {
  id: Id('dev'),
  status: Type.String(),
  approval: Type.String(),
  claimed_at: Nullable(Timestamp),
  last_seen_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
}
const ignored = Object.fromEntries(
  Object.keys(columns).map((name) => [
    name,
    Type.Optional(Type.Unknown({ description: 'Present in exports; ignored in imports.' })),
  ]),
) as Record<keyof typeof columns, ReturnType<typeof Type.Optional<ReturnType<typeof Type.Unknown>>>>

export const ImportDevice = Type.Object({
  device_key: Type.Optional(
    Nullable(
      Type.String({ pattern: DEVICE_KEY_PATTERN }),
      'Identifies the device, or becomes the key of a new one. By default `hardware_id` identifies it, and the serial format of the template generates the key.',
    ),
  ),
  hardware_id: Type.Optional(
    Nullable(
      Type.String({ pattern: '^[\\x21-\\x7e]{1,128}$' }),
      'An identifier of the hardware. An existing one does not change.',
    ),
  ),
  name: Type.Optional(Nullable(Name)),
  model_key: Type.Optional(
    Nullable(
      Type.String({ maxLength: 64 }),
      'Names the template. The same value works in every workspace.',
    ),
  ),
  template_id: Type.Optional(
    Nullable(
      Id(
        'tpl',
        'If there is a `model_key`, this id is ignored when it belongs to another workspace.',
      ),
    ),
  ),
  tags: Type.Optional(Nullable(Type.Record(TagKey, Nullable(TagValue), tagOptions))),
  custom_fields: Type.Optional(Nullable(JsonObject('Merged; null removes a member.'))),
  config: Type.Optional(Nullable(JsonObject('Merged; null removes a member.'))),
  ...ignored,
})
export type ImportDevice = Static<typeof ImportDevice>

export const ImportQuery = Type.Object({
  mode: Type.Optional(
    Type.Enum(['upsert', 'create', 'update'], {
      description:
        '`upsert` (the default) creates and changes devices; `create` only creates; `update` only changes.',
    }),
  ),
  dry_run: Type.Optional(Flag('If true, returns the results but writes nothing.')),
  credentials: Type.Optional(
    Flag(
      'Generates secrets for devices that have none, and returns them in the results, only once.',
    ),
  ),
})
export type ImportQuery = Static<typeof ImportQuery>

export const ImportResult = NamedObject('ImportResult', {
  line: Integer('The line of the body in which the row ends, from 1.'),
  status: Type.Enum(['created', 'updated', 'unchanged', 'failed']),
  device_id: Type.Optional(Type.String()),
  device_key: Type.Optional(Type.String()),
  mqtt_credentials: Type.Optional(MqttCredentials),
  device_http_token: Type.Optional(Type.String()),
  code: Type.Optional(Text('The error of a failed row.')),
  message: Type.Optional(Type.String()),
  errors: Type.Optional(
    Type.Array(Type.Object({ pointer: Type.String(), message: Type.String() })),
  ),
})
export type ImportResult = Static<typeof ImportResult>

export const ExportQuery = Type.Object({
  filter: FilterOf(
    deviceFilterForms,
    'Only devices that match this filter, in the syntax of the device list.',
  ),
})
export type ExportQuery = Static<typeof ExportQuery>

export const ExportedDevice = NamedObject('ExportedDevice', {
  device_key: Type.String(),
  name: Type.String(),
  hardware_id: Nullable(Type.String()),
  model_key: Nullable(Type.String()),
  template_id: Nullable(Id('tpl')),
  tags: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
  }),
  custom_fields: JsonObject('Any JSON about the device.'),
  config: JsonObject("The device's own configuration. It overrides the default of the template."),
  ...columns,
})
export type ExportedDevice = Static<typeof ExportedDevice>
