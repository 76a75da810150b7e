/**
 * Identity providers by OpenID Connect (Core 1.0) with the authorization code flow, PKCE (RFC 7636)
 * and the issuer in the response (RFC 9207). The library checks the response, the token and its
 * signature; here is when a provider counts as unavailable, and what is asked of it.
 */
import type * as Library from 'openid-client'
import {
  type Attempt,
  type IdentityProvider,
  ProofRejected,
  type ProvenIdentity,
  type ProviderEntry,
  ProviderUnavailable,
} from './port.ts'

/** The timeout of each request to a provider. */
const TIMEOUT_S = 10
/** Metadata of a provider are read again after an hour; its keys, whenever one is unknown. */
const METADATA_MS = 3_600_000
/** A sign-in at the provider that is older proves little; the token says when it was. */
const MAX_AGE_S = 43_200
/** For a fresh proof. */
const FRESH_AGE_S = 60

type Client = typeof Library

const authOf = (
  client: Client,
  { client_secret: secret, client_auth: auth }: ProviderEntry,
): Library.ClientAuth => {
  if (secret === undefined) return client.None()
  return auth === 'client_secret_post'
    ? client.ClientSecretPost(secret)
    : client.ClientSecretBasic(secret)
}

const describe = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

const TIMEOUTS = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT'])

/** Whether it is the provider's fault, and may pass. */
function isAway(client: Client, error: unknown): boolean {
  if (error instanceof client.ResponseBodyError) return error.status >= 500
  if (error instanceof client.ClientError) {
    const { cause, code = '' } = error
    return TIMEOUTS.has(code) || (cause instanceof Response && cause.status >= 500)
  }
  // `fetch` throws it if there is no connection.
  return error instanceof TypeError
}

const unavailable = (error: unknown): ProviderUnavailable =>
  new ProviderUnavailable(describe(error), { cause: error })

interface Found {
  client: Client
  config: Library.Configuration
}

async function discover(entry: ProviderEntry): Promise<Found> {
  // A service without providers does not load it.
  const client = await import('openid-client')
  const issuer = new URL(entry.issuer)
  const plain = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []
  try {
    const auth = authOf(client, entry)
    const config = await client.discovery(issuer, entry.client_id, undefined, auth, {
      // Without the second, the signature of a token would not be checked, since it came by TLS.
      execute: [...plain, client.enableNonRepudiationChecks],
      timeout: TIMEOUT_S,
    })
    return { client, config }
  } catch (error) {
    throw unavailable(error)
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

function identityOf(claims: Library.IDToken): ProvenIdentity {
  const { amr } = claims
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: text(claims['email']),
    isEmailVerified: claims['email_verified'] === true,
    name: text(claims['name']),
    authenticatedAt: claims.auth_time,
    methods: Array.isArray(amr) ? amr.filter((each) => typeof each === 'string') : [],
  }
}

/** The claims of the token, with those that only the other endpoint of the provider returns. */
async function completed(
  { client, config }: Found,
  claims: Library.IDToken,
  accessToken: string,
): Promise<ProvenIdentity> {
  const known = identityOf(claims)
  const { userinfo_endpoint: endpoint } = config.serverMetadata()
  if (known.email !== undefined || endpoint === undefined) return known
  const more = await client.fetchUserInfo(config, accessToken, claims.sub)
  return {
    ...known,
    email: text(more.email),
    isEmailVerified: more.email_verified === true,
    name: known.name ?? text(more.name),
  }
}

export function createIdentityProvider(entry: ProviderEntry): IdentityProvider {
  let last: { found: Promise<Found>; since: number } | undefined
  const find = (): Promise<Found> => {
    if (last !== undefined && performance.now() - last.since < METADATA_MS) return last.found
    const present = { found: discover(entry), since: performance.now() }
    last = present
    // The next attempt asks again.
    present.found.catch(() => {
      if (last === present) last = undefined
    })
    return present.found
  }
  return {
    entry,
    async authorizationUrl({ state, nonce, verifier, redirectUri }, isFresh) {
      const { client, config } = await find()
      const url = client.buildAuthorizationUrl(config, {
        scope: 'openid email profile',
        redirect_uri: redirectUri,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        max_age: String(isFresh ? FRESH_AGE_S : MAX_AGE_S),
        ...(isFresh && { prompt: 'login' }),
      })
      return url.href
    },
    async redeem({ state, nonce, verifier, redirectUri }: Attempt, query, isFresh) {
      const found = await find()
      const { client, config } = found
      const url = new URL(redirectUri)
      url.search = query
      try {
        const tokens = await client.authorizationCodeGrant(config, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          ...(isFresh && { maxAge: FRESH_AGE_S }),
        })
        const claims = tokens.claims()
        if (claims === undefined) throw new ProofRejected('the provider sent no ID token')
        return await completed(found, claims, tokens.access_token)
      } catch (error) {
        if (error instanceof ProofRejected) throw error
        if (isAway(client, error)) throw unavailable(error)
        throw new ProofRejected(describe(error), { cause: error })
      }
    },
  }
}
