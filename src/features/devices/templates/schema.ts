/** Schemas of device templates. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { type DefaultsOf, withDefaults } from '../../../platform/lib/stored-json.ts'
import { Firmware } from '../../common/firmware-shape.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import { JsonObject } from '../../common/json-object.ts'
import { BoundedCount } from '../../common/bounded-count.ts'
import { Flag, Id, Name, NamedObject, Nullable, Timestamp } from '../../common/shapes.ts'
import {
  MAX_TEMPLATE_RULES,
  RuleFinding,
  TemplateTopicRule,
  TopicEffect,
} from '../../common/topic-rule.ts'
import { MAX_FORMAT_LENGTH } from './serial-format.ts'

const closed = { additionalProperties: false }

const ModelKey = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
  description:
    'The name of the model in your own systems. Unique in the workspace. It cannot change.',
})

const CapabilityName = Type.String({ maxLength: 64, pattern: '^[a-z][a-z0-9_.-]*$' })

const MAX_BOUND = Number.MAX_SAFE_INTEGER
const Bound = (description: string) =>
  Type.Number({ minimum: -MAX_BOUND, maximum: MAX_BOUND, description })

export const CapabilityDefinition = Type.Object(
  {
    name: CapabilityName,
    type: Type.Enum(['string', 'number', 'integer', 'boolean', 'object']),
    unit: Type.Optional(Type.String({ maxLength: 32 })),
    description: Type.Optional(Type.String({ maxLength: 500 })),
    mode: Type.Optional(
      Type.Enum(['read', 'write', 'read_write'], {
        description: 'Whether the device reports the value, accepts it, or both.',
      }),
    ),
    min: Type.Optional(Bound('The minimum value. For numbers and integers only.')),
    max: Type.Optional(Bound('The maximum value. For numbers and integers only.')),
    enum: Type.Optional(
      Type.Array(Type.Unsafe<string | number>({ description: 'A value of the given type.' }), {
        minItems: 1,
        maxItems: 100,
        description: 'The allowed values. For strings, numbers and integers only.',
      }),
    ),
    default: Type.Optional(
      Type.Unsafe<unknown>({ description: 'The default value. It must satisfy all of the above.' }),
    ),
  },
  { ...closed, title: 'CapabilityDefinition' },
)
export type CapabilityDefinition = Static<typeof CapabilityDefinition>

export const Capabilities = Type.Array(CapabilityName, { maxItems: 100, uniqueItems: true })

export const CapabilityDefinitions = Type.Array(CapabilityDefinition, {
  maxItems: 100,
  description: 'At most one definition for each name in `capabilities`.',
})

const changeable = {
  name: Name,
  description: Type.String({ maxLength: 2_000 }),
  serial_format: Type.String({
    minLength: 1,
    maxLength: MAX_FORMAT_LENGTH,
    description:
      'The format of generated device keys: literals of A-Z a-z 0-9 . _ - and the tokens `%Y` `%M` `%D` `%H` (UTC), `%ws` (slug), `%#f` (sequence number of this template) and `%4r` `%6r` (random). At least one of the last three is required.',
  }),
  capabilities: Capabilities,
  capability_definitions: CapabilityDefinitions,
  default_config: JsonObject(
    "The default configuration of the devices of this template. A device's own " +
      'configuration overrides it.',
  ),
  mqtt_acl: Type.Array(TemplateTopicRule, {
    maxItems: MAX_TEMPLATE_RULES,
    description:
      'Evaluated in order; the first matching rule decides, and no match denies. If empty, the default rules apply.',
  }),
  rotation_overlap_s: Type.Integer({
    minimum: 60,
    maximum: 31_536_000,
    description:
      'The number of seconds for which an unused rotated secret is valid in addition to the old one.',
  }),
  firmware: Nullable(Firmware),
}

const { name, serial_format, ...optional } = changeable

export const CreateDeviceTemplate = Type.Object({
  model_key: ModelKey,
  name,
  serial_format,
  ...Type.Partial(Type.Object(optional)).properties,
})
export type CreateDeviceTemplate = Static<typeof CreateDeviceTemplate>

/** Defaults of members that may be left out, and that older releases did not store. */
export const templateDefaults: DefaultsOf<typeof optional> = {
  description: '',
  capabilities: [],
  capability_definitions: [],
  default_config: {},
  mqtt_acl: [],
  rotation_overlap_s: 604_800,
  firmware: null,
}

/** The mutable fields, as stored with each version. */
export const StoredTemplate = Type.Object({
  name,
  serial_format,
  ...withDefaults(optional, templateDefaults),
})
export type StoredTemplate = Static<typeof StoredTemplate>

export const UpdateDeviceTemplate = Type.Partial(Type.Object(changeable))
export type UpdateDeviceTemplate = Static<typeof UpdateDeviceTemplate>

export const DeviceTemplateView = NamedObject('DeviceTemplate', {
  id: Id('tpl'),
  workspace_id: Id('ws'),
  model_key: Type.String(),
  ...changeable,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type DeviceTemplateView = Static<typeof DeviceTemplateView>

export const TemplateEffect = Type.Object(
  {
    devices: BoundedCount,
    connected: BoundedCount,
    topics: TopicEffect,
    findings: Type.Array(RuleFinding, {
      description: 'Rules of its `mqtt_acl` that probably do not have the intended effect.',
    }),
  },
  {
    title: 'TemplateEffect',
    description:
      'The effect of a change: the number of devices of the template, the topics that each device gains and loses, and the rules without effect.',
  },
)
export type TemplateEffect = Static<typeof TemplateEffect>

export const ChangedDeviceTemplate = NamedObject('ChangedDeviceTemplate', {
  ...DeviceTemplateView.properties,
  effect: TemplateEffect,
})
export type ChangedDeviceTemplate = Static<typeof ChangedDeviceTemplate>

export const DryRun = Type.Object({
  dry_run: Type.Optional(
    Flag('If true, returns the response with its effect, but changes nothing.'),
  ),
})

const versionSummary = {
  version: Type.Integer({
    minimum: 1,
    description: 'The revision at the beginning of the `ETag` of the template at that time.',
  }),
  at: Timestamp,
  actor: Nullable(
    Type.Object({ kind: Type.String(), id: Nullable(Type.String()) }),
    'The author. Null for changes older than the history.',
  ),
  changed: Type.Array(Type.String(), {
    description: 'The members that differ from the previous version; empty for the first.',
  }),
}

export const TemplateVersionSummary = NamedObject('TemplateVersionSummary', versionSummary)
export type TemplateVersionSummary = Static<typeof TemplateVersionSummary>

export const TemplateVersion = NamedObject('TemplateVersion', {
  ...versionSummary,
  fields: Type.Object(changeable),
})
export type TemplateVersion = Static<typeof TemplateVersion>

export const RollBack = Type.Object({ version: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) })
export type RollBack = Static<typeof RollBack>

export const templateVersionFields: ListFields = {
  actor: { type: 'text' },
  changed: { type: 'set' },
  at: { type: 'time' },
}

export const ListTemplateVersions = Type.Object({
  ...pageQuery,
  filter: FilterText(templateVersionFields),
})
export type ListTemplateVersions = Static<typeof ListTemplateVersions>

export const templateFields: ListFields = {
  model_key: { type: 'text' },
  name: { type: 'text' },
  created_at: { type: 'time' },
}

export const ListDeviceTemplates = Type.Object({
  ...pageQuery,
  filter: FilterText(templateFields),
  model_key: Type.Optional(
    Type.String({ maxLength: 63, description: 'Only the template with this model key.' }),
  ),
})
