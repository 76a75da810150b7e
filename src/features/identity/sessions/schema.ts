/** The schema of a session. */
import Type, { type Static } from 'typebox'
import { Id, NamedObject, Nullable, Time, Timestamp } from '../../common/shapes.ts'

export const SessionView = NamedObject('Session', {
  id: Id('ses'),
  current: Type.Boolean({ description: 'Whether this request uses the session.' }),
  mfa: Type.Boolean({ description: 'Whether a second factor was proved in the session.' }),
  address: Type.String({ description: 'The address from which the session was opened.' }),
  user_agent: Type.String(),
  workspace_id: Nullable(
    Id(
      'ws',
      'The workspace that the session is limited to, if it was opened through a domain of ' +
        'that workspace; otherwise null.',
    ),
  ),
  created_at: Timestamp,
  refreshed_at: Timestamp,
  expires_at: Time(
    'RFC 3339. 30 days after the last refresh, and at the latest 90 days after it was opened.',
  ),
})
export type SessionView = Static<typeof SessionView>
