/** Amounts of money: written, read and rounded, never as floats. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  divideHalfUp,
  formatMoney,
  isCurrency,
  parseMoney,
} from '../../../src/platform/lib/currency.ts'

test('amounts are written with the digits of their currency', () => {
  assert.equal(formatMoney(123_450, 'EUR'), 'EUR 1,234.50')
  assert.equal(formatMoney(-5, 'USD'), 'USD -0.05')
  assert.equal(formatMoney(1_234, 'JPY'), 'JPY 1,234')
  assert.equal(formatMoney(1_234, 'KWD'), 'KWD 1.234')
  assert.ok(isCurrency('CHF') && !isCurrency('ABC') && !isCurrency('eur'))
})

test('amounts are read exactly, or refused', () => {
  const read = [
    ['12.50', 'EUR', 1_250],
    ['12.5', 'EUR', 1_250],
    ['12', 'JPY', 12],
    ['0.001', 'KWD', 1],
    ['12.505', 'EUR', undefined],
    ['1.0', 'JPY', undefined],
    ['-1', 'EUR', undefined],
    ['1e3', 'EUR', undefined],
    ['999999999999999', 'EUR', undefined],
  ] as const
  for (const [text, currency, units] of read) assert.equal(parseMoney(text, currency), units, text)
})

test('a quotient is the nearest whole number, and half of one goes up', () => {
  assert.deepEqual(
    [1n, 2n, 3n, 4n, 5n, 6n].map((n) => divideHalfUp(n, 4n)),
    [0, 1, 1, 1, 1, 2],
  )
  const size = fc.bigInt({ min: 0n, max: 10n ** 15n })
  fc.assert(
    fc.property(size, fc.bigInt({ min: 1n, max: 10n ** 12n }), (numerator, denominator) => {
      const off = 2n * (BigInt(divideHalfUp(numerator, denominator)) * denominator - numerator)
      return off <= denominator && off > -denominator
    }),
  )
  assert.throws(() => divideHalfUp(2n ** 60n, 1n), /too large/)
})
