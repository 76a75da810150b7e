/** The id of a row within its workspace, as statements take it. */

export interface RowKey {
  workspaceId: string
  id: string
}

export const keyOf = ({ workspace_id, id }: { workspace_id: string; id: string }): RowKey => ({
  workspaceId: workspace_id,
  id,
})
