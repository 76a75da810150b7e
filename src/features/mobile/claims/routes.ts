/** Operations on claims started by a phone. */
import Type from 'typebox'
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { cancelClaim, createClaim, getClaim, listClaims } from './claim.ts'
import { ClaimView, CreateClaim, CreatedClaim, WaitQuery } from './schema.ts'

const access = ['moid'] as const
const tag = 'Mobile identity'
const claim = { claim_id: idParam('clm', 'claim_not_found') }

export const claimOperations = [
  operation({
    id: 'createClaim',
    method: 'POST',
    path: '/moid/claims',
    tag,
    summary: 'Start a claim',
    description:
      'Display `claim_code` to the device, which sends it to `POST /devices/auth/bind-claim`, and wait with `GET /moid/claims/{claim_id}?wait=30`. The code is returned only once. At most five claims are open at a time.',
    access,
    body: CreateClaim,
    returns: { 201: CreatedClaim },
    fails: ['workspace_not_found', 'too_many_open_claims'],
    example: { workspace_id: 'ws_01k0a2b3c4d5e6f7g8h9j0kmnp', name: 'Kitchen lamp' },
    async run(context, { body }) {
      const created = await createClaim(context, body)
      return respond(201, created, { location: `/moid/claims/${created.claim_id}`, revision: 1 })
    },
  }),
  operation({
    id: 'listClaims',
    method: 'GET',
    path: '/moid/claims',
    tag,
    summary: 'List claims',
    description: 'Newest first. Claims are deleted 30 days after their end.',
    access,
    isPlanFree: true,
    query: Type.Object(pageQuery),
    returns: { 200: Page(ClaimView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listClaims(context, query)),
  }),
  operation({
    id: 'getClaim',
    method: 'GET',
    path: '/moid/claims/:claim_id',
    tag,
    summary: 'Get a claim, or wait for it',
    description:
      'With `wait`, responds as soon as the claim is no longer open, or after that number of seconds.',
    access,
    isPlanFree: true,
    params: claim,
    query: WaitQuery,
    returns: { 200: ClaimView },
    fails: ['claim_not_found'],
    async run(context, { params, query }) {
      const { view, revision } = await getClaim(context, params.claim_id, query.wait ?? 0)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'cancelClaim',
    method: 'DELETE',
    path: '/moid/claims/:claim_id',
    tag,
    summary: 'Cancel a claim',
    description: 'Its code becomes invalid. Only an open claim can be cancelled.',
    access,
    bucket: 'safety',
    params: claim,
    returns: { 204: null },
    fails: ['claim_not_found', 'invalid_transition', 'precondition_failed'],
    async run(context, { params }) {
      await cancelClaim(context, params.claim_id)
      return respond(204, null)
    },
  }),
]
