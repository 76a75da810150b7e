/**
 * What we ask of an authority that issues certificates by ACME (RFC 8555). Everything that has to
 * last is given and returned as text: whoever asks keeps it, and may go on in another process.
 */

export type ChallengeKind = 'http-01' | 'dns-01'

export interface AcmeAccount {
  /** PEM. */
  key: string
  /** Its address at the authority. */
  url: string
}

export interface AcmeChallenge {
  status: 'pending' | 'processing' | 'valid' | 'invalid'
  /** Its address at the authority. */
  url: string
  token: string
  /** What has to be served for `http-01`, or stand in the TXT record for `dns-01`. */
  proof: string
}

export interface AcmeOrder {
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid'
  /**
   * The challenge of the kind that was asked for, of the one authorization; undefined when an
   * earlier one of another kind is still good.
   */
  challenge: AcmeChallenge | undefined
  /** What the authority says against it. */
  problem: string | undefined
}

/** When a certificate is to be renewed (RFC 9773): some time in it, in milliseconds since 1970. */
export interface RenewalWindow {
  start: number
  end: number
  /** How long to wait until it is asked for anew. */
  retryAfterSeconds: number
}

export interface AcmeAuthority {
  readonly directoryUrl: string
  /** Makes an account for a key, or finds the one that it has. @returns its address. */
  register(key: string): Promise<string>
  /** Orders a certificate for one host name. @returns the address of the order. */
  order(account: AcmeAccount, host: string): Promise<string>
  look(account: AcmeAccount, orderUrl: string, kind: ChallengeKind): Promise<AcmeOrder>
  /** Says that the proof is in its place. */
  accept(account: AcmeAccount, challenge: AcmeChallenge): Promise<void>
  /** Asks for the certificate of a key; `key` is PEM. */
  finalize(account: AcmeAccount, orderUrl: string, host: string, key: string): Promise<void>
  /** The chain in PEM, the leaf first. */
  download(account: AcmeAccount, orderUrl: string): Promise<string>
  /**
   * @param chain PEM. @returns undefined where the authority has nothing to say about it.
   * @throws Error when it could not be asked.
   */
  renewalWindow(chain: string): Promise<RenewalWindow | undefined>
}

/** The authority's own no (RFC 8555 section 6.7). Whatever else fails may be better later. */
export class AcmeRefused extends Error {
  override name = 'AcmeRefused'
  /** What follows `urn:ietf:params:acme:error:`, as `rateLimited`. */
  readonly type: string

  constructor(type: string, words: string) {
    super(words)
    this.type = type
  }
}
