/** Schemas of mobile identities and their sessions. */
import Type, { type Static } from 'typebox'
import { Id, Integer, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

export const StartMoidSession = Type.Object({
  workspace_id: Type.Optional(
    Id('ws', 'Limits the session to this workspace. A session without a workspace is global.'),
  ),
})
export type StartMoidSession = Static<typeof StartMoidSession>

export const RefreshMoidSession = Type.Object({
  // Far longer than our tokens, so that one of another kind is rejected as wrong, not as too long.
  refresh_token: Type.String({ minLength: 1, maxLength: 8192 }),
})

const identity = {
  moid_id: Id('moid'),
  session_id: Id('mse'),
  scope: Type.Enum(['global', 'workspace']),
  workspace_id: Nullable(Id('ws')),
}

export const MoidSession = NamedObject('MoidSession', {
  ...identity,
  access_token: Type.String(),
  refresh_token: Text('Valid for one refresh, within 180 days.'),
  token_type: Type.Literal('Bearer'),
  expires_in: Integer('Lifetime of the access token in seconds.'),
})
export type MoidSession = Static<typeof MoidSession>

export const MoidView = NamedObject('MobileIdentity', {
  ...identity,
  created_at: Timestamp,
  session_created_at: Timestamp,
  session_expires_at: Timestamp,
})
export type MoidView = Static<typeof MoidView>
