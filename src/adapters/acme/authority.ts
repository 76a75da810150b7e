/** An ACME certificate authority (RFC 8555), through the library `acme-client`. */
import { Agent } from 'node:https'
import { getCACertificates } from 'node:tls'
import type * as Library from 'acme-client'
import { certificateIdOf } from './certificate-id.ts'
import {
  type AcmeAccount,
  type AcmeAuthority,
  type AcmeChallenge,
  type AcmeOrder,
  AcmeRefused,
  type ChallengeKind,
  type RenewalWindow,
} from './port.ts'

const MIN_RETRY_S = 60
const MAX_RETRY_S = 86_400
/** The RFC's recommendation if the authority gives no interval. */
const USUAL_RETRY_S = 21_600

function retryOf(header: unknown, now: number): number {
  if (typeof header !== 'string') return USUAL_RETRY_S
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1_000
  if (Number.isNaN(seconds)) return USUAL_RETRY_S
  return Math.min(Math.max(seconds, MIN_RETRY_S), MAX_RETRY_S)
}

const timeOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : NaN)

/**
 * Parses an authority's renewal information (RFC 9773 section 4).
 * @returns undefined for a response that is malformed or makes no sense
 */
function readRenewalInfo(
  given: { data: unknown; retryAfter: unknown },
  now: number,
): RenewalWindow | undefined {
  const { suggestedWindow } = (given.data ?? {}) as { suggestedWindow?: unknown }
  const { start, end } = (suggestedWindow ?? {}) as { start?: unknown; end?: unknown }
  const [from, to] = [timeOf(start), timeOf(end)]
  if (!(from < to)) return undefined
  return { start: from, end: to, retryAfterSeconds: retryOf(given.retryAfter, now) }
}

export interface AuthorityOptions {
  directoryUrl: string
  /** Contact address for the authority, such as ops@example.com. */
  contact: string | undefined
  /** PEM of additional roots for the TLS connection to the directory. */
  roots: string | undefined
  /** External account binding (RFC 8555 section 7.3.4). */
  binding: { keyId: string; hmacKey: string } | undefined
}

const DIRECTORY_MS = 3_600_000
const REQUEST_TIMEOUT_MS = 20_000
const MAX_RESPONSE_BYTES = 1_048_576
const ERROR_PREFIX = 'urn:ietf:params:acme:error:'
const MAX_DETAIL_LENGTH = 400

/** The library retries a refused nonce itself if it sees the response. */
const BAD_NONCE = 'badNonce'

interface ProblemDocument {
  type?: unknown
  detail?: unknown
}

/** The authority's message on one line of bounded length. */
const describeProblem = ({ detail }: ProblemDocument): string =>
  (typeof detail === 'string' ? detail : 'no reason was given')
    .replaceAll(/[^\P{C}]+/gu, ' ')
    .slice(0, MAX_DETAIL_LENGTH)

/** The distinguishing part of a problem's type URI. */
function typeOf({ type }: ProblemDocument): string | undefined {
  const isAcme = typeof type === 'string' && type.startsWith(ERROR_PREFIX)
  return isAcme ? type.slice(ERROR_PREFIX.length) : undefined
}

/** Loaded on first use: the library is large, and most installations never need it. */
async function openLibrary({ roots }: AuthorityOptions): Promise<typeof Library> {
  const library = await import('acme-client')
  const { axios } = library
  const ca = roots && [...getCACertificates('default'), roots]
  const defaults = axios.defaults as typeof axios.defaults & {
    acmeSettings: { retryMaxAttempts: number }
  }
  defaults.timeout = REQUEST_TIMEOUT_MS
  defaults.maxContentLength = MAX_RESPONSE_BYTES
  defaults.httpsAgent = new Agent({ keepAlive: true, ...(ca && { ca }) })
  // The job does the waiting; a sleeping library call would block other jobs.
  defaults.acmeSettings.retryMaxAttempts = 0
  axios.interceptors.response.use((response) => {
    const problem = response.data as ProblemDocument | undefined
    if (response.status < 400) return response
    const type = typeOf(problem ?? {})
    if (type === BAD_NONCE) return response
    if (type !== undefined) throw new AcmeRefused(type, describeProblem(problem ?? {}))
    throw new Error(`the ACME server responded with ${response.status}`)
  })
  return library
}

