/** TypeIDs and the UUIDs below them: the published vectors, one form, an order that holds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  createUuidSource,
  formatId,
  idPattern,
  newUuid,
  parseId,
  type IdPrefix,
  uuidOf,
} from '../../../src/platform/lib/ids.ts'

/** Suffix and UUID of each valid example that comes with the specification. */
const VECTORS = [
  ['00000000000000000000000000', '00000000-0000-0000-0000-000000000000'],
  ['00000000000000000000000001', '00000000-0000-0000-0000-000000000001'],
  ['0000000000000000000000000a', '00000000-0000-0000-0000-00000000000a'],
  ['0000000000000000000000000g', '00000000-0000-0000-0000-000000000010'],
  ['00000000000000000000000010', '00000000-0000-0000-0000-000000000020'],
  ['7zzzzzzzzzzzzzzzzzzzzzzzzz', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['0123456789abcdefghjkmnpqrs', '0110c853-1d09-52d8-d73e-1194e95b5f19'],
  ['01h455vb4pex5vsknk084sn02q', '01890a5d-ac96-774b-bcce-b302099a8057'],
] as const

/** Suffixes of the invalid examples that come with the specification. */
const INVALID_SUFFIXES = [
  '1234567890123456789012345',
  '123456789012345678901234567',
  '1234567890123456789012345 ',
  '0123456789ABCDEFGHJKMNPQRS',
  '123456789-123456789-123456',
  'ooooooiiiiiiuuuuuuulllllll',
  'i23456789ol23456789oi23456',
  '123456789-0123456789-0123456',
  '8zzzzzzzzzzzzzzzzzzzzzzzzz',
]

test('the vectors of the specification are written and read', () => {
  for (const [suffix, uuid] of VECTORS) {
    assert.equal(formatId('dev', uuid), `dev_${suffix}`)
    assert.equal(parseId('dev', `dev_${suffix}`), uuid)
  }
})

test('ids that the specification calls invalid are refused', () => {
  for (const suffix of INVALID_SUFFIXES) assert.equal(parseId('dev', `dev_${suffix}`), undefined)
  const good = '00000000000000000000000000'
  for (const text of [
    `DEV_${good}`,
    `_${good}`,
    `_dev_${good}`,
    `dev__${good}`,
    `dev-${good}`,
    `dev.${good}`,
    `dev0${good}`,
    '_',
    '',
    good,
  ]) {
    assert.equal(parseId('dev', text), undefined)
  }
})

test('an admitted id has its UUID; anything else is an error', () => {
  for (const [suffix, uuid] of VECTORS) assert.equal(uuidOf('dev', `dev_${suffix}`), uuid)
  const others = [`tpl_${VECTORS[0][0]}`, VECTORS[0][1], '']
  for (const text of [...INVALID_SUFFIXES.map((suffix) => `dev_${suffix}`), ...others]) {
    assert.throws(() => uuidOf('dev', text), TypeError)
  }
})

test('an id of another kind is refused', () => {
  const prefixes: IdPrefix[] = ['ws', 'usr', 'key', 'mse', 'ses', 'moid', 'mfa', 'dev']
  for (const written of prefixes) {
    const text = formatId(written, newUuid())
    for (const asked of prefixes) {
      assert.equal(parseId(asked, text) !== undefined, asked === written, `${asked} ${text}`)
    }
  }
})

test('every UUID makes the round trip and every change of one character is another id or none', () => {
  fc.assert(
    fc.property(
      fc.uuid({ version: 7 }),
      fc.nat(25),
      fc.string({ unit: 'grapheme' }),
      (uuid, at, put) => {
        const text = formatId('clm', uuid)
        assert.equal(parseId('clm', text), uuid)
        const changed = text.slice(0, 4 + at) + put + text.slice(5 + at)
        const read = parseId('clm', changed)
        if (changed === text) return
        assert.notEqual(read, uuid)
        // Whatever is read has this one form.
        if (read !== undefined) assert.equal(formatId('clm', read), changed)
      },
    ),
  )
})

test('the pattern for schemas matches exactly the texts that are read', () => {
  const pattern = new RegExp(idPattern('dev'))
  const candidates = [
    ...VECTORS.map(([suffix]) => `dev_${suffix}`),
    ...INVALID_SUFFIXES.map((suffix) => `dev_${suffix}`),
    'ws_01h455vb4pex5vsknk084sn02q',
    'dev_01h455vb4pex5vsknk084sn02q\n',
    'DEV_01h455vb4pex5vsknk084sn02q',
  ]
  for (const text of candidates) {
    assert.equal(pattern.test(text), parseId('dev', text) !== undefined, text)
  }
  const characters = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code))
  for (const character of [...characters, '\u212a', '\uff10']) {
    const text = `dev_0${character.repeat(25)}`
    assert.equal(pattern.test(text), parseId('dev', text) !== undefined, text)
  }
})

test('only a UUID in lower-case text form is written', () => {
  const good = '01890a5d-ac96-774b-bcce-b302099a8057'
  for (const text of [good.toUpperCase(), good.replaceAll('-', ''), `{${good}}`, '', `${good} `]) {
    assert.throws(() => formatId('dev', text), TypeError)
  }
})

test('a UUID has the layout of RFC 9562 version 7', () => {
  // The moment of the RFC's example in appendix A.6.
  const next = createUuidSource({ now: () => 0x017f22e279b0 })
  for (let count = 0; count < 1000; count++) {
    assert.match(next(), /^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
  const before = Date.now()
  const time = Number.parseInt(newUuid().replaceAll('-', '').slice(0, 12), 16)
  assert.ok(time >= before && time <= Date.now() + 1)
})

test('each UUID is greater than the one before, in one millisecond as over many', () => {
  let last = ''
  for (let count = 0; count < 200_000; count++) {
    const uuid = newUuid()
    assert.ok(uuid > last)
    last = uuid
  }
})

test('a clock that stops or steps back keeps the order intact', () => {
  const step = fc.constantFrom(0, 0.25, 0.5, 0.75, 1, 2, -0.5, -1, -3, 1000, -1000)
  fc.assert(
    fc.property(fc.array(step, { minLength: 50, maxLength: 200 }), (steps) => {
      let now = 1_700_000_000_000
      let latest = now
      const next = createUuidSource({ now: () => now })
      let last = next()
      for (const move of steps) {
        now += move
        latest = Math.max(latest, Math.floor(now))
        const uuid = next()
        assert.ok(uuid > last)
        // The order comes from the counter: the time is never run ahead of the clock for it.
        assert.equal(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16), latest)
        last = uuid
      }
    }),
  )
})

test('UUIDs of one millisecond differ in more than their counter', () => {
  const next = createUuidSource({ now: () => 1_700_000_000_000 })
  const tails = new Set(Array.from({ length: 10_000 }, () => next().slice(-12)))
  assert.ok(tails.size > 9_990)
})
