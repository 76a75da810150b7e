/** Schemas of signing in by an identity provider. */
import Type, { type Static } from 'typebox'
import { sessionOrStep } from '../../common/console-session.ts'
import { LinkedIdentity } from '../../common/linked-identity.ts'
import { Flag, Integer, LinkToken, NamedObject, Text } from '../../common/shapes.ts'

const Provider = Type.String({
  minLength: 1,
  maxLength: 32,
  description: 'The name of the provider, as `config` lists it.',
})

export const StartSso = Type.Object({
  provider: Provider,
  stay: Type.Optional(Flag('Whether the browser keeps the session when it is closed.')),
  fresh: Type.Optional(Flag('Whether the person has to prove again who they are.')),
})
export type StartSso = Static<typeof StartSso>

export const SsoStart = NamedObject('SsoStart', {
  url: Text('Where the browser goes to.'),
})
export type SsoStart = Static<typeof SsoStart>

export const FinishSso = Type.Object({
  provider: Provider,
  response: Type.String({
    minLength: 1,
    maxLength: 8_192,
    description: 'The query of the address that the provider has sent the browser back to.',
  }),
})
export type FinishSso = Static<typeof FinishSso>

export const SsoSession = Type.Object(
  {
    ...sessionOrStep,
    stay: Type.Optional(Flag('As it was asked for at the start.')),
    link_token: Type.Optional(
      Text('For `POST /auth/identities`, once the person has signed in to the account.'),
    ),
    email: Type.Optional(Text('The address of that account, which is that of the person.')),
    expires_in: Integer(
      'Lifetime of the access token, the `mfa_token` or the `link_token`, in seconds.',
    ),
  },
  {
    title: 'SsoSession',
    description:
      'The session; or, for an account with a second factor, `mfa_token`; or `link_token`, if there is an account with this address that is not linked.',
  },
)
export type SsoSession = Static<typeof SsoSession>

export const LinkIdentity = Type.Object({ token: LinkToken })
export type LinkIdentity = Static<typeof LinkIdentity>

export const Identities = Type.Object({ items: Type.Array(LinkedIdentity) })
export type Identities = Static<typeof Identities>
