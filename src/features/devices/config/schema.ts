/** Schemas of device configurations and their versions. */
import Type, { type Static } from 'typebox'
import { JsonObject } from '../../common/json-object.ts'
import { pageQuery } from '../../common/paging.ts'
import { Flag, Id, Integer, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

export const ReplaceConfig = Type.Object({
  config: JsonObject("The device's complete own configuration."),
})

export const PatchConfig = Type.Object({ config: JsonObject('Merged; null removes a member.') })

const MAX_VERSION = 1_000_000_000

export const RollBackConfig = Type.Object({
  version: Type.Integer({
    minimum: 1,
    maximum: MAX_VERSION,
    description: 'A version from the history.',
  }),
})

const version = {
  version: Integer("Increases by one with each change of the device's own configuration."),
  changed_by: Nullable(Type.String(), 'Null for the version that the device was created with.'),
  changed_at: Timestamp,
}

const ConfigReport = Type.Object(
  {
    version: Nullable(Type.Integer()),
    sha256: Nullable(Type.String()),
    status: Text('The status reported by the firmware, such as `applied` or `failed`.'),
    error: Nullable(Type.String()),
    error_code: Nullable(
      Type.String(),
      'The error code reported by the firmware, such as `CONFIG_APPLY_FAILED`.',
    ),
    applied_at: Nullable({
      ...Timestamp,
      description: 'The time by the clock of the device. Null if the clock is not set.',
    }),
    reported_at: Timestamp,
    is_present: Flag('Whether the report is about the current configuration.'),
  },
  {
    title: 'DeviceConfigReport',
    description: 'The last message of the device on `config/status`. Null if there is none.',
  },
)

export const ConfigView = NamedObject('DeviceConfig', {
  device_id: Id('dev'),
  config: JsonObject("The device's own configuration."),
  effective_config: JsonObject(
    "The default configuration of its template, with the device's own members in place of those of the same name.",
  ),
  sha256: Text(
    'SHA-256 of the effective configuration as canonical JSON (RFC 8785), in hexadecimal. It also changes with the template.',
  ),
  ...version,
  reported: Nullable(ConfigReport),
})
export type ConfigView = Static<typeof ConfigView>

export const ConfigVersion = NamedObject('DeviceConfigVersion', {
  config: JsonObject("The device's own configuration."),
  ...version,
})
export type ConfigVersion = Static<typeof ConfigVersion>

export const ListVersions = Type.Object(pageQuery)
export type ListVersions = Static<typeof ListVersions>
