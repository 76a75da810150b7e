/** Operations on domains. */
import type { Services } from '../../../context.ts'
import { operationGroupOf } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import type { DomainServices } from './directory.ts'
import { addDomain, deleteDomain, getDomain, listDomains } from './domain.ts'
import { verifyDomain } from './domain-verification.ts'
import { CreateDomain, DomainView, ListDomains } from './schema.ts'

const operation = operationGroupOf<Services & DomainServices>()({
  tag: 'Domains',
  access: ['user', 'platform-key'],
})

export const domainOperations = [
  operation({
    id: 'addDomain',
    route: 'POST /workspaces/:id/domains',
    summary: 'Add a domain',
    description:
      'Public suffixes, IP addresses, wildcards, special-use names and the names of the service itself are refused. The response contains the TXT record that proves ownership. The domain has no effect until it is verified; until then other workspaces can add the same name.',
    permission: 'domains.write',
    body: CreateDomain,
    returns: { 201: DomainView },
    fails: ['domain_exists', 'limit_reached'],
    example: { name: 'devices.example.com', purpose: 'mqtt' },
    created: { location: '/workspaces/{workspace_id}/domains/{id}', revision: 1 },
    run: (context, { body }) => addDomain(context, body),
  }),
  operation({
    id: 'listDomains',
    route: 'GET /workspaces/:id/domains',
    summary: 'List domains',
    description: 'Newest first.',
    permission: 'domains.read',
    isPlanFree: true,
    query: ListDomains,
    returns: { 200: Page(DomainView) },
    run: (context, { query }) => listDomains(context, query),
  }),
  operation({
    id: 'getDomain',
    route: 'GET /workspaces/:id/domains/:domain_id',
    summary: 'Get a domain',
    permission: 'domains.read',
    isPlanFree: true,
    returns: { 200: DomainView },
    fails: ['domain_not_found'],
    run: (context, { params }) => getDomain(context, params.domain_id),
  }),
  operation({
    id: 'verifyDomain',
    route: 'POST /workspaces/:id/domains/:domain_id/verify',
    summary: 'Verify a domain',
    description:
      'Checks the TXT record immediately. The error contains the expected and the found value. A verified domain is checked daily. If its record is missing for seven days, the domain lapses; it is verified again when the record is back.',
    permission: 'domains.write',
    idempotency: 'own',
    returns: { 200: DomainView },
    fails: ['domain_not_found', 'domain_not_verified', 'domain_taken'],
    run: (context, { params }) => verifyDomain(context, params.domain_id),
  }),
  operation({
    id: 'deleteDomain',
    route: 'DELETE /workspaces/:id/domains/:domain_id',
    summary: 'Delete a domain',
    description:
      'Its certificate is deleted with it. The next rotation gives devices the default host.',
    permission: 'domains.write',
    bucket: 'safety',
    returns: { 204: null },
    fails: ['domain_not_found', 'precondition_failed'],
    run: (context, { params }) => deleteDomain(context, params.domain_id),
  }),
]
