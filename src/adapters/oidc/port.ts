/** The questions to an identity provider: where the browser goes, and who came back from there. */

/** A provider of the file that `MOORING_SSO_FILE` names. */
export interface ProviderEntry {
  /** In paths and in the audit log. */
  name: string
  /** On the button. */
  label: string
  /** Its identifier; its metadata are below `/.well-known/openid-configuration` there. */
  issuer: string
  client_id: string
  client_secret?: string
  /** How the secret is sent (OpenID Connect Core 1.0 section 9). */
  client_auth?: 'client_secret_basic' | 'client_secret_post'
  /** The only domains of addresses that it signs in; without it, all. */
  domains?: readonly string[]
  /** Whether it decides who has the addresses of its domains: accounts are linked at once. */
  is_authoritative?: boolean
  /** Workspaces that people join when they are first linked. */
  joins?: readonly { domain: string; workspace: string; role: 'admin' | 'member' | 'viewer' }[]
  /** Values of `amr` (RFC 8176) that say that it has checked a second factor. */
  second_factor_amr?: readonly string[]
}

/** One attempt to sign in, in texts that nobody can guess. */
export interface Attempt {
  state: string
  nonce: string
  /** The code verifier of PKCE (RFC 7636). */
  verifier: string
  /** Where the provider sends the browser back to. */
  redirectUri: string
}

/** A person as the provider knows them. */
export interface ProvenIdentity {
  issuer: string
  /** Unique at the issuer, and never given to somebody else. */
  subject: string
  email: string | undefined
  isEmailVerified: boolean
  name: string | undefined
  /** When the person proved it there, in seconds since the epoch; undefined: it does not say. */
  authenticatedAt: number | undefined
  /** How (RFC 8176). */
  methods: readonly string[]
}

/** The provider does not respond, or not as one. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable'
}

/** The parameters that the browser brought do not prove anything. */
export class ProofRejected extends Error {
  override name = 'ProofRejected'
}

export interface IdentityProvider {
  readonly entry: ProviderEntry
  /**
   * Where the browser goes to.
   * @param isFresh whether the person must prove again who they are
   * @throws ProviderUnavailable
   */
  authorizationUrl(attempt: Attempt, isFresh: boolean): Promise<string>
  /**
   * Redeems what the browser brought back, by the query of the address that it was sent to.
   * @throws ProviderUnavailable, ProofRejected
   */
  redeem(attempt: Attempt, query: string, isFresh: boolean): Promise<ProvenIdentity>
}
