/** Shapes of claims, as the phone and the device see them. */
import Type, { type Static } from 'typebox'
import { Id, Name, Nullable, Timestamp } from '../shapes.ts'

const ClaimLifetime = Type.Integer({
  minimum: 60,
  maximum: 3_600,
  description: 'For how many seconds the code is good; 900, if left out.',
})

export const CreateClaim = Type.Object({
  workspace_id: Type.Optional(
    Id('ws', 'The workspace of the device. A session that is locked to one may leave it out.'),
  ),
  name: Type.Optional(Name),
  expires_in: Type.Optional(ClaimLifetime),
})
export type CreateClaim = Static<typeof CreateClaim>

export const WaitQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30,
      description: 'Seconds to wait for the claim to be open no longer. None, if left out.',
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

export const ClaimView = Type.Object(view, { title: 'Claim' })
export type ClaimView = Static<typeof ClaimView>

const ClaimCode = Type.String({
  description:
    '`pc_` and ten characters. Case does not matter, nor do hyphens or spaces between characters. It is shown this once.',
})

export const CreatedClaim = Type.Object(
  { ...view, claim_code: ClaimCode },
  { title: 'CreatedClaim' },
)
export type CreatedClaim = Static<typeof CreatedClaim>

export const ShowClaimCode = Type.Object({ expires_in: Type.Optional(ClaimLifetime) })
export type ShowClaimCode = Static<typeof ShowClaimCode>

export const ShownClaim = Type.Object(
  {
    claim_id: Id('clm'),
    claim_code: ClaimCode,
    expires_at: Timestamp,
  },
  { title: 'ShownClaim' },
)
export type ShownClaim = Static<typeof ShownClaim>

export const BindClaim = Type.Object({
  claim_code: Type.String({ description: 'The code as the phone shows it.' }),
})
export type BindClaim = Static<typeof BindClaim>

/** Fielded firmware takes a 200 with a boolean `ok` for success, and reads less than 1 KB. */
export const BoundClaim = Type.Object(
  {
    ok: Type.Literal(true),
    device_id: Id('dev'),
    claim_id: Id('clm'),
    bound_at: Timestamp,
  },
  { title: 'BoundClaim' },
)
export type BoundClaim = Static<typeof BoundClaim>
