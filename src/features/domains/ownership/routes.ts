/** Operations on domains. */
import type { Services } from '../../../context.ts'
import { respond, idParam, operationOf } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import type { DomainServices } from './directory.ts'
import { addDomain, deleteDomain, getDomain, listDomains } from './domain.ts'
import { verifyDomain } from './domain-verification.ts'
import { CreateDomain, DomainView, ListDomains } from './schema.ts'

const operation = operationOf<Services & DomainServices>()

const tag = 'Domains'
const access = ['user', 'platform-key'] as const
const workspace = { id: idParam('ws', 'workspace_not_found') }
const domain = { ...workspace, domain_id: idParam('dom', 'domain_not_found') }

export const domainOperations = [
  operation({
    id: 'addDomain',
    method: 'POST',
    path: '/workspaces/:id/domains',
    tag,
    summary: 'Add a domain',
    description:
      'Public suffixes, IP addresses, wildcards, special-use names and the names of the service itself are refused. The response contains the TXT record that proves ownership. The domain has no effect until it is verified; until then other workspaces can add the same name.',
    access,
    permission: 'domains.write',
    params: workspace,
    body: CreateDomain,
    returns: { 201: DomainView },
    fails: ['domain_exists', 'limit_reached'],
    example: { name: 'devices.example.com', purpose: 'mqtt' },
    async run(context, { body }) {
      const added = await addDomain(context, body)
      const location = `/workspaces/${added.workspace_id}/domains/${added.id}`
      return respond(201, added, { location, revision: 1 })
    },
  }),
  operation({
    id: 'listDomains',
    method: 'GET',
    path: '/workspaces/:id/domains',
    tag,
    summary: 'List domains',
    description: 'Newest first.',
    access,
    permission: 'domains.read',
    isPlanFree: true,
    params: workspace,
    query: ListDomains,
    returns: { 200: Page(DomainView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listDomains(context, query)),
  }),
  operation({
    id: 'getDomain',
    method: 'GET',
    path: '/workspaces/:id/domains/:domain_id',
    tag,
    summary: 'Get a domain',
    access,
    permission: 'domains.read',
    isPlanFree: true,
    params: domain,
    returns: { 200: DomainView },
    fails: ['domain_not_found'],
    async run(context, { params }) {
      const { view, revision } = await getDomain(context, params.domain_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'verifyDomain',
    method: 'POST',
    path: '/workspaces/:id/domains/:domain_id/verify',
    tag,
    summary: 'Verify a domain',
    description:
      'Checks the TXT record immediately. The error contains the expected and the found value. A verified domain is checked daily. If its record is missing for seven days, the domain lapses; it is verified again when the record is back.',
    access,
    permission: 'domains.write',
    idempotency: 'own',
    params: domain,
    returns: { 200: DomainView },
    fails: ['domain_not_found', 'domain_not_verified', 'domain_taken'],
    async run(context, { params }) {
      const { view, revision } = await verifyDomain(context, params.domain_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'deleteDomain',
    method: 'DELETE',
    path: '/workspaces/:id/domains/:domain_id',
    tag,
    summary: 'Delete a domain',
    description:
      'Its certificate is deleted with it. The next rotation gives devices the default host.',
    access,
    permission: 'domains.write',
    bucket: 'safety',
    params: domain,
    returns: { 204: null },
    fails: ['domain_not_found', 'precondition_failed'],
    async run(context, { params }) {
      await deleteDomain(context, params.domain_id)
      return respond(204, null)
    },
  }),
]
