/** Schemas of device configurations and their versions. */
import Type, { type Static } from 'typebox'
import { JsonObject } from '../../common/json-object.ts'
import { pageQuery } from '../../common/paging.ts'
import { Id, Nullable, Timestamp } from '../../common/shapes.ts'

export const ReplaceConfig = Type.Object({ config: JsonObject('The whole own configuration.') })
export type ReplaceConfig = Static<typeof ReplaceConfig>

export const PatchConfig = Type.Object({ config: JsonObject('Merged; null removes a member.') })
export type PatchConfig = Static<typeof PatchConfig>

const MAX_VERSION = 1_000_000_000

export const RollBackConfig = Type.Object({
  version: Type.Integer({
    minimum: 1,
    maximum: MAX_VERSION,
    description: 'One of the versions that the history shows.',
  }),
})
export type RollBackConfig = Static<typeof RollBackConfig>

const version = {
  version: Type.Integer({
    description: "Grows by one with each change of the device's own configuration.",
  }),
  changed_by: Nullable(Type.String({ description: 'Null for what it was created with.' })),
  changed_at: Timestamp,
}

const ConfigReport = Type.Object(
  {
    version: Nullable(Type.Integer()),
    sha256: Nullable(Type.String()),
    status: Type.String({ description: 'As the firmware says it, such as `applied` or `failed`.' }),
    error: Nullable(Type.String()),
    error_code: Nullable(
      Type.String({ description: 'As the firmware says it, such as `CONFIG_APPLY_FAILED`.' }),
    ),
    applied_at: Nullable({
      ...Timestamp,
      description: 'By the clock of the device; null if that is not set.',
    }),
    reported_at: Timestamp,
    is_present: Type.Boolean({ description: 'Whether it speaks of the configuration of now.' }),
  },
  {
    title: 'DeviceConfigReport',
    description: 'What the device said last on `config/status`; null until it does.',
  },
)

export const ConfigView = Type.Object(
  {
    device_id: Id('dev'),
    config: JsonObject("The device's own configuration."),
    effective_config: JsonObject(
      "The default configuration of its template, with the device's own members in place of those of the same name.",
    ),
    sha256: Type.String({
      description:
        'Of the effective configuration as canonical JSON (RFC 8785), in hexadecimal: it changes with the template too.',
    }),
    ...version,
    reported: Nullable(ConfigReport),
  },
  { title: 'DeviceConfig' },
)
export type ConfigView = Static<typeof ConfigView>

export const ConfigVersion = Type.Object(
  { config: JsonObject("The device's own configuration."), ...version },
  { title: 'DeviceConfigVersion' },
)
export type ConfigVersion = Static<typeof ConfigVersion>

export const ListVersions = Type.Object(pageQuery)
export type ListVersions = Static<typeof ListVersions>
