/** The claims of a workspace, as staff see them. */
import type { Context } from '../../../context.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { type ListWorkspaceClaims, WorkspaceClaim, workspaceClaimFields } from './schema.ts'
import { pageOfWorkspaceClaims, type WorkspaceClaimRow } from './store.ts'
import { rowView } from '../../common/row-view.ts'

const viewOf = rowView<WorkspaceClaimRow>()(WorkspaceClaim, {
  claim_id: (row) => formatId('clm', row.id),
  status: (row) => row.status as WorkspaceClaim['status'],
  shown_by: (row) => row.shown_by as WorkspaceClaim['shown_by'],
})

export const listWorkspaceClaims = (context: Context, query: ListWorkspaceClaims) =>
  listFiltered(context, query, {
    name: 'claims',
    fields: workspaceClaimFields,
    pageOf: pageOfWorkspaceClaims,
    view: viewOf,
  })
