/** Reading the times that callers send. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  EARLIEST_MS,
  LATEST_MS,
  nearestTime,
  parseTime,
  parseTimeOrDay,
} from '../../../src/platform/lib/time.ts'

const read = (text: string): string | undefined => {
  const ms = parseTime(text)
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

test('a time is read to the millisecond, whatever its zone', () => {
  const cases: [string, string][] = [
    ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31t08:00:00.5z', '2026-01-31T08:00:00.500Z'],
    ['2026-01-31 08:00:00.0579999Z', '2026-01-31T08:00:00.057Z'],
    ['2026-01-31T08:00:00-00:00', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T08:00:00+05:45', '2026-01-31T02:15:00.000Z'],
    ['2026-01-31T08:00:00+0545', '2026-01-31T02:15:00.000Z'],
    ['2026-01-31T08:00:00+05', '2026-01-31T03:00:00.000Z'],
    ['2026-01-31T08:00:00-23:59', '2026-02-01T07:59:00.000Z'],
    ['2026-03-01T00:00:00+23:59', '2026-02-28T00:01:00.000Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00.000Z'],
    ['0000-12-31T23:59:59-23:59', '0001-01-01T23:58:59.000Z'],
  ]
  for (const [text, time] of cases) assert.equal(read(text), time, text)
})

test('a leap second is the last of a month in UTC, and read as the next second', () => {
  assert.equal(read('2016-12-31T23:59:60Z'), '2017-01-01T00:00:00.000Z')
  assert.equal(read('1990-12-31T15:59:60-08:00'), '1991-01-01T00:00:00.000Z')
  assert.equal(read('2012-07-01T05:44:60.25+05:45'), '2012-07-01T00:00:00.250Z')
  for (const text of [
    '2016-12-30T23:59:60Z',
    '2016-12-31T23:59:60-08:00',
    '2016-01-01T00:00:60Z',
  ]) {
    assert.equal(read(text), undefined, text)
  }
})

test('the years 0001 to 9999 in UTC are read, and none else', () => {
  assert.equal(parseTime('0001-01-01T00:00:00Z'), EARLIEST_MS)
  assert.equal(parseTime('9999-12-31T23:59:59.999999Z'), LATEST_MS)
  const outside = ['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:00-00:01', '9999-12-31T23:59:60Z']
  for (const text of outside) assert.equal(read(text), undefined, text)
  for (const ms of [-Infinity, EARLIEST_MS - 1]) assert.equal(nearestTime(ms), EARLIEST_MS)
  for (const ms of [Infinity, LATEST_MS + 1]) assert.equal(nearestTime(ms), LATEST_MS)
})

test('every time of these years is read back as it is written', () => {
  const times = fc.integer({ min: EARLIEST_MS, max: LATEST_MS })
  fc.assert(
    fc.property(times, (ms) => {
      assert.equal(parseTime(new Date(ms).toISOString()), ms)
    }),
  )
})

test('a day stands for its start in UTC, where days are taken', () => {
  assert.equal(parseTimeOrDay('2024-02-29'), Date.UTC(2024, 1, 29))
  assert.equal(parseTimeOrDay('2024-02-29T01:00:00+01:00'), Date.UTC(2024, 1, 29))
  for (const text of ['2023-02-29', '0000-01-01', '2024-2-29', '2024-02-29Z', '']) {
    assert.equal(parseTimeOrDay(text), undefined, text)
  }
})
