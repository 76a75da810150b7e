/** Schemas of authenticator enrolment and recovery codes. */
import Type, { type Static } from 'typebox'
import { EndedSessions, EndOtherSessions } from '../../common/ended-sessions.ts'

const Code = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The six digits that the authenticator shows now, or a recovery code.',
})

export const ProveCode = Type.Object({ code: Code, end_other_sessions: EndOtherSessions })
export type ProveCode = Static<typeof ProveCode>

export const TotpEnrolment = Type.Object(
  {
    secret: Type.String({ description: 'Base32, for typing it into an authenticator.' }),
    otpauth_uri: Type.String({ description: 'For a QR code.' }),
  },
  { title: 'TotpEnrolment' },
)

export const RecoveryCodes = Type.Object(
  {
    recovery_codes: Type.Array(Type.String(), {
      description: 'Ten codes, each good once. They are shown this once.',
    }),
    ...EndedSessions.properties,
  },
  { title: 'RecoveryCodes' },
)
