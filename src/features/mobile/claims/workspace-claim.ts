/** The claims of a workspace, as staff see them. */
import type { Context } from '../../../context.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import { type ListWorkspaceClaims, type WorkspaceClaim, workspaceClaimFields } from './schema.ts'
import { pageOfWorkspaceClaims, type WorkspaceClaimRow } from './store.ts'

const viewOf = (row: WorkspaceClaimRow): WorkspaceClaim => ({
  claim_id: formatId('clm', row.id),
  workspace_id: formatId('ws', row.workspace_id),
  name: row.name,
  status: row.status as WorkspaceClaim['status'],
  device_id: row.device_id === null ? null : formatId('dev', row.device_id),
  created_at: timestamp(row.created_at),
  expires_at: timestamp(row.expires_at),
  bound_at: timestampOrNull(row.bound_at),
  ended_at: timestampOrNull(row.ended_at),
  moid_id: row.moid_id === null ? null : formatId('moid', row.moid_id),
  shown_by: row.shown_by as WorkspaceClaim['shown_by'],
})

export const listWorkspaceClaims = (context: Context, query: ListWorkspaceClaims) =>
  listFiltered(context, query, {
    name: 'claims',
    fields: workspaceClaimFields,
    pageOf: pageOfWorkspaceClaims,
    view: viewOf,
  })
