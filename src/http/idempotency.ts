/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): reading the header, and the port
 * to whatever stores answers. Only a completed operation's answer is stored; a refused one changed
 * nothing and may be mended and sent again under the same key.
 */
import { createHash } from 'node:crypto'
import type { Caller } from '../access/principal.ts'
import { Failure, invalid } from '../errors.ts'

/** An answer as it went out, so that it can go out again byte for byte. */
export interface StoredAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export interface AnswerSlot {
  /** Who the key belongs to: keys of different callers and operations are strangers. */
  scope: string
  key: string
  /** SHA-256 over method, path and body. */
  fingerprint: Buffer
  /** Whoever can't show this again can't open the stored answer. */
  sealTo: string
}

export interface Replay {
  replayed: boolean
  answer: StoredAnswer
}

/**
 * Runs `work` at most once for a slot, in one transaction with the storing of its answer.
 * @throws Failure idempotency_in_progress, idempotency_key_reused.
 */
export type AnswerOnce<Services> = (
  services: Services,
  slot: AnswerSlot,
  work: (services: Services) => Promise<StoredAnswer>,
) => Promise<Replay>

const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/
const PRINTABLE = /^[\x21-\x7e]{1,255}$/

/** Structured-field String (RFC 8941), or the bare value that most clients send. */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const text = Array.isArray(header) ? header.join(',') : header
  const value = QUOTED.exec(text)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? text
  if (PRINTABLE.test(value)) return value
  throw invalid('/header/idempotency-key', 'must be 1 to 255 visible ASCII characters')
}

/**
 * Without a credential the key alone says whose answer it is, so it has to be unguessable.
 * 32 characters are what a UUID without its hyphens has.
 */
const PUBLIC_KEY_LENGTH = 32

export function demandUnguessable(key: string): void {
  if (key.length >= PUBLIC_KEY_LENGTH) return
  throw invalid(
    '/header/idempotency-key',
    `must have at least ${PUBLIC_KEY_LENGTH} characters on operations without a credential; use a UUID`,
  )
}

/**
 * What an answer is sealed to: something that the caller shows each time and the database doesn't
 * hold. A token may have been renewed between a request and its repetition, an API key has not.
 */
export const sealToOf = (caller: Caller, credential: string, key: string): string =>
  caller.kind === 'platform-key' || caller.kind === 'provision-key' ? `${credential} ${key}` : key

export const fingerprintOf = (method: string, url: string, body: unknown): Buffer =>
  createHash('sha256')
    .update(`${method} ${url}\n${body === undefined ? '' : JSON.stringify(body)}`)
    .digest()

export const inProgress = (): Failure =>
  new Failure('idempotency_in_progress', { retryAfterSeconds: 1 })
