/** Schemas of claims as phones see them. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { CodeLifetime, PresentedCode } from '../../common/claim-code-shapes.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import { Id, Name, NamedObject, Nullable, Timestamp, waitQuery } from '../../common/shapes.ts'

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
  ...waitQuery('for the end of the claim'),
})

const STATUSES = ['open', 'bound', 'released', 'expired', 'cancelled'] as const

const view = {
  claim_id: Id('clm'),
  workspace_id: Id('ws'),
  name: Nullable(Type.String()),
  status: Type.Enum([...STATUSES]),
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

/** A claim as staff see it. */
export const WorkspaceClaim = NamedObject('Claim', {
  ...view,
  moid_id: Nullable(
    Id('moid', 'The phone. Null as long as no phone has entered the code that a device shows.'),
  ),
  shown_by: Type.Enum(['phone', 'device'], {
    description: 'The side that shows the code; the other one sends it.',
  }),
})
export type WorkspaceClaim = Static<typeof WorkspaceClaim>

export const workspaceClaimFields: ListFields = {
  status: { type: 'word', words: STATUSES },
  device_id: { type: 'id', prefix: 'dev' },
  moid_id: { type: 'id', prefix: 'moid' },
  shown_by: { type: 'word', words: ['phone', 'device'] },
  created_at: { type: 'time' },
}

export const ListWorkspaceClaims = Type.Object({
  ...pageQuery,
  filter: FilterText(workspaceClaimFields),
})
export type ListWorkspaceClaims = Static<typeof ListWorkspaceClaims>
