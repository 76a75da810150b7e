/** Schemas of devices: the view, and the response with credentials. */
import Type, { type Static } from 'typebox'
import { DEVICE_KEY_PATTERN } from '../templates/serial-format.ts'
import { JsonObject } from '../../common/json-object.ts'
import { FILTER_LIMITS } from '../../../platform/lib/filter-grammar.ts'
import { MqttCredentials } from '../../common/mqtt-credentials-shape.ts'
import { pageQuery } from '../../common/paging.ts'
import { Id, Name, Nullable, Timestamp } from '../../common/shapes.ts'

export const MAX_TAGS = 64
const TAG_KEY = '[A-Za-z0-9_.-]{1,64}'
const TagKey = Type.String({ pattern: `^${TAG_KEY}$` })
const TagValue = Type.String({ maxLength: 256 })

const tagOptions = { maxProperties: MAX_TAGS, additionalProperties: false }

const DeviceStatus = Type.Enum(['registered', 'active', 'suspended', 'decommissioned'], {
  description: '`registered` until its first connection, then `active`. `decommissioned` is final.',
})
export type DeviceStatus = Static<typeof DeviceStatus>

const DeviceApproval = Type.Enum(['approved', 'pending', 'rejected'], {
  description:
    '`pending` if the device was registered with a key whose `approval` is `required`. MQTT refuses the device until it is `approved`.',
})
export type DeviceApproval = Static<typeof DeviceApproval>

export const CreateDevice = Type.Object({
  device_key: Type.Optional(
    Type.String({
      pattern: DEVICE_KEY_PATTERN,
      description:
        'Second level of its topics. Unique in the workspace. It cannot change. By default it is generated from the serial format of the template.',
    }),
  ),
  template_id: Type.Optional(Id('tpl')),
  hardware_id: Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,128}$',
      description: 'An identifier of the hardware, such as a MAC address. Unique in the workspace.',
    }),
  ),
  name: Type.Optional(Name),
  tags: Type.Optional(Type.Record(TagKey, TagValue, tagOptions)),
  custom_fields: Type.Optional(JsonObject('Values of the custom fields of the workspace.')),
  config: Type.Optional(
    JsonObject("The device's own configuration. It overrides the default of the template."),
  ),
})
export type CreateDevice = Static<typeof CreateDevice>

export const UpdateDevice = Type.Object({
  name: Type.Optional(Name),
  template_id: Type.Optional(Nullable(Id('tpl'))),
  tags: Type.Optional(Type.Record(TagKey, Nullable(TagValue), tagOptions)),
  custom_fields: Type.Optional(JsonObject('Merged; null removes a member.')),
  config: Type.Optional(JsonObject('Merged; null removes a member.')),
})
export type UpdateDevice = Static<typeof UpdateDevice>

const view = {
  id: Id('dev'),
  workspace_id: Id('ws'),
  device_key: Type.String(),
  name: Type.String(),
  template_id: Nullable(Id('tpl')),
  hardware_id: Nullable(Type.String()),
  status: DeviceStatus,
  approval: DeviceApproval,
  tags: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
  }),
  custom_fields: JsonObject('Values of the custom fields of the workspace.'),
  config: JsonObject("The device's own configuration. It overrides the default of the template."),
  connected: Type.Boolean({ description: 'Whether the device has a live MQTT session.' }),
  last_seen_at: Nullable(Timestamp),
  claimed_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const DeviceView = Type.Object(view, { title: 'Device' })
export type DeviceView = Static<typeof DeviceView>

const credentials = {
  mqtt_credentials: MqttCredentials,
  device_http_token: Type.String({
    description: 'For `/devices/auth/*`. Returned only in this response.',
  }),
}

export const CreatedDevice = Type.Object({ ...view, ...credentials }, { title: 'CreatedDevice' })
export type CreatedDevice = Static<typeof CreatedDevice>

export const ResetCredentials = Type.Object(
  { device_id: Id('dev'), ...credentials },
  { title: 'DeviceCredentials' },
)
export type ResetCredentials = Static<typeof ResetCredentials>

export const RotationAllowance = Type.Object(
  { device_id: Id('dev'), allowed_until: Timestamp },
  { title: 'RotationAllowance' },
)
export type RotationAllowance = Static<typeof RotationAllowance>

const DeviceFilterText = Type.String({
  minLength: 1,
  maxLength: FILTER_LIMITS.length,
  description:
    'Comparisons of fields with AND, OR, NOT and parentheses, such as `status = active AND tags.floor = "ground"`. The fields are `id`, `device_key`, `hardware_id`, `name`, `status`, `approval`, `template_id`, `connected`, `claimed`, `created_at`, `claimed_at`, `last_seen_at`, `tags.<key>`, `custom_fields.<name>` and `group`.',
})

export const ListDevices = Type.Object({
  ...pageQuery,
  filter: Type.Optional(DeviceFilterText),
  status: Type.Optional(DeviceStatus),
  approval: Type.Optional(DeviceApproval),
  template_id: Type.Optional(Id('tpl', 'Only devices of this template.')),
  tag: Type.Optional(
    Type.String({
      pattern: `^${TAG_KEY}(:[^\\u0000]{0,256})?$`,
      description: '`key:value`, or `key` for any value.',
    }),
  ),
  connected: Type.Optional(
    Type.Boolean({ description: 'Whether the device has a live MQTT session.' }),
  ),
  claimed: Type.Optional(Type.Boolean({ description: 'Whether the device is bound to a phone.' })),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 120,
      pattern: '^[^\\u0000]*$',
      description: 'A prefix of the key, or of the name in any case.',
    }),
  ),
})
export type ListDevices = Static<typeof ListDevices>
