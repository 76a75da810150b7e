/** Schemas of devices as their holder's phone sees them. */
import Type, { type Static } from 'typebox'
import { SentCode } from '../../common/claim-code-shapes.ts'
import { Id, Name, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

export const MoidDeviceView = NamedObject('MoidDevice', {
  device_id: Id('dev'),
  workspace_id: Id('ws'),
  claim_id: Id('clm'),
  device_key: Type.String(),
  name: Text("The phone's own name for the device, or else its name."),
  status: Type.Enum(['registered', 'active', 'suspended', 'decommissioned']),
  template_id: Nullable(Id('tpl')),
  model_key: Nullable(Type.String()),
  connected: Type.Boolean(),
  last_seen_at: Nullable(Timestamp),
  claimed_at: Timestamp,
})
export type MoidDeviceView = Static<typeof MoidDeviceView>

export const RenameMoidDevice = Type.Object({
  name: Type.Optional(
    Type.Union([Name, Type.Null()], {
      description: "The phone's own name for the device; null: the device's name.",
    }),
  ),
})
export type RenameMoidDevice = Static<typeof RenameMoidDevice>

export const ClaimShownDevice = Type.Object({
  claim_code: SentCode,
  workspace_id: Type.Optional(Id('ws', 'Search for the device only in this workspace.')),
  name: Type.Optional(Name),
})
export type ClaimShownDevice = Static<typeof ClaimShownDevice>
