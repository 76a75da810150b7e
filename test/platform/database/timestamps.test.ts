/** Times of the database become milliseconds since the epoch. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { typeParsers } from '../../../src/platform/database/value-types.ts'

const { TIMESTAMPTZ } = pg.types.builtins
const read = typeParsers.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => number
const readByLibrary = (text: string): number =>
  Number((pg.types.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => Date | number)(text))

test('a time is read as the driver reads it, in any zone, year and precision', () => {
  const edge = ['infinity', '-infinity', '0001-01-01 00:00:00+00', '10000-01-01 00:00:00+00']
  for (const text of [...edge, '0044-03-15 12:00:00+00 BC', '1969-12-31 23:59:59.5+00']) {
    assert.equal(read(text), readByLibrary(text), text)
  }
  const part = (highest: number, least = 0) =>
    fc.integer({ min: least, max: highest }).map((value) => String(value).padStart(2, '0'))
  const year = fc.integer({ min: 1, max: 9_999 }).map((value) => String(value).padStart(4, '0'))
  const fraction = fc.constantFrom('', '.1', '.12', '.123', '.999', '.001')
  const zone = fc.constantFrom('+00', '+02', '-05:30')
  const day = fc.tuple(year, part(12, 1), part(28, 1)).map((parts) => parts.join('-'))
  const time = fc.tuple(part(23), part(59), part(59)).map((parts) => parts.join(':'))
  fc.assert(
    fc.property(day, time, fraction, zone, (date, clock, rest, offset) => {
      const text = `${date} ${clock}${rest}${offset}`
      assert.equal(read(text), readByLibrary(text), text)
    }),
  )
})
