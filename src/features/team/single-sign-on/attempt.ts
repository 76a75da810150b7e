/**
 * An attempt to sign in by an identity provider: where the browser goes, and what it brings back.
 * Only the browser that began an attempt can redeem it, at the provider that it was begun for, and
 * once. Nonce and PKCE verifier follow from the state and a key of the service, so that neither the
 * database nor the browser holds them.
 */
import type { IdentityProvider, ProvenIdentity } from '../../../adapters/oidc/port.ts'
import { ProofRejected, ProviderUnavailable } from '../../../adapters/oidc/port.ts'
import { type AnyContext, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import { issueSecret, LINK_TOKEN_PREFIX, randomBytes256 } from '../../../platform/lib/secrets.ts'
import { noteRefusedSignIn } from '../../identity/accounts/account.ts'
import type { FinishSso, SsoStart, StartSso } from './schema.ts'
import * as store from './store.ts'

export interface SsoServices {
  identityProviders: readonly IdentityProvider[]
}
export type SsoContext = AnyContext & SsoServices

const BROWSER = 'mooring-sso'
export const ATTEMPT_SECONDS = store.ATTEMPT_MINUTES * 60
const RETRY_SECONDS = 10

export const rejected = (cause?: unknown): Failure => new Failure('sso_rejected', { cause })

/** People come back to the address of the console, not to the domain of a workspace. */
function requireProvider({ identityProviders, request }: SsoContext, name: string) {
  const isConsole = request.hostWorkspaceId === undefined
  const provider = identityProviders.find(({ entry }) => entry.name === name)
  return found(isConsole ? provider : undefined, 'sso_provider_not_found')
}

const derived = ({ keyring }: SsoContext, what: 'sso-nonce' | 'sso-verifier', state: string) =>
  keyring.mac(what, state).toString('base64url')

const attemptOf = (context: SsoContext, { entry }: IdentityProvider, state: string) => ({
  state,
  nonce: derived(context, 'sso-nonce', state),
  verifier: derived(context, 'sso-verifier', state),
  redirectUri: `${context.webConsole.url()}/sign-in/sso/${entry.name}`,
})

/** @throws Failure sso_provider_unavailable, sso_rejected */
async function asked<Result>(
  context: SsoContext,
  { entry }: IdentityProvider,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProviderUnavailable) {
      throw new Failure('sso_provider_unavailable', {
        detail: `${entry.label} does not answer. Try again in a moment, or sign in another way.`,
        retryAfterSeconds: RETRY_SECONDS,
        // In the log it stands alone.
        cause: new Error(`identity provider ${entry.name}: ${error.message}`, { cause: error }),
      })
    }
    if (!(error instanceof ProofRejected)) throw error
    await noteRefusedSignIn(context.autonomousDb, originOf(context), undefined)
    throw rejected(error)
  }
}

/** Undefined for a browser that has begun nothing. */
export function browserHashOf(
  context: Pick<AnyContext, 'keyring' | 'request'>,
): Buffer | undefined {
  const kept = context.request.cookies?.read(BROWSER)
  return kept === undefined ? undefined : context.keyring.hashSecret(kept)
}

/** @throws Failure sso_provider_not_found, sso_provider_unavailable */
export async function startSso(
  context: SsoContext,
  { provider: name, stay = false, fresh: isFresh = false }: StartSso,
): Promise<SsoStart> {
  const provider = requireProvider(context, name)
  const state = randomBytes256().toString('base64url')
  const attempt = attemptOf(context, provider, state)
  const url = await asked(context, provider, () => provider.authorizationUrl(attempt, isFresh))
  const browser = issueSecret(LINK_TOKEN_PREFIX)
  await store.insertAttempt.run(context.db, {
    stateHash: context.keyring.hashSecret(state),
    browserHash: context.keyring.hashSecret(browser),
    provider: name,
    stay,
    isFresh,
  })
  context.request.cookies?.set(BROWSER, browser, ATTEMPT_SECONDS)
  return { url }
}

export interface RedeemedAttempt {
  provider: IdentityProvider
  identity: ProvenIdentity
  browserHash: Buffer
  stay: boolean
}

/**
 * Redeems what the browser has brought back. The attempt is used up first, in a transaction of its
 * own: of many who bring the same, one is asked for at the provider.
 * @throws Failure sso_provider_not_found, sso_provider_unavailable, sso_rejected
 */
export async function redeemAttempt(
  context: SsoContext,
  { provider: name, response }: FinishSso,
): Promise<RedeemedAttempt> {
  const provider = requireProvider(context, name)
  const state = new URLSearchParams(response).get('state') ?? ''
  const browserHash = browserHashOf(context)
  const stateHash = context.keyring.hashSecret(state)
  const brought = browserHash && { stateHash, browserHash, provider: name }
  const taken = brought && (await store.takeAttempt.first(context.autonomousDb, brought))
  if (taken === undefined || browserHash === undefined) {
    await noteRefusedSignIn(context.autonomousDb, originOf(context), undefined)
    throw rejected()
  }
  const attempt = attemptOf(context, provider, state)
  const identity = await asked(context, provider, () =>
    provider.redeem(attempt, response, taken.is_fresh),
  )
  return { provider, identity, browserHash, stay: taken.stay }
}

/** Deletes attempts that nobody can finish any more. */
export const deleteOldAttempts = (db: Db): Promise<void> => store.deleteOld.run(db)
