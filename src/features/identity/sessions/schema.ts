/** The schema of a session. */
import Type, { type Static } from 'typebox'
import { Id, Nullable, Timestamp } from '../../common/shapes.ts'

export const SessionView = Type.Object(
  {
    id: Id('ses'),
    current: Type.Boolean({ description: 'Whether this request came through it.' }),
    mfa: Type.Boolean({ description: 'Whether a second factor has been proved in it.' }),
    address: Type.String({ description: 'From where it was opened.' }),
    user_agent: Type.String(),
    workspace_id: Nullable(
      Id('ws', 'The only one that it is good for, as it was opened through its domain; else null.'),
    ),
    created_at: Timestamp,
    refreshed_at: Timestamp,
    expires_at: Type.String({
      format: 'date-time',
      description:
        'RFC 3339. 30 days after the last refresh, and at the latest 90 days after it was opened.',
    }),
  },
  { title: 'Session' },
)
export type SessionView = Static<typeof SessionView>
