/** Schemas of the connection log: connection attempts and their outcome. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../../common/shapes.ts'

export const ConnectionAttempt = Type.Object(
  {
    accepted: Type.Boolean(),
    reason: Nullable(
      Type.String({
        description:
          'Why it was refused: `bad_credentials`, `other_domain` (it came by the domain of another workspace, or by one that is not for MQTT; the client is told `bad_credentials`), `client_id_invalid`, `suspended`, `expired`, `not_approved`, `workspace_inactive`, `not_authorized` (its will), `quota_exceeded` (the plan has no more devices), `busy` or `unavailable`.',
      }),
    ),
    attempts: Type.Integer({
      description:
        'Equal refusals from one address within a minute are one entry that counts them.',
    }),
    at: Timestamp,
    last_at: Timestamp,
    client_id: Type.String(),
    address: Type.String(),
    protocol: Nullable(
      Type.Enum(['3.1', '3.1.1', '5'], { description: 'The version of MQTT; null: unknown.' }),
    ),
    ended_at: Nullable(Timestamp),
    end_reason: Nullable(
      Type.String({
        description:
          'Why the session is over: `client` (it left, or its connection was lost), `administrative`, `not_authorized`, `taken_over`, `too_slow`, `in_flight_exceeded`, `keepalive_timeout` (it was silent for longer than it had promised), `malformed` or `stopping` (the process stopped).',
      }),
    ),
    duration_s: Nullable(Type.Integer()),
  },
  { title: 'ConnectionAttempt' },
)
export type ConnectionAttempt = Static<typeof ConnectionAttempt>

export const ConnectionLog = Type.Object({ items: Type.Array(ConnectionAttempt) })
export type ConnectionLog = Static<typeof ConnectionLog>
