/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): parses the header, and declares
 * the port to whatever stores responses. Only successful responses are stored; a refused request
 * changed nothing, so it may be corrected and sent again with the same key.
 */
import { createHash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import type { Caller } from '../access/principal.ts'
import { Failure, invalid } from '../errors/errors.ts'

/**
 * A response as sent. A member that is added to it needs a default: stored responses lack it. The
 * body is a text, since it is repeated byte for byte: nothing is added to what it contains.
 */
export const StoredResponse = Type.Object({
  status: Type.Integer(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
})
export type StoredResponse = Static<typeof StoredResponse>

/** Whether a stored response may be repeated; one that contains a used secret may not. */
export type MayRepeat<Services> = (services: Services, body: unknown) => Promise<boolean>

export interface IdempotencySlot<Services> {
  /** The owner of the key: callers and operations have separate key spaces. */
  scope: string
  key: string
  /** SHA-256 over method, path and body. */
  fingerprint: Buffer
  /** A secret of the caller without which the stored response cannot be decrypted. */
  encryptTo: string
  /** Asked before a stored response is repeated. */
  mayRepeat?: MayRepeat<Services>
}

/**
 * Runs `work` at most once per slot, in one transaction with storing its response.
 * @throws Failure idempotency_in_progress, idempotency_key_reused
 */
export type RunIdempotent<Services> = (
  services: Services,
  slot: IdempotencySlot<Services>,
  work: (services: Services) => Promise<StoredResponse>,
) => Promise<{ replayed: boolean; response: StoredResponse }>

const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/
const PRINTABLE = /^[\x21-\x7e]{1,255}$/

/** A structured-field String (RFC 8941), or the bare value that most clients send. */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const text = Array.isArray(header) ? header.join(',') : header
  const value = QUOTED.exec(text)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? text
  if (PRINTABLE.test(value)) return value
  throw invalid('/header/idempotency-key', 'must be 1 to 255 visible ASCII characters')
}

/**
 * Without a credential the key alone identifies the owner of a response, so it must be unguessable.
 * A UUID without hyphens has 32 characters.
 */
const PUBLIC_KEY_LENGTH = 32

export function requireUnguessable(key: string): void {
  if (key.length >= PUBLIC_KEY_LENGTH) return
  throw invalid(
    '/header/idempotency-key',
    `must have at least ${PUBLIC_KEY_LENGTH} characters on operations without a credential; use a UUID`,
  )
}

/**
 * The secret that encrypts a response: something the caller sends each time and the database does
 * not contain. A token may be refreshed between a request and its retry; an API key is not.
 */
export const encryptToOf = (caller: Caller, credential: string, key: string): string =>
  caller.kind === 'platform-key' || caller.kind === 'provision-key' ? `${credential} ${key}` : key

export const fingerprintOf = (method: string, url: string, body: unknown): Buffer =>
  createHash('sha256')
    .update(`${method} ${url}\n${body === undefined ? '' : JSON.stringify(body)}`)
    .digest()

export const inProgress = (): Failure =>
  new Failure('idempotency_in_progress', { retryAfterSeconds: 1 })
