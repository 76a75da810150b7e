/** Operations of the web console for operators: all workspaces, their invitations and invoices. */
import type { Services } from '../../../context.ts'
import { forOperators, operationGroupOf } from '../../../platform/http/operation.ts'
import * as schema from './schema.ts'
import {
  getTenant,
  listAllInvitations,
  listIssuedInvoices,
  listTenants,
  restoreTenant,
  type TenantServices,
} from './tenant.ts'

const operation = operationGroupOf<Services & TenantServices>()(forOperators)

export const operatorTenantOperations = [
  operation({
    id: 'listInstallationWorkspaces',
    route: 'GET /installation/workspaces',
    description: 'In the order of their slugs.',
    query: schema.ListTenants,
    returns: { 200: schema.TenantPage },
    run: (context, { query }) => listTenants(context, query),
  }),
  operation({
    id: 'getInstallationWorkspace',
    route: 'GET /installation/workspaces/:workspace_id',
    returns: { 200: schema.TenantView },
    run: (context, { params }) => getTenant(context, params.workspace_id),
  }),
  operation({
    id: 'restoreInstallationWorkspace',
    route: 'POST /installation/workspaces/:workspace_id/restore',
    needsFreshProof: true,
    returns: { 200: schema.RestoredTenant },
    run: (context, { params }) => restoreTenant(context, params.workspace_id),
  }),
  operation({
    id: 'listInstallationInvitations',
    route: 'GET /installation/invitations',
    description: 'In the order of the slugs of their workspaces.',
    query: schema.ListOfAll,
    returns: { 200: schema.InvitationPage },
    run: (context, { query }) => listAllInvitations(context, query),
  }),
  operation({
    id: 'listInstallationInvoices',
    route: 'GET /installation/invoices',
    description: 'In the order of their numbers.',
    query: schema.ListIssued,
    returns: { 200: schema.IssuedPage },
    run: (context, { query }) => listIssuedInvoices(context, query),
  }),
]
