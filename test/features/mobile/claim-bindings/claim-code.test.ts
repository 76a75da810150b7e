/** Claim codes: fifty unbiased bits, forgiving about how people type, about nothing else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  newClaimCode,
  normaliseClaimCode,
} from '../../../../src/features/mobile/claim-bindings/claim-code.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

test('a code is pc_ and ten characters, and is its own canonical form', () => {
  for (let count = 0; count < 1000; count++) {
    const code = newClaimCode()
    assert.match(code, /^pc_[0-9A-HJKMNP-TV-Z]{10}$/)
    assert.equal(normaliseClaimCode(code), code)
  }
})

test('each character is about as frequent as any other', () => {
  const seen = new Map<string, number>()
  for (let count = 0; count < 6400; count++) {
    for (const sign of newClaimCode().slice(3)) seen.set(sign, (seen.get(sign) ?? 0) + 1)
  }
  assert.deepEqual([...seen.keys()].sort().join(''), ALPHABET)
  // 2,000 are expected of each; ten standard deviations are about 440.
  for (const [sign, times] of seen) assert.ok(Math.abs(times - 2000) < 440, `${sign} ${times}`)
})

test('case, look-alikes and single hyphens or spaces inside do not matter', () => {
  const code = 'pc_0011K23456'
  for (const text of [
    'pc_0011k23456',
    'PC_OOIIK23456',
    'Pc_ooLlK23456',
    'pc_0-0-1-1-k-2-3-4-5-6',
    'pc_00 11K 234-56',
    'pC_Oo1l-k23456',
  ]) {
    assert.equal(normaliseClaimCode(text), code, text)
  }
})

test('however a code is typed it comes back', () => {
  const twins: Record<string, string[]> = { '0': ['0', 'o', 'O'], '1': ['1', 'i', 'I', 'l', 'L'] }
  const typed = fc
    .array(
      fc.tuple(fc.constantFrom(...ALPHABET.split('')), fc.nat(), fc.constantFrom('', '-', ' ')),
      {
        minLength: 10,
        maxLength: 10,
      },
    )
    .map((signs) => ({
      code: `pc_${signs.map(([sign]) => sign).join('')}`,
      text: `pc_${signs
        .map(([sign, pick, gap], at) => {
          const choices = twins[sign] ?? [sign, sign.toLowerCase()]
          return (at === 0 ? '' : gap) + (choices[pick % choices.length] ?? sign)
        })
        .join('')}`,
    }))
  fc.assert(fc.property(typed, ({ code, text }) => assert.equal(normaliseClaimCode(text), code)))
})

test('anything else is refused', () => {
  for (const text of [
    '',
    'pc_',
    '0011K23456',
    'pc0011K23456',
    'pc-0011K23456',
    'pcl_0011K23456',
    'pc_0011K2345',
    'pc_0011K234567',
    'pc_U011K23456',
    'pc_0011K2345u',
    'pc_-0011K23456',
    'pc_0011K23456-',
    'pc_ 0011K23456',
    ' pc_0011K23456',
    'pc_0011K23456 ',
    'pc_0011K23456\n',
    'pc_00--11K23456',
    'pc_00\t11K23456',
    'pc_00_11K23456',
    'pc_00.11K23456',
    'pc_0011\u212a23456',
    'pc_0011\u017f23456',
    'pc_\uff10011K23456',
    'pc_0011K2345\0',
    `pc_${'-'.repeat(100_000)}`,
    `pc_${'0-'.repeat(100_000)}`,
  ]) {
    assert.equal(normaliseClaimCode(text), undefined, text.slice(0, 30))
  }
})
