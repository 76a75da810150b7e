/** Schemas of authenticator enrolment and recovery codes. */
import Type, { type Static } from 'typebox'
import { EndedSessions, EndOtherSessions } from '../../common/ended-sessions.ts'
import { NamedObject, Text } from '../../common/shapes.ts'

const Code = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The six digits that the authenticator currently shows, or a recovery code.',
})

export const ProveCode = Type.Object({ code: Code, end_other_sessions: EndOtherSessions })
export type ProveCode = Static<typeof ProveCode>

export const TotpEnrolment = NamedObject('TotpEnrolment', {
  secret: Text('Base32, for typing it into an authenticator.'),
  otpauth_uri: Text('The URI for a QR code.'),
})

export const RecoveryCodes = NamedObject('RecoveryCodes', {
  recovery_codes: Type.Array(Type.String(), {
    description: 'Ten recovery codes. Each works once. They are returned only once.',
  }),
  ...EndedSessions.properties,
})
