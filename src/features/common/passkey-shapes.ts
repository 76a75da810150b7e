/**
 * Shapes of uses of passkeys. The options are what browsers take in
 * `PublicKeyCredential.parseRequestOptionsFromJSON`.
 */
import Type, { type Static } from 'typebox'
import { NamedObject } from './shapes.ts'

/** Binary values of browsers. */
export const Encoded = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, description: 'base64url.' })

/** The data of an existing passkey that a browser needs. */
export const PasskeyDescriptor = Type.Object({
  type: Type.Enum(['public-key']),
  id: Type.String(),
  transports: Type.Array(Type.String()),
})

export const PasskeyRequest = NamedObject('PasskeyRequest', {
  rpId: Type.String(),
  challenge: Type.String(),
  timeout: Type.Integer(),
  userVerification: Type.Enum(['required']),
  allowCredentials: Type.Array(PasskeyDescriptor),
})
export type PasskeyRequest = Static<typeof PasskeyRequest>

/** The response of the browser for a new passkey, and for every use of it. */
export const credential = { id: Encoded(1_400), client_data: Encoded(4_096) }

const proof = { ...credential, authenticator_data: Encoded(2_048), signature: Encoded(2_048) }

export const ProvePasskey = Type.Object(proof)
export type ProvePasskey = Static<typeof ProvePasskey>

/** Without an address, the authenticator identifies the owner of the passkey. */
export const passkeySignIn = { ...proof, user_handle: Encoded(128) }
const PasskeySignIn = Type.Object(passkeySignIn)
export type PasskeySignIn = Static<typeof PasskeySignIn>

export const exampleProof = {
  id: 'q83vEjRWeJA',
  client_data: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
  authenticator_data: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
  signature: 'MEUCIQ',
}
