/**
 * Passkeys: verifies what an authenticator has signed (WebAuthn level 3). The format is that of a
 * library; which challenges, accounts and passkeys are accepted is decided elsewhere.
 */

/** The site that a passkey is made for. */
export interface RelyingParty {
  /** The only origin whose pages may use it. */
  origin: string
  /** The host name that it is bound to. */
  id: string
}

/** COSE numbers of signature algorithms: Ed25519, ECDSA with P-256, RSA. */
export const ALGORITHMS = [-8, -7, -257]

/** The response of a browser for a new passkey; binary values are base64url. */
export interface NewCredential {
  id: string
  client_data: string
  attestation: string
}

/** The response of a browser for a use of a passkey. */
export interface SignedCredential {
  id: string
  client_data: string
  authenticator_data: string
  signature: string
}

export interface VerifiedCredential {
  credentialId: Buffer
  /** A COSE key. */
  publicKey: Buffer
  /** Signatures that the authenticator has counted; 0 if it does not count. */
  signatures: number
}

/** Loaded when it is needed: most processes never verify a passkey, and it is large. */
const load = () =>
  Promise.all([import('@simplewebauthn/server'), import('@simplewebauthn/server/helpers')])

interface ClientData {
  challenge?: unknown
  crossOrigin?: unknown
}

/** The data that was signed, as a browser reports it. Undefined for anything malformed. */
function clientDataOf({ client_data }: { client_data: string }): ClientData | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(client_data, 'base64url').toString())
    return typeof data === 'object' && data !== null ? data : undefined
  } catch {
    return undefined
  }
}

/** The challenge that a browser says was signed. Undefined for anything malformed. */
export function challengeOf(answer: { client_data: string }): string | undefined {
  const challenge = clientDataOf(answer)?.challenge
  return typeof challenge === 'string' ? challenge : undefined
}

/**
 * Whether the page was in a frame of another site, which could have led the person to its buttons.
 * The library asks only where the browser names that site.
 */
const isFramed = (answer: { client_data: string }): boolean =>
  clientDataOf(answer)?.crossOrigin === true

/** The library throws an error for each defect, and callers do not learn which one it was. */
async function orUndefined<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}

/**
 * Verifies a new passkey. Statements about the make of an authenticator are refused: we ask for
 * none, and verifying them would fetch addresses that are named in them.
 * @returns undefined for anything that is not signed for this challenge, origin and person
 */
export async function verifyNewCredential(
  party: RelyingParty,
  challenge: string,
  { id, client_data, attestation }: NewCredential,
): Promise<VerifiedCredential | undefined> {
  if (isFramed({ client_data })) return undefined
  const [library, { decodeAttestationObject }] = await load()
  return orUndefined(async () => {
    const decoded = decodeAttestationObject(Buffer.from(attestation, 'base64url'))
    const isOwn = decoded.get('fmt') === 'packed' && decoded.get('attStmt').get('x5c') === undefined
    if (decoded.get('fmt') !== 'none' && !isOwn) return undefined
    const { registrationInfo } = await library.verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: client_data, attestationObject: attestation },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (registrationInfo === undefined || registrationInfo.credential.id !== id) return undefined
    const { publicKey, counter } = registrationInfo.credential
    return {
      credentialId: Buffer.from(id, 'base64url'),
      publicKey: Buffer.from(publicKey),
      signatures: counter,
    }
  })
}

/**
 * Verifies a use of a passkey. Whether its count of signatures is higher than before is decided
 * with the row that has it.
 * @returns the count of signatures; undefined for anything that is not signed for this challenge,
 *   origin and person
 */
export async function verifySignedCredential(
  party: RelyingParty,
  challenge: string,
  { id, client_data, authenticator_data, signature }: SignedCredential,
  publicKey: Buffer,
): Promise<number | undefined> {
  if (isFramed({ client_data })) return undefined
  const [library] = await load()
  return orUndefined(async () => {
    const { verified, authenticationInfo } = await library.verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: client_data, authenticatorData: authenticator_data, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    })
    return verified ? authenticationInfo.newCounter : undefined
  })
}
