/** Parameters that many statements have: the key of a row, and who changes it. */
import Type from 'typebox'
import { actorKinds } from '../../platform/lib/actor-kinds.ts'
import { withDefault } from '../../platform/lib/stored-json.ts'
import { Nullable } from './shapes.ts'

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

const NullableText = withDefault(Nullable(Type.String()), null)

/** An origin as rows have it whose work takes long. */
export const StoredOrigin = Type.Object({
  actor: Type.Object({ kind: Type.Enum([...actorKinds]), id: NullableText }),
  requestId: NullableText,
  address: NullableText,
})
