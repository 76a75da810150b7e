/** Second factors: RFC 6238's vectors, the window of two steps, and recovery codes. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  matchTotpStep,
  newRecoveryCodes,
  newTotpSecret,
  normaliseRecoveryCode,
  otpauthUri,
  totpStepAt,
} from '../../../src/platform/access/totp.ts'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/** The ASCII key `12345678901234567890` of RFC 6238, appendix B, in base32. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
/** Seconds, and the last six of the eight digits that the appendix gives for SHA-1. */
const RFC_CODES = [
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
] as const

function bytesOf(secret: string): Buffer {
  const bits = secret.replace(/./g, (sign) => BASE32.indexOf(sign).toString(2).padStart(5, '0'))
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** RFC 4226, section 5.3, manually. */
function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const value = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(value % 1_000_000).padStart(6, '0')
}

test('the vectors of RFC 6238 fit their steps', () => {
  for (const [seconds, code] of RFC_CODES) {
    assert.equal(matchTotpStep(RFC_SECRET, code, seconds * 1000), Math.floor(seconds / 30))
    assert.equal(codeAt(RFC_SECRET, Math.floor(seconds / 30)), code)
  }
})

test('a new secret has 160 bits and works with any other implementation', () => {
  const secrets = Array.from({ length: 50 }, newTotpSecret)
  assert.equal(new Set(secrets).size, 50)
  for (const secret of secrets) {
    assert.match(secret, /^[A-Z2-7]{32}$/)
    assert.equal(
      matchTotpStep(secret, codeAt(secret, 60_000_000), 60_000_000 * STEP_MS),
      60_000_000,
    )
  }
})

test('the present code and the previous one are valid, and no others around now', () => {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
  const present = 60_000_000
  for (const now of [present * STEP_MS, (present + 1) * STEP_MS - 1]) {
    assert.equal(totpStepAt(now), present)
    for (let drift = -3; drift <= 3; drift++) {
      const step = present + drift
      const expected = drift === 0 || drift === -1 ? step : undefined
      assert.equal(matchTotpStep(secret, codeAt(secret, step), now), expected, `${drift}`)
    }
  }
})

test('a code fits its own secret only', () => {
  const now = 60_000_000 * STEP_MS
  assert.equal(matchTotpStep(RFC_SECRET, codeAt(RFC_SECRET, 60_000_000), now), 60_000_000)
  assert.equal(
    matchTotpStep(newTotpSecret().replace(/^./, 'A'), codeAt(RFC_SECRET, 59_999_000), now),
    undefined,
  )
  const wrong = fc.integer({ min: 0, max: 999_999 }).map((code) => String(code).padStart(6, '0'))
  const right = [codeAt(RFC_SECRET, 60_000_000), codeAt(RFC_SECRET, 59_999_999)]
  fc.assert(
    fc.property(wrong, (code) => {
      assert.equal(matchTotpStep(RFC_SECRET, code, now) !== undefined, right.includes(code))
    }),
  )
})

test('a code is six ASCII digits and nothing else', () => {
  const now = 1234567890_000
  assert.ok(matchTotpStep(RFC_SECRET, '005924', now))
  const variants = [
    '5924',
    '05924',
    '0005924',
    '89005924',
    '005924 ',
    ' 005924',
    '005 924',
    '005-924',
    '+05924',
    '-05924',
    '005924\n',
    '005924\0',
    '５９２４',
    '\uff10\uff10\uff15\uff19\uff12\uff14',
    // Truncated to their low byte, these are the digits.
    '\u0130\u0130\u0135\u0139\u0132\u0134',
    '\u0660\u0660\u0665\u0669\u0662\u0664',
    '0x1724',
    '5924.0',
    '5924e0',
    '',
    'abcdef',
    '1'.repeat(1_000_000),
  ]
  for (const code of variants)
    assert.equal(matchTotpStep(RFC_SECRET, code, now), undefined, code.slice(0, 20))
})

test('the first step of all has no previous one', () => {
  assert.equal(matchTotpStep(RFC_SECRET, codeAt(RFC_SECRET, 0), 0), 0)
  assert.equal(matchTotpStep(RFC_SECRET, codeAt(RFC_SECRET, 1), 0), undefined)
})

test('the URI holds secret, account and issuer, and no second colon', () => {
  const uri = new URL(otpauthUri(RFC_SECRET, 'o+wner@example.com', 'Mooring: Lab & Söhne'))
  assert.equal(uri.protocol, 'otpauth:')
  assert.equal(uri.host, 'totp')
  assert.equal(uri.searchParams.get('secret'), RFC_SECRET)
  assert.equal(uri.searchParams.get('issuer'), 'Mooring  Lab & Söhne')
  assert.equal(decodeURIComponent(uri.pathname), '/Mooring  Lab & Söhne:o+wner@example.com')
})

test('recovery codes have 120 bits each and never repeat', () => {
  const codes = newRecoveryCodes()
  assert.equal(codes.length, 10)
  assert.equal(newRecoveryCodes(3).length, 3)
  for (const code of codes) {
    assert.match(code, /^(?:[0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/)
    assert.equal(normaliseRecoveryCode(code), code)
  }
  assert.equal(new Set(newRecoveryCodes(1000)).size, 1000)
})

test('a recovery code may be typed in any case, with look-alikes and other gaps', () => {
  const code = '0011-K234-5678-9ABC-DEFG-HJKM'
  for (const text of [
    code.toLowerCase(),
    code.replaceAll('-', ''),
    code.replaceAll('-', ' '),
    'OoIl-k234-5678-9abc-defg-hjkm',
    'OOLL K2345678 9ABCDEFG HJKM',
    Array.from(code.replaceAll('-', '')).join('-'),
  ]) {
    assert.equal(normaliseRecoveryCode(text), code, text)
  }
})

test('any other text is no recovery code', () => {
  const code = '0011-K234-5678-9ABC-DEFG-HJKM'
  for (const text of [
    '',
    code.slice(1),
    `${code}0`,
    `${code}-`,
    `-${code}`,
    ` ${code}`,
    `${code}\n`,
    code.replace('K', 'U'),
    code.replace('K', '\u212a'),
    code.replace('-', '--'),
    code.replace('-', '\t'),
    code.replace('-', '_'),
    '123456',
    code.replace('K', ''),
    '-'.repeat(1_000_000),
  ]) {
    assert.equal(normaliseRecoveryCode(text), undefined, text.slice(0, 40))
  }
})
