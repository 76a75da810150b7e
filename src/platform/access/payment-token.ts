/**
 * The credential of the document in which a person pays. That document also runs the script of the
 * payment provider, so its credential is worth little: it is accepted by the few operations that
 * pay, in one workspace, for some minutes, and only as long as the session that asked for it lives.
 * It is encrypted, so that it does not reveal which session that is.
 */
import { formatId, parseId } from '../lib/ids.ts'
import type { Keyring } from './keyring.ts'

export const PAYMENT_TOKEN_SECONDS = 900

const PREFIX = 'pay_token_'
const LABEL = 'payment-token'
/** Longer ones are not read: ours have about 200 characters. */
const MAX_CHARACTERS = 400

/** UUIDs. */
export interface PaymentGrant {
  userId: string
  sessionId: string
  workspaceId: string
}

/** @param now milliseconds since the epoch */
export function issuePaymentToken(keyring: Keyring, grant: PaymentGrant, now: number): string {
  const { userId, sessionId, workspaceId } = grant
  const parts = [
    formatId('usr', userId),
    formatId('ses', sessionId),
    formatId('ws', workspaceId),
    String(Math.floor(now / 1_000) + PAYMENT_TOKEN_SECONDS),
  ]
  return PREFIX + keyring.encrypt(Buffer.from(parts.join(' ')), LABEL).toString('base64url')
}

export const looksLikePaymentToken = (text: string): boolean => text.startsWith(PREFIX)

/**
 * @param now milliseconds since the epoch
 * @returns undefined for a text that is no such token, and for an expired one
 */
export function readPaymentToken(
  keyring: Keyring,
  text: string,
  now: number,
): PaymentGrant | undefined {
  if (!looksLikePaymentToken(text) || text.length > MAX_CHARACTERS) return undefined
  const sealed = Buffer.from(text.slice(PREFIX.length), 'base64url')
  const [user = '', session = '', workspace = '', end] =
    keyring.decrypt(sealed, LABEL)?.toString().split(' ') ?? []
  const userId = parseId('usr', user)
  const sessionId = parseId('ses', session)
  const workspaceId = parseId('ws', workspace)
  if (userId === undefined || sessionId === undefined || workspaceId === undefined) return undefined
  return Number(end) * 1_000 > now ? { userId, sessionId, workspaceId } : undefined
}
