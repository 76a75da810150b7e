/** The schema of a session. */
import Type, { type Static } from 'typebox'
import { Id, Timestamp } from '../shapes.ts'

export const SessionView = Type.Object(
  {
    id: Id('ses'),
    current: Type.Boolean({ description: 'Whether this request came through it.' }),
    mfa: Type.Boolean({ description: 'Whether a second factor opened it.' }),
    address: Type.String({ description: 'From where it was opened.' }),
    user_agent: Type.String(),
    created_at: Timestamp,
    refreshed_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'Session' },
)
export type SessionView = Static<typeof SessionView>
