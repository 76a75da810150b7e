/** Session tokens: the same one again for a lost response, and none but those that were made. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createKeyring } from '../../../src/platform/access/keyring.ts'
import {
  issueRefreshToken,
  newSessionSalt,
  readRefreshToken,
  SESSION_TOKEN_PREFIXES,
  verifyRefreshToken,
  type SessionTokenKind,
} from '../../../src/platform/access/refresh-tokens.ts'
import { newUuid } from '../../../src/platform/lib/ids.ts'
import { encodeChecked } from '../../../src/platform/lib/secrets.ts'

const KINDS: SessionTokenKind[] = ['console', 'moid', 'mfa']
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keyring = createKeyring(randomBytes(32))

const isValid = (kind: SessionTokenKind, text: string, salt: Buffer, keys = keyring): boolean => {
  const read = readRefreshToken(kind, text)
  return read !== undefined && verifyRefreshToken(keys, kind, read, salt)
}

test('a token has its prefix and 76 characters, and says session and generation', () => {
  const anyGeneration = fc.integer({ min: 0, max: 0xffffffff })
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), fc.uuid(), anyGeneration, (kind, uuid, generation) => {
      const salt = newSessionSalt()
      const token = issueRefreshToken(keyring, kind, uuid, salt, generation)
      assert.match(token, new RegExp(`^${SESSION_TOKEN_PREFIXES[kind]}[0-9A-Za-z]{76}$`))
      const read = readRefreshToken(kind, token)
      assert.deepEqual([read?.sessionUuid, read?.generation], [uuid, generation])
      assert.ok(isValid(kind, token, salt))
    }),
  )
  assert.deepEqual(SESSION_TOKEN_PREFIXES, {
    console: 'rt_',
    moid: 'mrt_',
    mfa: 'mfa_',
    device: 'kd_',
  })
})

test('the same session and generation give the same token in every process', () => {
  const master = randomBytes(32)
  const [uuid, salt] = [newUuid(), newSessionSalt()]
  const tokens = [createKeyring(master), createKeyring(Buffer.from(master))].map((keys) =>
    issueRefreshToken(keys, 'console', uuid, salt, 7),
  )
  assert.equal(tokens[0], tokens[1])
})

test('another salt, master key, generation, session or kind does not verify', () => {
  const [uuid, salt] = [newUuid(), newSessionSalt()]
  const token = issueRefreshToken(keyring, 'console', uuid, salt, 7)
  const read = readRefreshToken('console', token)
  assert.ok(read && verifyRefreshToken(keyring, 'console', read, salt))
  assert.equal(isValid('console', token, newSessionSalt()), false)
  assert.equal(isValid('console', token, salt, createKeyring(randomBytes(32))), false)
  assert.equal(verifyRefreshToken(keyring, 'console', { ...read, generation: 8 }, salt), false)
  const ofOtherSession = { ...read, sessionUuid: newUuid() }
  assert.equal(verifyRefreshToken(keyring, 'console', ofOtherSession, salt), false)
  for (const kind of ['moid', 'mfa'] as const) {
    assert.equal(verifyRefreshToken(keyring, kind, read, salt), false)
    assert.equal(readRefreshToken(kind, token), undefined)
  }
})

test('a token with the prefix of another kind is refused by its checksum or its proof', () => {
  const [uuid, salt] = [newUuid(), newSessionSalt()]
  for (const generated of KINDS) {
    const token = issueRefreshToken(keyring, generated, uuid, salt, 0)
    const read = readRefreshToken(generated, token)
    assert.ok(read)
    const body = Buffer.concat([
      Buffer.from(uuid.replaceAll('-', ''), 'hex'),
      Buffer.alloc(4),
      read.mac,
    ])
    for (const asked of KINDS) {
      if (asked === generated) continue
      const prefix = SESSION_TOKEN_PREFIXES[asked]
      const renamed = prefix + token.slice(SESSION_TOKEN_PREFIXES[generated].length)
      assert.equal(readRefreshToken(asked, renamed), undefined)
      const encoded = encodeChecked(prefix, body)
      assert.ok(readRefreshToken(asked, encoded))
      assert.equal(isValid(asked, encoded, salt), false)
    }
  }
})

test('every change of one character is refused', () => {
  const salt = newSessionSalt()
  const token = issueRefreshToken(keyring, 'moid', newUuid(), salt, 1)
  for (let at = 0; at < token.length; at++) {
    for (const character of `${ALPHABET}_- \n\0é`) {
      if (character === token[at]) continue
      const changed = token.slice(0, at) + character + token.slice(at + 1)
      assert.equal(readRefreshToken('moid', changed), undefined, changed)
    }
  }
})

test('a changed proof with a fresh checksum does not verify', () => {
  const salt = newSessionSalt()
  const read = readRefreshToken('mfa', issueRefreshToken(keyring, 'mfa', newUuid(), salt, 0))
  assert.ok(read)
  for (let bit = 0; bit < 256; bit++) {
    const mac: Buffer = Buffer.from(read.mac)
    mac[bit >> 3] = (mac[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.equal(verifyRefreshToken(keyring, 'mfa', { ...read, mac }, salt), false)
  }
  for (const mac of [Buffer.alloc(0), Buffer.alloc(32), read.mac.subarray(1)]) {
    assert.equal(verifyRefreshToken(keyring, 'mfa', { ...read, mac }, salt), false)
  }
})

test('any other text is refused without an error', () => {
  const token = issueRefreshToken(keyring, 'console', newUuid(), newSessionSalt(), 0)
  const others = [
    '',
    'rt_',
    ` ${token}`,
    `${token} `,
    `${token}\n`,
    token.slice(0, -1),
    `${token}0`,
    token.toUpperCase(),
    token.toLowerCase(),
    `RT_${token.slice(3)}`,
    'x'.repeat(1_000_000),
  ]
  for (const text of others) assert.equal(readRefreshToken('console', text), undefined)
  fc.assert(fc.property(fc.string(), (text) => readRefreshToken('console', text) === undefined))
})

test('a generation beyond 32 bits, a strange id and a short salt are errors of the caller', () => {
  const [uuid, salt] = [newUuid(), newSessionSalt()]
  for (const generation of [-1, 0.5, 2 ** 32, Number.NaN]) {
    assert.throws(() => issueRefreshToken(keyring, 'console', uuid, salt, generation), RangeError)
  }
  assert.throws(() => issueRefreshToken(keyring, 'console', 'ses_1', salt, 0), TypeError)
  assert.throws(() => issueRefreshToken(keyring, 'console', uuid, Buffer.alloc(8), 0), RangeError)
})
