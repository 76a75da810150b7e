/** The shape of a connection attempt, in the connection log and in a device's timeline. */
import Type, { type Static } from 'typebox'
import { Integer, NamedObject, Nullable, Timestamp } from './shapes.ts'

export const ConnectionAttempt = NamedObject('ConnectionAttempt', {
  accepted: Type.Boolean(),
  reason: Nullable(
    Type.String(),
    'The reason of the refusal: `bad_credentials`, `other_domain` (the client used the domain of another workspace, or a domain that is not for MQTT; the client receives `bad_credentials`), `client_id_invalid`, `suspended`, `expired`, `not_approved`, `workspace_inactive`, `not_authorized` (its will), `quota_exceeded` (the plan has no more devices), `busy` or `unavailable`.',
  ),
  attempts: Integer(
    'Number of attempts. Equal refusals from one address in a minute are combined in one entry, with the client id of the last.',
  ),
  at: Timestamp,
  last_at: Timestamp,
  client_id: Type.String(),
  address: Type.String(),
  protocol: Nullable(Type.Enum(['3.1', '3.1.1', '5']), 'The version of MQTT; null: unknown.'),
  session: Nullable(
    Type.Enum(['open', 'ended', 'unknown']),
    'The state of the session of an accepted attempt. `ended` without `ended_at`: the process that held the session was killed, so the time of its end is unknown. `unknown`: an external broker holds it and does not report its end, or the attempt is older than this member. Null: refused.',
  ),
  ended_at: Nullable(Timestamp),
  end_reason: Nullable(
    Type.String(),
    'The reason for the end of the session: `client` (the client disconnected, or its connection was lost), `administrative`, `not_authorized`, `taken_over`, `too_slow`, `in_flight_exceeded`, `keepalive_timeout` (no packet within the keep-alive time), `malformed` or `stopping` (the process stopped).',
  ),
  duration_s: Nullable(Type.Integer()),
})
export type ConnectionAttempt = Static<typeof ConnectionAttempt>
