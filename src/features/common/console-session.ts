/** The shape of a session of the web console, whose refresh token is in a cookie. */
import Type, { type Static } from 'typebox'
import { Flag, Id, Integer, NamedObject, Text } from './shapes.ts'

export const consoleSession = {
  access_token: Text('A JWT for `Authorization: Bearer`.'),
  token_type: Type.Enum(['Bearer']),
  expires_in: Integer('Lifetime of the access token in seconds.'),
  password_change_required: Type.Optional(
    Flag('Present, and true, if the service generated the password.'),
  ),
  user_id: Id('usr'),
}

const { access_token, token_type, password_change_required, user_id } = consoleSession

/** Either the session, or what the second factor needs. */
export const sessionOrStep = {
  access_token: Type.Optional(access_token),
  token_type: Type.Optional(token_type),
  password_change_required,
  user_id: Type.Optional(user_id),
  mfa_required: Type.Optional(Type.Boolean()),
  mfa_token: Type.Optional(Type.String()),
  mfa_methods: Type.Optional(Type.Array(Type.Enum(['totp', 'recovery_code']))),
}

export const ConsoleSession = NamedObject('ConsoleSession', consoleSession)
export type ConsoleSession = Static<typeof ConsoleSession>
