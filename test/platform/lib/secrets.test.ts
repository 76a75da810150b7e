/** Machine-made secrets: their exact grammar, their checksum, and that no other text passes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  constantTimeEqual,
  crc32,
  DEVICE_TOKEN_PREFIX,
  hasGoodChecksum,
  issueSecret,
  PLATFORM_KEY_PREFIX,
  PROVISION_KEY_PREFIX,
  randomBytes256,
  readChecked,
  encodeChecked,
} from '../../../src/platform/lib/secrets.ts'

const PREFIXES = [PLATFORM_KEY_PREFIX, PROVISION_KEY_PREFIX, DEVICE_TOKEN_PREFIX]
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('the prefixes are the documented ones', () => {
  assert.deepEqual(PREFIXES, ['service_ak_', 'service_pk_', 'dht_'])
})

test('a secret is its prefix, 43 characters and the CRC-32 of both in six', () => {
  // The check value that every description of this CRC gives.
  assert.equal(crc32('123456789'), 0xcbf43926)
  for (const prefix of PREFIXES) {
    const secret = issueSecret(prefix)
    assert.match(secret.slice(prefix.length), /^[0-9A-Za-z]{49}$/)
    assert.ok(secret.startsWith(prefix))
    let checksum = 0
    for (const digit of secret.slice(-6)) checksum = checksum * 62 + ALPHABET.indexOf(digit)
    assert.equal(checksum, crc32(secret.slice(0, -6)))
    assert.ok(hasGoodChecksum(prefix, secret))
  }
})

test('no two secrets are the same and every bit varies', () => {
  const secrets = new Set(Array.from({ length: 5000 }, () => issueSecret('dht_')))
  assert.equal(secrets.size, 5000)
  const [ones, zeros] = [Buffer.alloc(32), Buffer.alloc(32)]
  for (let count = 0; count < 200; count++) {
    randomBytes256().forEach((byte, at) => {
      ones[at] = (ones[at] ?? 0) | byte
      zeros[at] = (zeros[at] ?? 0) | ~byte
    })
  }
  assert.deepEqual([ones, zeros], [Buffer.alloc(32, 0xff), Buffer.alloc(32, 0xff)])
})

test('every change of one character is refused', () => {
  for (const prefix of PREFIXES) {
    const secret = issueSecret(prefix)
    for (let at = 0; at < secret.length; at++) {
      for (const character of `${ALPHABET}_- \n\0é`) {
        if (character === secret[at]) continue
        const changed = secret.slice(0, at) + character + secret.slice(at + 1)
        assert.equal(hasGoodChecksum(prefix, changed), false, changed)
      }
    }
  }
})

test('every swap of two neighbours, every loss and every addition is refused', () => {
  const secret = issueSecret('dht_')
  for (let at = 0; at < secret.length; at++) {
    const [head, tail] = [secret.slice(0, at), secret.slice(at)]
    assert.equal(hasGoodChecksum('dht_', head + tail.slice(1)), false)
    for (const more of ['0', ' ', '\0', '\t', '%20']) {
      assert.equal(hasGoodChecksum('dht_', head + more + tail), false)
      assert.equal(hasGoodChecksum('dht_', secret + more), false)
    }
    const swapped = head + (tail[1] ?? '') + (tail[0] ?? '') + tail.slice(2)
    if (swapped !== secret) assert.equal(hasGoodChecksum('dht_', swapped), false)
  }
})

test('a secret of one kind never passes as another', () => {
  for (const generated of PREFIXES) {
    const secret = issueSecret(generated)
    for (const asked of PREFIXES) {
      assert.equal(hasGoodChecksum(asked, secret), asked === generated)
      const body = secret.slice(generated.length)
      if (asked !== generated) assert.equal(hasGoodChecksum(asked, asked + body), false)
    }
  }
})

test('another case, another script and an encoded form are refused', () => {
  const secret = issueSecret('service_ak_')
  const fullWidth = (text: string): string =>
    text.replace(/[0-9A-Za-z]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0))
  const variants = [
    secret.toUpperCase(),
    secret.toLowerCase(),
    fullWidth(secret),
    encodeURIComponent(` ${secret}`),
    `"${secret}"`,
    `${secret},${secret}`,
    secret.replaceAll('_', '%5F'),
  ]
  for (const text of variants) assert.equal(hasGoodChecksum('service_ak_', text), false, text)
})

test('a number of 2^256 or more is refused even with a valid checksum', () => {
  const good = encodeChecked('dht_', Buffer.alloc(32, 0xff))
  assert.deepEqual(readChecked('dht_', good, 32), Buffer.alloc(32, 0xff))
  const over = `dht_${'z'.repeat(43)}`
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(over))
  // The checksum's own form is taken from a text that has none but it.
  const withChecksum = over + encodeChecked('', checksum).slice(0, 6)
  assert.equal(hasGoodChecksum('dht_', withChecksum), false)
})

test('comparison looks at every byte and at the length', () => {
  const bytes = randomBytes256()
  assert.ok(constantTimeEqual(bytes, Buffer.from(bytes)))
  assert.ok(constantTimeEqual(Buffer.alloc(0), Buffer.alloc(0)))
  assert.equal(constantTimeEqual(bytes, bytes.subarray(1)), false)
  assert.equal(constantTimeEqual(bytes, Buffer.alloc(0)), false)
  for (let at = 0; at < 32; at++) {
    const other = Buffer.from(bytes)
    other[at] = (other[at] ?? 0) ^ 1
    assert.equal(constantTimeEqual(bytes, other), false)
  }
})
