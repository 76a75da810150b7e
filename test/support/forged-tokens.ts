/** Tokens as an attacker would craft them: any header, payload, key or encoding. */
import assert from 'node:assert/strict'
import { createHmac, sign, type KeyObject } from 'node:crypto'
import { createTokenIssuer, newSigningKey, type SigningKey } from '../../src/platform/access/jwt.ts'

/** Text as it is, anything else as JSON. */
export function part(content: unknown): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return Buffer.from(text).toString('base64url')
}

/** Signs header and payload, whatever they are, with an Ed25519 key. */
export function forge(header: unknown, payload: unknown, privateKey: KeyObject): string {
  const input = `${part(header)}.${part(payload)}`
  return `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`
}

/** Signs header and payload with HMAC-SHA-256, the key being any bytes. */
export function forgeHmac(header: unknown, payload: unknown, key: string | Buffer): string {
  const input = `${part(header)}.${part(payload)}`
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
}

/** A key that has its private part, for issuers under test. */
export type FullKey = SigningKey & { privateKey: KeyObject }

/** Seconds since the Unix epoch at which the issuer below lives. */
export const NOW = 1_800_000_000
export const key = { ...newSigningKey(), state: 'active' as const }
export const retired = { ...newSigningKey(), state: 'retired' as const }
export const issuer = createTokenIssuer({
  issuer: 'service.console',
  audience: 'mooring.console',
  typ: 'console-at+jwt',
  keys: () => [key, retired],
  clock: { now: () => NOW * 1000 },
})
export const header = { alg: 'EdDSA', kid: key.kid, typ: 'console-at+jwt' }
export const payload = {
  sub: 'usr_1',
  sid: 'ses_1',
  iss: 'service.console',
  aud: 'mooring.console',
  jti: 'tok_1',
  iat: NOW,
  exp: NOW + 900,
}
export const good = forge(header, payload, key.privateKey)

/** Asserts a plain no, twice, since the cache must never hold what was refused. */
export function refused(token: string, why: unknown): void {
  for (let time = 0; time < 2; time++)
    assert.equal(issuer.verify(token), undefined, JSON.stringify(why))
}
