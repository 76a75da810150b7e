/** The shape of an access token of a person. */
import Type from 'typebox'
import { Flag, Integer, NamedObject, Text } from './shapes.ts'

export const accessToken = {
  access_token: Text('A JWT for `Authorization: Bearer`.'),
  token_type: Type.Enum(['Bearer']),
  expires_in: Integer('Lifetime of the access token in seconds.'),
  password_change_required: Type.Optional(
    Flag(
      'Present, and true, if the service generated the password. Until POST /auth/password has changed it, the tokens are accepted only at `/auth/*`.',
    ),
  ),
}

export const AccessTokenResponse = NamedObject('AccessToken', accessToken)
