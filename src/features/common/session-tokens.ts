/** The shape of the tokens of a new session of a person. */
import Type from 'typebox'
import { accessToken } from './access-token.ts'
import { NamedObject, Text } from './shapes.ts'

const { access_token, ...others } = accessToken
export const tokens = {
  access_token,
  refresh_token: Text(
    'For POST /auth/refresh. Valid for 30 days, but not longer than 90 days after sign-in.',
  ),
  ...others,
}

export const knownDeviceToken = Type.Optional(
  Text(
    'For the next sign-in on this device. It gives no access. Only in the response to a sign-in.',
  ),
)

export const TokenResponse = NamedObject('Tokens', {
  ...tokens,
  known_device_token: knownDeviceToken,
})
