/** Schemas of authorization codes, with the names of RFC 7636. */
import Type, { type Static } from 'typebox'
import { Integer, NamedObject } from '../../common/shapes.ts'

export const CreateAuthorizationCode = Type.Object({
  code_challenge: Type.String({
    pattern: '^[A-Za-z0-9_-]{43}$',
    description: 'SHA-256 of the `code_verifier`, as base64url without padding.',
  }),
})
export type CreateAuthorizationCode = Static<typeof CreateAuthorizationCode>

export const AuthorizationCode = NamedObject('AuthorizationCode', {
  code: Type.String(),
  expires_in: Integer('Seconds.'),
})
export type AuthorizationCode = Static<typeof AuthorizationCode>

export const ExchangeAuthorizationCode = Type.Object({
  // Far longer than our codes, so that one of another kind is rejected as wrong, not as too long.
  code: Type.String({ minLength: 1, maxLength: 1024 }),
  code_verifier: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'At least 43 random characters that only the program knows.',
  }),
})
export type ExchangeAuthorizationCode = Static<typeof ExchangeAuthorizationCode>
