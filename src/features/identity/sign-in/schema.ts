/** Schemas of signing in and of one's own account. */
import Type, { type Static } from 'typebox'
import { roles } from '../../../platform/access/permissions.ts'
import { knownDeviceToken, tokens } from '../../common/session-tokens.ts'
import { EndOtherSessions } from '../../common/ended-sessions.ts'
import {
  Flag,
  Id,
  Integer,
  Name,
  NamedObject,
  Nullable,
  Text,
  Timestamp,
} from '../../common/shapes.ts'

/**
 * Far longer than our tokens, so that a token of another kind is rejected as wrong, not as too
 * long.
 */
const Token = Type.String({ minLength: 1, maxLength: 8192 })
const Password = Type.String({ minLength: 1, maxLength: 1024 })
const Code = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The six digits that the authenticator currently shows, or a recovery code.',
})

const KnownDevice = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 8192,
    description:
      'The token from an earlier sign-in on this device. Attempts with it are counted separately. An invalid token is ignored.',
  }),
)

export const Login = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 320 }),
  password: Password,
  known_device_token: KnownDevice,
  code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'Required after `too_many_attempts` with the limit `failed_attempts_of_account`: an authenticator code, a recovery code, or the code that was sent by e-mail.',
    }),
  ),
})
export type Login = Static<typeof Login>

export const VerifyMfa = Type.Object({
  mfa_token: Token,
  code: Code,
  known_device_token: KnownDevice,
})
export type VerifyMfa = Static<typeof VerifyMfa>
export const Refresh = Type.Object({ refresh_token: Token })
export const LoginResponse = Type.Object(
  {
    access_token: Type.Optional(tokens.access_token),
    refresh_token: Type.Optional(tokens.refresh_token),
    token_type: Type.Optional(tokens.token_type),
    password_change_required: tokens.password_change_required,
    known_device_token: knownDeviceToken,
    mfa_required: Type.Optional(Flag('Present, and true, if a second factor is required.')),
    mfa_token: Type.Optional(Text('For POST /auth/mfa/verify, and nothing else.')),
    mfa_methods: Type.Optional(
      Type.Array(Type.Enum(['totp', 'recovery_code']), {
        description: 'The second factors that are accepted.',
      }),
    ),
    expires_in: Integer('Lifetime of the access token, or of the `mfa_token`, in seconds.'),
  },
  {
    title: 'LoginResponse',
    description:
      'Either the tokens of a new session, or, with a second factor, `mfa_required` and `mfa_token`.',
  },
)

export const Reauthenticate = Type.Object({
  password: Type.Optional(Password),
  code: Type.Optional(Code),
})
export type Reauthenticate = Static<typeof Reauthenticate>

export const Me = NamedObject('Account', {
  id: Id('usr'),
  email: Type.String(),
  name: Type.String(),
  mfa_enabled: Type.Boolean(),
  password_change_required: Flag(
    'Whether the service generated the password. If so, it must be changed first.',
  ),
  recovery_codes_left: Nullable(Type.Integer(), 'Null if the account has no authenticator.'),
  passkeys: Integer('The number of passkeys of the account.'),
  installation_role: Nullable(
    Type.Enum(['operator']),
    'Whether the account is one of an operator of the installation.',
  ),
  session_id: Id('ses'),
  workspaces: Type.Array(Type.Object({ id: Id('ws'), role: Type.Enum([...roles]) }), {
    description: 'The workspaces to which the user currently has access, with the role in each.',
  }),
  created_at: Timestamp,
})
export type Me = Static<typeof Me>

export const UpdateMe = Type.Object({ name: Type.Optional(Name) })

export const ChangePassword = Type.Object({
  current_password: Password,
  // Too short a password is refused by the rule, which knows whether there is an authenticator.
  new_password: Type.String({
    maxLength: 1024,
    description:
      'Any characters, used unchanged. At least 15 characters, or 12 if the account has an authenticator. Common passwords are refused, and passwords derived from the address, the name or the workspaces of the account.',
  }),
  end_other_sessions: EndOtherSessions,
})
export type ChangePassword = Static<typeof ChangePassword>
