/** Schemas of sessions. */
import Type, { type Static } from 'typebox'
import { roles } from '../../../platform/access/permissions.ts'
import { Flag, Id, NamedObject, Nullable, Text, Time, Timestamp } from '../../common/shapes.ts'

export const SessionView = NamedObject('Session', {
  id: Id('ses'),
  current: Flag('Whether this request uses the session.'),
  mfa: Flag('Whether a second factor was proved in the session.'),
  address: Text('The address from which the session was opened.'),
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

const Membership = Type.Object({
  /** UUID. */
  workspace_id: Type.String(),
  role: Type.Enum([...roles]),
})
export type Membership = Static<typeof Membership>

/** The memberships of a session's person, which statements compose. */
export const Memberships = Type.Array(Membership)
