/** Schemas of the sessions of the web console. */
import Type, { type Static } from 'typebox'
import { sessionOrStep } from '../../common/console-session.ts'
import { passkeySignIn } from '../../common/passkey-shapes.ts'
import { Flag, Integer, NamedObject, Nullable } from '../../common/shapes.ts'

const stay = Type.Optional(
  Flag(
    'Whether the browser keeps the session when it is closed. Otherwise the session also ends 12 hours after sign-in.',
  ),
)

export const OpenConsoleSession = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 320 }),
  password: Type.String({ minLength: 1, maxLength: 1024 }),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  stay,
})
export type OpenConsoleSession = Static<typeof OpenConsoleSession>

export const VerifyConsoleMfa = Type.Object({
  mfa_token: Type.String({ minLength: 1, maxLength: 8192 }),
  code: Type.String({ minLength: 1, maxLength: 64 }),
  stay,
})
export type VerifyConsoleMfa = Static<typeof VerifyConsoleMfa>

export const OpenPasskeySession = Type.Object({ ...passkeySignIn, stay })
export type OpenPasskeySession = Static<typeof OpenPasskeySession>

export const OpenedConsoleSession = Type.Object(
  {
    ...sessionOrStep,
    expires_in: Integer('Lifetime of the access token, or of the `mfa_token`, in seconds.'),
  },
  {
    title: 'OpenedConsoleSession',
    description: 'Either the session, or, with a second factor, `mfa_required` and `mfa_token`.',
  },
)
export type OpenedConsoleSession = Static<typeof OpenedConsoleSession>

export const ConsoleConfig = NamedObject('ConsoleConfig', {
  version: Type.String(),
  registration: Type.Enum(['invited', 'open', 'closed'], {
    description: 'Accounts are created by the invited, by everyone, or by the operator only.',
  }),
  mail: Flag('Whether a mail server is configured.'),
  installation: Flag('Whether operators see the installation.'),
  mqtt_durable: Type.Enum(['off', 'workspaces', 'all'], {
    description: 'Which workspaces may have their MQTT sessions stored (`MOORING_MQTT_DURABLE`).',
  }),
  sso: Type.Array(Type.Object({ name: Type.String(), label: Type.String() }), {
    description: 'Identity providers that people can sign in with.',
  }),
  setup_open: Flag('Whether the link that the first start printed can still be used.'),
  passkey_origin: Nullable(
    Type.String(),
    'The origin whose pages can use passkeys. Null if passkeys are not available.',
  ),
  stripe_key: Nullable(
    Type.String(),
    'Publishable key of Stripe. Null if cards cannot be entered.',
  ),
})
export type ConsoleConfig = Static<typeof ConsoleConfig>
