/**
 * The port to a certificate authority by ACME (RFC 8555). All lasting state is passed as text: the
 * caller stores it and may continue in another process.
 */

export type ChallengeKind = 'http-01' | 'dns-01'

export interface AcmeAccount {
  /** PEM. */
  key: string
  /** Its URL at the authority. */
  url: string
}

export interface AcmeChallenge {
  status: 'pending' | 'processing' | 'valid' | 'invalid'
  /** Its URL at the authority. */
  url: string
  token: string
  /** The content to serve for `http-01`, or to put into the TXT record for `dns-01`. */
  proof: string
}

export interface AcmeOrder {
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid'
  /**
   * The requested kind of challenge of the order's only authorization; undefined if an earlier
   * authorization is still valid.
   */
  challenge: AcmeChallenge | undefined
  /** The authority's reason for a failure. */
  problem: string | undefined
}

/**
 * When to renew a certificate (RFC 9773): at some time in this window, in milliseconds since 1970.
 */
export interface RenewalWindow {
  start: number
  end: number
  /** Seconds until the next query. */
  retryAfterSeconds: number
}

export interface AcmeAuthority {
  readonly directoryUrl: string
  /** Creates the account of a key, or finds it. @returns its URL */
  register(key: string): Promise<string>
  /** Orders a certificate for one host name. @returns the URL of the order */
  order(account: AcmeAccount, host: string): Promise<string>
  readOrder(account: AcmeAccount, orderUrl: string, kind: ChallengeKind): Promise<AcmeOrder>
  /** Announces that the proof is in place. */
  accept(account: AcmeAccount, challenge: AcmeChallenge): Promise<void>
  /** Requests the certificate for a key; `key` is PEM. */
  finalize(account: AcmeAccount, orderUrl: string, host: string, key: string): Promise<void>
  /** The chain in PEM, leaf first. */
  download(account: AcmeAccount, orderUrl: string): Promise<string>
  /**
   * @param chain PEM @returns undefined if the authority gives no advice
   * @throws Error if it could not be asked
   */
  renewalWindow(chain: string): Promise<RenewalWindow | undefined>
}

/**
 * A definite refusal by the authority (RFC 8555 section 6.7). Any other failure may be temporary.
 */
export class AcmeRefused extends Error {
  override name = 'AcmeRefused'
  /** The part after `urn:ietf:params:acme:error:`, such as `rateLimited`. */
  readonly type: string

  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}
