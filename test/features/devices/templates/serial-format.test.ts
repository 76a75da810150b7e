/** Serial formats: refusals, rendered texts, and that every key made is a good one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  DEVICE_KEY_PATTERN,
  parseSerialFormat,
  renderSerial,
  type SerialFormat,
  usesSequence,
} from '../../../../src/features/devices/templates/serial-format.ts'

const KEY = new RegExp(DEVICE_KEY_PATTERN, 'u')
const now = new Date('2026-03-04T05:06:07.890Z')

function read(text: string): SerialFormat {
  const format = parseSerialFormat(text)
  if ('error' in format) assert.fail(`${text} ${format.error}`)
  return format
}

const render = (text: string, sequence = 7): string =>
  renderSerial(read(text), { slug: 'acme', now, sequence })

test('each token renders as documented, in UTC', () => {
  assert.equal(render('%Y-%M-%D.%H_%ws_%#f'), '2026-03-04.05_acme_7')
  assert.equal(render('SN%#f', 1234567), 'SN1234567')
  assert.match(render('A%4rB'), /^A[0-9A-HJKMNP-TV-Z]{4}B$/)
  assert.match(render('%6r'), /^[0-9A-HJKMNP-TV-Z]{6}$/)
  assert.equal(render('%#f%#f', 12), '1212')
  const midnight = new Date('2026-12-31T23:59:59.999-01:00')
  const values = { slug: 'acme', now: midnight, sequence: 1 }
  assert.equal(renderSerial(read('%Y%M%D%H-%#f'), values), '2027010100-1')
})

test('random tokens differ from each other and from one key to the next', () => {
  const keys = new Set(Array.from({ length: 2_000 }, () => render('%6r-%6r')))
  assert.equal(keys.size, 2_000)
  for (const key of keys) assert.notEqual(key.slice(0, 6), key.slice(7))
})

test('only formats with %#f ask for a sequence number', () => {
  assert.equal(usesSequence(read('a%#f')), true)
  assert.equal(usesSequence(read('%ws-%6r')), false)
})

test('a format that would give every device the same key is refused', () => {
  for (const text of ['', 'abc', '%ws', '%Y%M%D%H', 'fr-4r']) {
    assert.match((parseSerialFormat(text) as { error: string }).error, /needs %#f/)
  }
})

test('characters that are invalid in a topic, a client id or a log are refused', () => {
  const bad = Array.from('/+# :$*?\\"\'<>|\0\n\u007f\u00e9\u212a')
  for (const character of bad) {
    for (const text of [`%#f${character}`, `${character}%#f`, `a${character}%#f`]) {
      assert.ok('error' in parseSerialFormat(text), JSON.stringify(text))
    }
  }
  for (const text of ['-%#f', '.%#f', '_%#f']) {
    assert.match((parseSerialFormat(text) as { error: string }).error, /must begin/)
  }
})

test('an unknown token is refused, with its position', () => {
  for (const text of ['%', '%%', '%f', '%5r', '%y', '%w', '%#', '%4', '%WS']) {
    const read = parseSerialFormat(`ab%#f${text}`)
    assert.ok('error' in read, text)
    assert.match(read.error, /position 5/)
  }
})

test('a format is refused if any of its keys could be too long', () => {
  assert.ok(!('error' in parseSerialFormat(`%ws%#f${'x'.repeat(39)}`)))
  assert.ok('error' in parseSerialFormat(`%ws%#f${'x'.repeat(40)}`))
  assert.ok('error' in parseSerialFormat('%ws%ws%ws%#f'))
  assert.ok('error' in parseSerialFormat('x'.repeat(100_000)))
  const longest = { slug: 's'.repeat(40), now, sequence: Number.MAX_SAFE_INTEGER }
  assert.equal(renderSerial(read(`%ws%#f${'x'.repeat(39)}`), longest).length, 95)
})

test('every format that is accepted makes valid keys', () => {
  const tokens = ['%Y', '%M', '%D', '%H', '%ws', '%#f', '%4r', '%6r', '%', '%%']
  const texts = ['x', 'Z9', '-', '.', '_', '/', ' ', '#', '+', 'long-literal-of-thirty-letters']
  const piece = fc.constantFrom(...tokens, ...texts)
  const slug = fc.stringMatching(/^[a-z][a-z0-9-]{1,38}[a-z0-9]$/)
  const sequence = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
  const moment = fc.date({
    min: new Date('2020-01-01'),
    max: new Date('9999-12-31'),
    noInvalidDate: true,
  })
  let accepted = 0
  fc.assert(
    fc.property(fc.array(piece), slug, moment, sequence, (pieces, slug, now, sequence) => {
      const format = parseSerialFormat(pieces.join(''))
      if ('error' in format) return
      accepted += 1
      assert.match(renderSerial(format, { slug, now, sequence }), KEY)
    }),
    { numRuns: 3_000 },
  )
  assert.ok(accepted > 50)
})

test('two sequence numbers never make the same key', () => {
  const fixed = fc.constantFrom<string>('%Y', '%M', '%H', '%D', '1', 'x', '22')
  const number = fc.integer({ min: 1, max: 100_000 })
  fc.assert(
    fc.property(fc.array(fixed, { maxLength: 4 }), fc.nat(4), number, number, (parts, at, a, b) => {
      const format = read(`k${parts.toSpliced(at, 0, '%#f').join('')}`)
      const key = (sequence: number) => renderSerial(format, { slug: 'acme', now, sequence })
      assert.equal(key(a) === key(b), a === b)
    }),
  )
})
