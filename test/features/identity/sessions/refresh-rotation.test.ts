/** The rule of rotation: the validity of a refresh token, by the row of its session. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createKeyring } from '../../../../src/platform/access/keyring.ts'
import {
  issueRefreshToken,
  newSessionSalt,
  type ReadRefreshToken,
  readRefreshToken,
  type SessionTokenKind,
} from '../../../../src/platform/access/refresh-tokens.ts'
import {
  decideRefresh,
  type RotatingSession,
  type RotationRule,
} from '../../../../src/features/identity/sessions/refresh-rotation.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'

const keyring = createKeyring(randomBytes(32))
const id = newUuid()
const salt = newSessionSalt()
const NOW = 1_800_000_000_000
const row: RotatingSession = {
  salt,
  generation: 7,
  rotated_at: NOW - 10_000,
  expires_at: NOW + 86_400_000,
  ended_at: null,
}
const strict: RotationRule = { kind: 'console', retryWindowMs: 30_000 }
const lenientRule: RotationRule = { kind: 'moid', retryWindowMs: null }

function token(kind: SessionTokenKind, generation: number, of = salt): ReadRefreshToken {
  const read = readRefreshToken(kind, issueRefreshToken(keyring, kind, id, of, generation))
  assert.ok(read)
  return read
}

test('the newest token rotates, the one before repeats, older ones are reused', () => {
  const decide = (generation: number) =>
    decideRefresh(keyring, strict, token('console', generation), row, NOW)
  assert.equal(decide(7), 'rotate')
  assert.equal(decide(6), 'repeat')
  for (const generation of [5, 4, 1, 0]) assert.equal(decide(generation), 'reused')
})

test('a token ahead of the row is refused and ends nothing', () => {
  assert.equal(decideRefresh(keyring, strict, token('console', 8), row, NOW), 'rejected')
})

test('the window is counted from the rotation, to its last millisecond', () => {
  const decide = (now: number) => decideRefresh(keyring, strict, token('console', 6), row, now)
  assert.equal(decide(row.rotated_at + 30_000), 'repeat')
  assert.equal(decide(row.rotated_at + 30_001), 'reused')
})

test('without a window the one before repeats for as long as the newest is unused', () => {
  const year = 365 * 86_400_000
  const old = { ...row, rotated_at: NOW - year }
  assert.equal(decideRefresh(keyring, lenientRule, token('moid', 6), old, NOW), 'repeat')
  assert.equal(decideRefresh(keyring, lenientRule, token('moid', 5), old, NOW), 'reused')
})

test('an ended or expired session refuses every generation', () => {
  for (const over of [
    { ...row, ended_at: NOW - 1 },
    { ...row, expires_at: NOW },
    { ...row, expires_at: NOW - 1 },
  ]) {
    for (const generation of [7, 6, 1]) {
      const decision = decideRefresh(keyring, strict, token('console', generation), over, NOW)
      assert.equal(decision, 'rejected')
    }
  }
})

test('a token that the service did not issue for this session is refused', () => {
  const other = createKeyring(randomBytes(32))
  const forged = readRefreshToken('console', issueRefreshToken(other, 'console', id, salt, 1))
  assert.ok(forged)
  const good = token('console', 1)
  const bad: ReadRefreshToken[] = [
    forged,
    { ...token('console', 7), generation: 1 },
    { ...good, sessionUuid: newUuid() },
    { ...good, mac: Buffer.alloc(32) },
    { ...good, mac: good.mac.subarray(1) },
    token('console', 1, newSessionSalt()),
    token('moid', 1),
    token('mfa', 1),
  ]
  for (const each of bad) assert.equal(decideRefresh(keyring, strict, each, row, NOW), 'rejected')
})
