/** Parameters that many statements have: the key of a row, and who changes it. */

export interface RowKey {
  workspaceId: string
  id: string
}

export const keyOf = ({ workspace_id, id }: { workspace_id: string; id: string }): RowKey => ({
  workspaceId: workspace_id,
  id,
})

interface Author {
  actor: { kind: string; id: string | null }
  requestId: string | null
  address: string | null
}

/** The parameters of an origin. */
export const originParams = ({ actor, requestId, address }: Author) => ({
  actorKind: actor.kind,
  actorId: actor.id,
  requestId,
  address,
})
