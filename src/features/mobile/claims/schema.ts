/** Schemas of claims as phones see them. */
import Type, { type Static } from 'typebox'
import { CodeLifetime, PresentedCode } from '../../common/claim-code-shapes.ts'
import { Id, Name, Nullable, Timestamp } from '../../common/shapes.ts'

export const CreateClaim = Type.Object({
  workspace_id: Type.Optional(
    Id(
      'ws',
      'The workspace of the device. Optional in a session that is limited to one workspace.',
    ),
  ),
  name: Type.Optional(Name),
  expires_in: Type.Optional(CodeLifetime),
})
export type CreateClaim = Static<typeof CreateClaim>

export const WaitQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30,
      description: 'Seconds to wait for the end of the claim. Default: no waiting.',
    }),
  ),
})

const view = {
  claim_id: Id('clm'),
  workspace_id: Id('ws'),
  name: Nullable(Type.String()),
  status: Type.Enum(['open', 'bound', 'released', 'expired', 'cancelled']),
  device_id: Nullable(Id('dev')),
  created_at: Timestamp,
  expires_at: Timestamp,
  bound_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
}

export const ClaimView = Type.Object(view)
export type ClaimView = Static<typeof ClaimView>

export const CreatedClaim = Type.Object({ ...view, claim_code: PresentedCode })
export type CreatedClaim = Static<typeof CreatedClaim>
