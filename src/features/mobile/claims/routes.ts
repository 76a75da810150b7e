/** Operations on claims started by a phone. */
import Type from 'typebox'
import { operationGroup } from '../../../context.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { cancelClaim, createClaim, getClaim, listClaims } from './claim.ts'
import { ClaimView, CreateClaim, CreatedClaim, WaitQuery } from './schema.ts'

const operation = operationGroup({ tag: 'Mobile identity', access: ['moid'] })

export const claimOperations = [
  operation({
    id: 'createClaim',
    route: 'POST /moid/claims',
    summary: 'Start a claim',
    description:
      'Display `claim_code` to the device, which sends it to `POST /devices/auth/bind-claim`, and wait with `GET /moid/claims/{claim_id}?wait=30`. The code is returned only once. At most five claims are open at a time.',
    body: CreateClaim,
    returns: { 201: CreatedClaim },
    fails: ['workspace_not_found', 'too_many_open_claims'],
    example: { workspace_id: 'ws_01k0a2b3c4d5e6f7g8h9j0kmnp', name: 'Kitchen lamp' },
    created: { location: '/moid/claims/{claim_id}', revision: 1 },
    run: (context, { body }) => createClaim(context, body),
  }),
  operation({
    id: 'listClaims',
    route: 'GET /moid/claims',
    summary: 'List claims',
    description: 'Newest first. Claims are deleted 30 days after their end.',
    isPlanFree: true,
    query: Type.Object(pageQuery),
    returns: { 200: Page(ClaimView) },
    run: (context, { query }) => listClaims(context, query),
  }),
  operation({
    id: 'getClaim',
    route: 'GET /moid/claims/:claim_id',
    summary: 'Get a claim, or wait for it',
    description:
      'With `wait`, responds as soon as the claim is no longer open, or after that number of seconds.',
    isPlanFree: true,
    query: WaitQuery,
    returns: { 200: ClaimView },
    fails: ['claim_not_found'],
    run: (context, { params, query }) => getClaim(context, params.claim_id, query.wait ?? 0),
  }),
  operation({
    id: 'cancelClaim',
    route: 'DELETE /moid/claims/:claim_id',
    summary: 'Cancel a claim',
    description: 'Its code becomes invalid. Only an open claim can be cancelled.',
    bucket: 'safety',
    returns: { 204: null },
    fails: ['claim_not_found', 'invalid_transition', 'precondition_failed'],
    run: (context, { params }) => cancelClaim(context, params.claim_id),
  }),
]
