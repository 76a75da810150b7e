/** Schemas of devices: the view, and the response with credentials. */
import Type, { type Static } from 'typebox'
import { DEVICE_KEY_PATTERN } from '../templates/serial-format.ts'
import { JsonObject } from '../../common/json-object.ts'
import { deviceFilterForms } from '../filters/device-filter-format.ts'
import { FilterOf } from '../../common/filter-text.ts'
import { MqttCredentials } from '../../common/mqtt-credentials-shape.ts'
import { pageQuery } from '../../common/paging.ts'
import {
  Flag,
  Id,
  Integer,
  Name,
  NamedObject,
  Nullable,
  Text,
  Time,
  Timestamp,
} from '../../common/shapes.ts'
import { TAG_KEY, TagKey, tagOptions, TagValue } from '../../common/tag-shapes.ts'

const DeviceStatus = Type.Enum(['registered', 'active', 'suspended', 'decommissioned'], {
  description: '`registered` until its first connection, then `active`. `decommissioned` is final.',
})

const DeviceApproval = Type.Enum(['approved', 'pending', 'rejected'], {
  description:
    '`pending` if the device was registered with a key whose `approval` is `required`. MQTT refuses the device until it is `approved`.',
})

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
  connected: Flag('Whether the device has a live MQTT session.'),
  last_seen_at: Nullable(Timestamp),
  claimed_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const DeviceView = NamedObject('Device', view)
export type DeviceView = Static<typeof DeviceView>

const credentials = {
  mqtt_credentials: MqttCredentials,
  device_http_token: Text('For `/devices/auth/*`. Returned only in this response.'),
}

export const CreatedDevice = NamedObject('CreatedDevice', { ...view, ...credentials })
export type CreatedDevice = Static<typeof CreatedDevice>

export const ResetCredentials = NamedObject('DeviceCredentials', {
  device_id: Id('dev'),
  ...credentials,
})
export type ResetCredentials = Static<typeof ResetCredentials>

const DeviceCredential = NamedObject('DeviceCredential', {
  kind: Type.Enum(['mqtt', 'http'], {
    description: '`mqtt`: the password. `http`: the token for `/devices/auth/*`.',
  }),
  generation: Integer(
    'A number that increases with each issue. A password and a token that were issued together have the same number.',
  ),
  issued_by: Nullable(
    Type.Enum(['rotation', 'reset']),
    'Null if the secret was issued with the device, or before the service recorded this.',
  ),
  status: Type.Enum(['pending', 'confirmed'], {
    description:
      '`pending`: issued by a rotation, and not used yet. Its first use confirms it, and ends all older ones of its kind.',
  }),
  created_at: Timestamp,
  confirmed_at: Nullable(
    Time(
      'The time of the first use, which completes a rotation. Null before it, if the service did not record it yet at that time, and for a password that is used only at a broker that keeps passwords itself (`keeps_passwords` of its endpoints).',
    ),
  ),
  expires_at: Nullable(
    Time('The time at which it expires if it is not used. Null once it is confirmed.'),
  ),
})

export const DeviceCredentialList = NamedObject('DeviceCredentialList', {
  items: Type.Array(DeviceCredential, { description: 'The valid credentials, newest first.' }),
  next_cursor: Type.Null({ description: 'The list has only one page.' }),
  rotation_due: Flag(
    'Whether the device must still rotate, as in `GET /devices/auth/me`: because it was released since they were issued, or because staff requested a rotation.',
  ),
})
export type DeviceCredentialList = Static<typeof DeviceCredentialList>

export const RotationAllowance = NamedObject('RotationAllowance', {
  device_id: Id('dev'),
  allowed_until: Timestamp,
})
export type RotationAllowance = Static<typeof RotationAllowance>

const filterQuery = {
  filter: FilterOf(
    deviceFilterForms,
    `Comparisons of fields with AND, OR, NOT and parentheses, such as \`status = active AND tags.floor = "ground"\`. The fields are ${deviceFilterForms.map(({ name }) => `\`${name}\``).join(', ')}.`,
  ),
  status: Type.Optional(DeviceStatus),
  approval: Type.Optional(DeviceApproval),
  template_id: Type.Optional(Id('tpl', 'Only devices of this template.')),
  tag: Type.Optional(
    Type.String({
      pattern: `^${TAG_KEY}(:[^\\u0000]{0,256})?$`,
      description: '`key:value`, or `key` for any value.',
    }),
  ),
  connected: Type.Optional(Flag('Whether the device has a live MQTT session.')),
  claimed: Type.Optional(Flag('Whether the device is bound to a phone.')),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 120,
      pattern: '^[^\\u0000]*$',
      description: 'A prefix of the key, or of the name in any case.',
    }),
  ),
}

export const ListDevices = Type.Object({ ...pageQuery, ...filterQuery })
export type ListDevices = Static<typeof ListDevices>

export const CountDevices = Type.Object(filterQuery)
export type CountDevices = Static<typeof CountDevices>

export const DeviceCount = NamedObject('DeviceCount', {
  value: Type.Integer(),
  is_lower_bound: Flag(
    'Whether there may be more. A count reads at most 100,000 entries of an index, or examines at most 20,000 devices if no index answers the filter alone.',
  ),
})
export type DeviceCount = Static<typeof DeviceCount>

export const DEFAULT_FACETS = 50

export const FacetQuery = Type.Object({
  field: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 80,
      default: 'tags',
      description:
        'A field of the filter: `status`, `approval`, `connected`, `claimed`, `template_id`, `tags.<key>` or `custom_fields.<name>` for its values; `tags` or `custom_fields` for the names that occur.',
    }),
  ),
  prefix: Type.Optional(
    Type.String({
      maxLength: 120,
      pattern: '^[^\\u0000]*$',
      description: 'Only values with this prefix. Case matters.',
    }),
  ),
  order: Type.Optional(
    Type.Enum(['count', 'value'], {
      default: 'count',
      description: 'The most frequent value first, or in the order of the values.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: DEFAULT_FACETS,
      description: 'The maximum number of values.',
    }),
  ),
})
export type FacetQuery = Static<typeof FacetQuery>

export const DeviceFacets = NamedObject('DeviceFacets', {
  field: Type.String(),
  values: Type.Array(
    Type.Object({
      value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
      devices: Type.Object(
        {
          value: Type.Integer(),
          is_lower_bound: Flag('Whether there may be more: counting stops at 1,000.'),
        },
        { description: 'The number of devices with the value.' },
      ),
    }),
  ),
  has_more: Flag(
    'Whether there are further values. At most 200 are examined, in the order of the values; a longer `prefix` finds others.',
  ),
})
export type DeviceFacets = Static<typeof DeviceFacets>
