/** Schemas of what devices read about themselves, and of their side of a claim. */
import Type, { type Static } from 'typebox'
import { CodeLifetime, SentCode, PresentedCode } from '../../common/claim-code-shapes.ts'
import { Flag, Id, Integer, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

export const OwnDevice = NamedObject('OwnDevice', {
  device_id: Id('dev'),
  device_key: Type.String(),
  workspace_id: Id('ws'),
  workspace_slug: Text('First level of every topic of the device.'),
  name: Type.String(),
  template_id: Nullable(Id('tpl')),
  status: Type.Enum(['registered', 'active', 'suspended', 'decommissioned']),
  approval: Type.Enum(['approved', 'pending', 'rejected'], {
    description:
      'Until it is `approved`, the device can only read this resource and rotate its credentials.',
  }),
  claimed: Type.Boolean(),
  claimed_at: Nullable(Timestamp),
  rotation_due: Flag(
    'Whether the device must rotate its credentials, because it was released since they were issued, or because staff requested a rotation.',
  ),
  tags: Type.Record(Type.String(), Type.String()),
})
export type OwnDevice = Static<typeof OwnDevice>

export const OwnConfig = NamedObject('OwnConfig', {
  config: Type.Unsafe<Record<string, unknown>>(
    Type.Object({}, { additionalProperties: true, description: 'Any JSON object.' }),
  ),
  version: Integer("Increases with each change of the device's own configuration."),
  sha256: Text(
    'SHA-256 of `config` as canonical JSON (RFC 8785), in hexadecimal. It differs if something has changed.',
  ),
})
export type OwnConfig = Static<typeof OwnConfig>

export const BindClaim = Type.Object({ claim_code: SentCode })
export type BindClaim = Static<typeof BindClaim>

/** Deployed firmware treats a 200 with a boolean `ok` as success, and reads less than 1 KB. */
export const BoundClaim = Type.Object({
  ok: Type.Literal(true),
  device_id: Id('dev'),
  claim_id: Id('clm'),
  bound_at: Timestamp,
})
export type BoundClaim = Static<typeof BoundClaim>

export const ShowClaimCode = Type.Object({ expires_in: Type.Optional(CodeLifetime) })
export type ShowClaimCode = Static<typeof ShowClaimCode>

export const ShownClaim = Type.Object({
  claim_id: Id('clm'),
  claim_code: PresentedCode,
  expires_at: Timestamp,
})
export type ShownClaim = Static<typeof ShownClaim>
