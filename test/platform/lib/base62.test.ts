/** Base62: one form for each byte string, checked against plain big-integer arithmetic. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { base62Length, decodeBase62, encodeBase62 } from '../../../src/platform/lib/base62.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function encode(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text
  }
  return text
}

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const valueOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)

test('the lengths are the smallest that hold every value', () => {
  for (let bytes = 1; bytes <= 64; bytes++) {
    const length = BigInt(base62Length(bytes))
    assert.ok(62n ** length >= 256n ** BigInt(bytes), `${bytes} bytes fit`)
    assert.ok(62n ** (length - 1n) < 256n ** BigInt(bytes), `${bytes} bytes need all characters`)
  }
  assert.equal(base62Length(32), 43)
})

test('every byte string is encoded as its number and decoded again', () => {
  for (const length of [1, 2, 3, 4, 5, 16, 31, 32, 33, 52]) {
    fc.assert(
      fc.property(bytesOf(length), (bytes) => {
        const text = encodeBase62(bytes)
        assert.equal(text, encode(valueOf(bytes), base62Length(length)))
        assert.deepEqual(decodeBase62(text, length), Buffer.from(bytes))
      }),
    )
  }
})

test('the greatest value is read and the one after it is refused', () => {
  for (const length of [1, 2, 3, 4, 5, 16, 31, 32, 33, 52]) {
    const limit = 256n ** BigInt(length)
    const characters = base62Length(length)
    assert.deepEqual(
      decodeBase62(encode(limit - 1n, characters), length),
      Buffer.alloc(length, 0xff),
    )
    assert.equal(decodeBase62(encode(limit, characters), length), undefined)
    assert.equal(decodeBase62('z'.repeat(characters), length), undefined)
  }
})

test('another length and any character outside of the alphabet are refused', () => {
  const good = encodeBase62(Buffer.alloc(32, 7))
  for (const text of ['', good.slice(1), `${good}0`, `0${good}`, ` ${good.slice(1)}`]) {
    assert.equal(decodeBase62(text, 32), undefined)
  }
  for (const strange of [
    '-',
    '_',
    '+',
    '/',
    '=',
    ' ',
    '\n',
    '\0',
    'é',
    '\u212a',
    '\uff10',
    '\ud800',
  ]) {
    assert.equal(decodeBase62(strange + good.slice(1), 32), undefined)
    assert.equal(decodeBase62(good.slice(0, -1) + strange, 32), undefined)
  }
})
