/** Schemas of factory provisioning, as deployed firmware sends and expects them. */
import Type, { type Static } from 'typebox'
import { Id, Integer, Name, NamedObject, SentId, Text } from '../../common/shapes.ts'
import { TagKey, tagOptions, TagValue } from '../../common/tag-shapes.ts'

/** Usable as topic level and client id: no separators, wildcards or characters to escape. */
const DEVICE_KEY = '^[A-Za-z0-9][A-Za-z0-9._-]{0,94}$'

export const ProvisionDevice = Type.Object({
  workspace_id: Type.Optional(SentId('ws', 'If present, it must be the workspace of the key.')),
  template_id: Type.Optional(
    SentId('tpl', 'Registration: the `id` of an item of the template list.'),
  ),
  device_id: Type.Optional(SentId('dev', 'Rotation: the device whose credentials are rotated.')),
  device_key: Type.Optional(
    Type.String({
      pattern: DEVICE_KEY,
      description: 'Registration: the device key, instead of a generated one.',
    }),
  ),
  hardware_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      pattern: '^[\\x21-\\x7e]+$',
      description:
        'An identifier of the hardware (a MAC address, a chip id). The same id never registers two devices.',
    }),
  ),
  name: Type.Optional(Name),
  tags: Type.Optional(Type.Record(TagKey, TagValue, tagOptions)),
})
export type ProvisionDevice = Static<typeof ProvisionDevice>

/** Flat, since firmware reads top-level members; below 8,191 bytes in total. */
export const ProvisionedDevice = NamedObject('ProvisionedDevice', {
  device_id: Type.String(),
  device_key: Type.String(),
  workspace_slug: Text('First level of every topic of the device.'),
  mqtt_host: Type.String(),
  mqtt_port: Type.Integer(),
  mqtt_tls: Type.Boolean(),
  mqtt_username: Text('Also the MQTT client id to use.'),
  mqtt_password: Text('Returned only in this response.'),
  device_http_token: Text('For `/devices/auth/*`. Returned only in this response.'),
  firmware_url: Type.Optional(Type.String()),
  firmware_checksum_sha256: Type.Optional(Type.String()),
  firmware_size_bytes: Type.Optional(Type.Integer()),
})
export type ProvisionedDevice = Static<typeof ProvisionedDevice>

/**
 * A response as it is stored. Responses of an earlier release lack a member that is added: it needs
 * a default here (`withDefault`).
 */
export const StoredProvisioning = Type.Object({
  status: Type.Enum([200, 201]),
  body: ProvisionedDevice,
})

export const ProvisionTemplateRow = NamedObject('ProvisionTemplate', {
  id: Id('tpl'),
  model_key: Type.String(),
  name: Type.String(),
  description: Type.String(),
  serial_format: Type.String(),
})
export type TemplateRow = Static<typeof ProvisionTemplateRow>

export const ProvisionResult = NamedObject('ProvisionResult', {
  line: Integer('The line of the request, from 1.'),
  status: Integer('The response that POST /provision/device would return.'),
  ...Type.Partial(ProvisionedDevice).properties,
  code: Type.Optional(Text('The error of a failed row.')),
  message: Type.Optional(Type.String()),
  errors: Type.Optional(
    Type.Array(Type.Object({ pointer: Type.String(), message: Type.String() })),
  ),
  rule: Type.Optional(Text('The setting of the key that caused the refusal.')),
})
export type ProvisionResult = Static<typeof ProvisionResult>