class Authority implements AcmeAuthority {
  readonly directoryUrl: string
  readonly #options: AuthorityOptions
  #library: Promise<typeof Library> | undefined
  /** The client of the most recently used account; an installation has one. */
  #client: { key: string; url: string; client: Library.Client } | undefined
  #renewals: { url: string | undefined; at: number } | undefined

  constructor(options: AuthorityOptions) {
    this.#options = options
    this.directoryUrl = options.directoryUrl
  }

  async register(key: string): Promise<string> {
    const { contact, binding } = this.#options
    const { Client } = await this.#open()
    const client = new Client({
      directoryUrl: this.directoryUrl,
      accountKey: key,
      ...(binding && { externalAccountBinding: { kid: binding.keyId, hmacKey: binding.hmacKey } }),
    })
    await client.createAccount({
      termsOfServiceAgreed: true,
      ...(contact !== undefined && { contact: [`mailto:${contact}`] }),
    })
    return client.getAccountUrl()
  }

  async order(account: AcmeAccount, host: string): Promise<string> {
    const client = await this.#clientOf(account)
    const order = await client.createOrder({ identifiers: [{ type: 'dns', value: host }] })
    return order.url
  }

  async readOrder(account: AcmeAccount, url: string, kind: ChallengeKind): Promise<AcmeOrder> {
    const client = await this.#clientOf(account)
    const order = await client.getOrder({ url } as Library.Order)
    const [authorization] = await client.getAuthorizations(order)
    const challenge = authorization?.challenges.find(({ type }) => type === kind)
    if (challenge === undefined && order.status === 'pending') {
      throw new AcmeRefused('noChallenge', `The authority does not offer ${kind} for this name.`)
    }
    const { error } = (challenge ?? {}) as { error?: ProblemDocument }
    const against = error ?? (order as { error?: ProblemDocument }).error
    return {
      status: order.status,
      challenge: challenge && {
        status: challenge.status,
        token: challenge.token,
        url: challenge.url,
        proof: await client.getChallengeKeyAuthorization(challenge),
      },
      problem: against && describeProblem(against),
    }
  }

  async accept(account: AcmeAccount, { url }: AcmeChallenge): Promise<void> {
    const client = await this.#clientOf(account)
    await client.completeChallenge({ url } as Parameters<Library.Client['completeChallenge']>[0])
  }

  async finalize(account: AcmeAccount, url: string, host: string, key: string): Promise<void> {
    const client = await this.#clientOf(account)
    const { crypto } = await this.#open()
    const [, request] = await crypto.createCsr({ commonName: host, altNames: [host] }, key)
    await client.finalizeOrder(await client.getOrder({ url } as Library.Order), request)
  }

  async download(account: AcmeAccount, url: string): Promise<string> {
    const client = await this.#clientOf(account)
    return client.getCertificate(await client.getOrder({ url } as Library.Order))
  }

  async renewalWindow(chain: string): Promise<RenewalWindow | undefined> {
    const id = certificateIdOf(chain)
    const url = await this.#renewalUrl()
    if (id === undefined || url === undefined) return undefined
    const { axios } = await this.#open()
    try {
      const { data, headers } = await axios.get<unknown>(`${url}/${id}`)
      return readRenewalInfo({ data, retryAfter: headers['retry-after'] }, Date.now())
    } catch (error) {
      const { response } = error as { response?: { status: number } }
      // An unknown certificate, such as one of a previous authority.
      if (response !== undefined && response.status < 500) return undefined
      throw error
    }
  }

  /** The library does not expose other entries of the directory. */
  async #renewalUrl(): Promise<string | undefined> {
    const known = this.#renewals
    if (known !== undefined && Date.now() - known.at < DIRECTORY_MS) return known.url
    const { axios } = await this.#open()
    const { data } = await axios.get<{ renewalInfo?: unknown } | null>(this.directoryUrl)
    const found = data?.renewalInfo
    const url = typeof found === 'string' ? found.replace(/\/$/, '') : undefined
    this.#renewals = { url, at: Date.now() }
    return url
  }

  #open(): Promise<typeof Library> {
    this.#library ??= openLibrary(this.#options)
    return this.#library
  }

  async #clientOf({ key, url }: AcmeAccount): Promise<Library.Client> {
    const { Client } = await this.#open()
    const known = this.#client
    if (known?.key === key && known.url === url) return known.client
    const client = new Client({ directoryUrl: this.directoryUrl, accountKey: key, accountUrl: url })
    this.#client = { key, url, client }
    return client
  }
}

export const createAcmeAuthority = (options: AuthorityOptions): AcmeAuthority =>
  new Authority(options)
