/** The operation that shows the claims of a workspace to its staff. */
import { operation } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import { ListWorkspaceClaims, WorkspaceClaim } from './schema.ts'
import { listWorkspaceClaims } from './claim.ts'

export const workspaceClaimOperations = [
  operation({
    id: 'listWorkspaceClaims',
    route: 'GET /workspaces/:id/claims',
    tag: 'Devices',
    summary: 'List the claims of a workspace',
    description:
      'Lists the claims that bind or bound devices to phones, and the open ones, newest first. Codes are not returned. Claims are deleted 30 days after their end. To end a claim, release its device.',
    access: ['user', 'platform-key'],
    permission: 'devices.read',
    query: ListWorkspaceClaims,
    returns: { 200: Page(WorkspaceClaim) },
    run: (context, { query }) => listWorkspaceClaims(context, query),
  }),
]
