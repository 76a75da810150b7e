/** The grammar of filters: valid and refused texts, and that it takes no time over either. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  FILTER_LIMITS,
  FilterError,
  type FilterTree,
  parseFilter,
} from '../../../src/platform/lib/filter-grammar.ts'
import { printFilter } from '../../support/print-filter.ts'

/** A filter, and the one form that it is printed in. */
const READ: [text: string, printed: string][] = [
  ['a=b', 'a = b'],
  ['  a  =  b  ', 'a = b'],
  ['a != "b c"', 'a != "b c"'],
  [`a = 'it "is"'`, 'a = "it \\"is\\""'],
  ['a = "TH2-*"', 'a = "TH2-*"'],
  ['a = TH2-*', 'a = TH2-*'],
  ['a = *0123', 'a = *0123'],
  ['a = "x\\*"', 'a = "x\\*"'],
  ['a:*', 'a : *'],
  ['tags.floor.x-1 <= 5', 'tags.floor.x-1 <= 5'],
  ['at >= 2026-01-01T00:00:00Z', 'at >= 2026-01-01T00:00:00Z'],
  ['a = 1 AND b = 2 AND c = 3', 'a = 1 AND b = 2 AND c = 3'],
  ['(a = 1 OR b = 2)AND NOT c = 3', '(a = 1 OR b = 2) AND NOT c = 3'],
  ['NOT (a = 1 AND b = 2)', 'NOT (a = 1 AND b = 2)'],
  ['((a = 1))', 'a = 1'],
  ['a = AND', 'a = AND'],
  ['a = ""', 'a = ""'],
]

test('a filter is read as it is meant, and printed in one form', () => {
  for (const [text, printed] of READ) {
    assert.equal(printFilter(parseFilter(text)), printed, text)
    assert.equal(printFilter(parseFilter(printed)), printed, text)
  }
})

/** A text that can't be read, the character that it fails at, and the one expected there. */
const REFUSED: [text: string, character: number, expected: RegExp][] = [
  ['', 1, /name of a field/],
  ['a', 2, /one of = != /],
  ['a =', 4, /a value/],
  ['a = b c = d', 7, /AND, OR or the end/],
  ['a = b and c = d', 7, /AND, OR or the end/],
  ['a = 1 AND b = 2 OR c = 3', 17, /parentheses/],
  ['a = 1 AND', 10, /name of a field/],
  ['(a = 1', 7, /AND, OR or \)/],
  ['a = 1)', 6, /AND, OR or the end/],
  ['a = "x', 5, /quotation mark/],
  ['a = "x\\y"', 8, /after a \\/],
  ['a = "x*y"', 6, /\* at the beginning or the end/],
  ['a = *x*', 5, /\* at the beginning or the end/],
  ['a = b\u0000', 6, /NUL/],
  ['a = "\ud800"', 1, /Unicode/],
  ['1a = b', 1, /name of a field/],
  ["a = b'; DROP TABLE devices; --", 6, /AND, OR or the end/],
  [`a = ${'x'.repeat(FILTER_LIMITS.length)}`, FILTER_LIMITS.length + 1, /at most/],
  [`${'('.repeat(11)}a = 1`, 11, /levels/],
  [Array.from({ length: 51 }, () => 'a=1').join(' AND '), 401, /at most 50 comparisons/],
]

test('an invalid filter is refused with its place and the expected token', () => {
  for (const [text, character, expected] of REFUSED) {
    assert.throws(
      () => parseFilter(text),
      (error) => {
        assert.ok(error instanceof FilterError, text)
        assert.match(error.message, new RegExp(`^at character ${character}: expected `), text)
        assert.match(error.message, expected, text)
        return true
      },
    )
  }
})

const PIECES = [
  'a',
  '=',
  '!=',
  ':',
  '<',
  ' ',
  '"',
  "'",
  '\\',
  '*',
  '(',
  ')',
  'AND',
  'OR',
  'NOT',
  '.',
  '\n',
]
const piece = fc.constantFrom(...PIECES)

test('every text is read or refused, and a filter that was read stays the same when printed', () => {
  const texts = fc.oneof(
    fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
  fc.assert(
    fc.property(texts, (text) => {
      let tree: FilterTree
      try {
        tree = parseFilter(text)
      } catch (error) {
        assert.ok(error instanceof FilterError)
        assert.ok(error.at >= 0 && error.at <= text.length)
        return
      }
      const printed = printFilter(tree)
      assert.equal(printFilter(parseFilter(printed, { ...FILTER_LIMITS, length: 5_000 })), printed)
    }),
    { numRuns: 500 },
  )
})

test('a value comes out as it went in, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
      fc.pre(!text.includes('\u0000'))
      const value = { text, isQuoted: true, match: 'exact' } as const
      const at = { field: 0, operator: 2, value: 4 }
      const tree = { kind: 'comparison', field: 'a', operator: '=', value, at } as const
      assert.deepEqual(parseFilter(printFilter(tree)), tree)
    }),
  )
})

test('a long text that is almost a filter takes no longer than its length', () => {
  const limits = { length: 1e6, depth: 10, comparisons: 1e6 }
  for (const part of [
    'a=',
    'a=1 AND ',
    '"',
    '\\',
    'a=* ',
    '(',
    'NOT ',
    ' ',
    'a.',
    '*',
    "a='\\'",
    '<=',
  ]) {
    const text = part.repeat(Math.ceil(1e5 / part.length))
    for (const long of [text, `a = "${text}`, `a = ${text}`]) {
      try {
        parseFilter(long, limits)
      } catch (error) {
        assert.ok(error instanceof FilterError)
      }
    }
  }
})
