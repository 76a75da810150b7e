/**
 * Passkeys in this browser. Only the browser sees the key; the signature goes to the service, whose
 * challenge it answers.
 */
import { useEffect, useEffectEvent, useState } from 'react'
import type { PasskeyCreation, PasskeyRequest } from '../../../sdk/schema.ts'
import { useAct } from '../api/act.ts'
import { type Body, call, type Result } from '../api/client.ts'
import { Problem, problemOf } from '../api/problem.ts'
import { t } from '../i18n/shared.ts'
import { useConfig } from './config.ts'

/** Why this page cannot use passkeys, in words; undefined if it can. */
export function usePasskeyBlock(): string | undefined {
  const { data: config } = useConfig()
  if (config === undefined) return t('Reading whether passkeys can be used.')
  const { passkey_origin: origin } = config
  if (origin === null) {
    return t('Passkeys need a host name and HTTPS, and the address of this service has not both.')
  }
  if (origin !== window.location.origin)
    return t('Passkeys work at {origin}. Open the console there.', { origin })
  const { PublicKeyCredential: known } = window as Partial<typeof window>
  return typeof known?.parseRequestOptionsFromJSON === 'function'
    ? undefined
    : t('This browser has no passkeys.')
}

const words: Readonly<Record<string, string>> = {
  InvalidStateError: t('This device or password manager has a passkey of your account already.'),
  NotAllowedError: t(
    'You have cancelled it, it took too long, or there is no passkey on this device.',
  ),
}

/** The refusals of the browser, in words. */
function refusalOf(error: unknown): Problem {
  if (!(error instanceof DOMException)) return problemOf(error)
  const detail = words[error.name] ?? t('The browser says: {message}', { message: error.message })
  return new Problem({ code: 'browser', status: 0, title: t('No passkey was used'), detail })
}

/** The credential that the browser returns. */
async function ask(work: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await work()
    if (credential instanceof PublicKeyCredential) return credential
  } catch (error) {
    throw refusalOf(error)
  }
  throw refusalOf(new DOMException('', 'NotAllowedError'))
}

interface SignedJSON {
  id: string
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle?: string
  }
}

type Asked = Pick<CredentialRequestOptions, 'mediation' | 'signal'>

async function sign(options: PasskeyRequest, asked: Asked = {}): Promise<SignedJSON> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await ask(() => navigator.credentials.get({ publicKey, ...asked }))
  return credential.toJSON() as SignedJSON
}

const proofOf = ({ id, response }: SignedJSON): Body<'provePasskey'> => ({
  id,
  client_data: response.clientDataJSON,
  authenticator_data: response.authenticatorData,
  signature: response.signature,
})

function open(signed: SignedJSON, stay: boolean): Promise<Result<'openPasskeySession'>> {
  const body = { ...proofOf(signed), user_handle: signed.response.userHandle ?? '-', stay }
  return call('openPasskeySession', { body })
}

const signIn = async (stay: boolean): Promise<Result<'openPasskeySession'>> =>
  open(await sign(await call('beginPasskeySession')), stay)

/** Before the challenge of the service ends, which lasts five minutes. */
const RENEW_MS = 240_000

/**
 * Waits until somebody chooses a passkey among what the browser fills in; undefined if nobody does.
 */
async function waitForChoice(signal: AbortSignal): Promise<SignedJSON | undefined> {
  const known: Partial<typeof PublicKeyCredential> = PublicKeyCredential
  if ((await known.isConditionalMediationAvailable?.()) !== true) return undefined
  while (!signal.aborted) {
    const challenge = await call('beginPasskeySession', { signal })
    const renewal = AbortSignal.timeout(RENEW_MS)
    const asked = { mediation: 'conditional', signal: AbortSignal.any([signal, renewal]) } as const
    const signed = await sign(challenge, asked).catch(() => undefined)
    if (signed !== undefined || !renewal.aborted) return signed
  }
  return undefined
}

/**
 * Offers passkeys where the browser fills in the address (conditional mediation, WebAuthn 3).
 * @param isOn not while passkeys are asked for in another way: browsers answer one request at a
 * time
 * @returns why the service refused the chosen one
 */
export function useOfferedPasskeys(
  isOn: boolean,
  stay: boolean,
  onSession: (session: Result<'openPasskeySession'>) => void,
): Problem | null {
  const [refusal, setRefusal] = useState<Problem | null>(null)
  const finish = useEffectEvent(async (signed: SignedJSON) => onSession(await open(signed, stay)))
  useEffect(() => {
    if (!isOn) return
    const leaving = new AbortController()
    waitForChoice(leaving.signal)
      .then((signed) => signed && finish(signed))
      .catch((error: unknown) => leaving.signal.aborted || setRefusal(problemOf(error)))
    return () => leaving.abort()
  }, [isOn])
  return refusal
}

/** Signs in; its argument is whether the browser keeps the session. */
export const usePasskeySignIn = () => useAct(signIn)

/** Proves in the open session that its person is there. */
export const usePasskeyProof = () =>
  useAct(async (): Promise<Result<'provePasskey'>> => {
    const signed = await sign(await call('beginPasskeyProof'))
    return call('provePasskey', { body: proofOf(signed) })
  })

interface CreatedJSON {
  id: string
  response: { clientDataJSON: string; attestationObject: string; transports: string[] }
}

async function create(options: PasskeyCreation): Promise<CreatedJSON> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await ask(() => navigator.credentials.create({ publicKey }))
  return credential.toJSON() as CreatedJSON
}

/** Makes a passkey, and adds it to the account. */
export async function addPasskey(name: string): Promise<Result<'addPasskey'>> {
  const { id, response } = await create(await call('beginPasskey'))
  const { clientDataJSON, attestationObject, transports } = response
  const made = { client_data: clientDataJSON, attestation: attestationObject, transports }
  return call('addPasskey', { body: { id, name, ...made } })
}
