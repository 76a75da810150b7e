/**
 * Schemas of the passkeys of an account. The options are what
 * `PublicKeyCredential.parseCreationOptionsFromJSON` of browsers takes.
 */
import Type, { type Static } from 'typebox'
import { credential, Encoded, PasskeyDescriptor } from '../../common/passkey-shapes.ts'
import { Id, Name, NamedObject, Nullable, Timestamp } from '../../common/shapes.ts'

export const PasskeyCreation = NamedObject('PasskeyCreation', {
  rp: Type.Object({ id: Type.String(), name: Type.String() }),
  user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  challenge: Type.String(),
  pubKeyCredParams: Type.Array(
    Type.Object({ type: Type.Enum(['public-key']), alg: Type.Integer() }),
  ),
  timeout: Type.Integer(),
  attestation: Type.Enum(['none']),
  excludeCredentials: Type.Array(PasskeyDescriptor),
  authenticatorSelection: Type.Object({
    residentKey: Type.Enum(['required']),
    requireResidentKey: Type.Boolean(),
    userVerification: Type.Enum(['required']),
  }),
})
export type PasskeyCreation = Static<typeof PasskeyCreation>

export const AddPasskey = Type.Object({
  ...credential,
  name: Name,
  attestation: Encoded(8_192),
  transports: Type.Array(Type.String({ minLength: 1, maxLength: 32 }), { maxItems: 10 }),
})
export type AddPasskey = Static<typeof AddPasskey>

export const RenamePasskey = Type.Object({ name: Name })

export const PasskeyView = NamedObject('Passkey', {
  id: Id('pky'),
  name: Type.String(),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
})
export type PasskeyView = Static<typeof PasskeyView>

export const Passkeys = NamedObject('Passkeys', { items: Type.Array(PasskeyView) })
