/** Lengths of time as people type them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { durationText, secondsOf } from '../../console/src/api/duration.ts'

test('a length of time is read as it is written', () => {
  for (const seconds of [0, 1, 59, 60, 90, 3_600, 5_400, 86_400, 604_800, 31_536_000]) {
    assert.equal(secondsOf(durationText(seconds)), seconds)
  }
  assert.equal(durationText(604_800), '7 d')
  assert.equal(durationText(5_400), '90 min')
})

test('spaces may be left out, and a number alone is seconds', () => {
  assert.deepEqual(['12h', ' 30 min ', '45'].map(secondsOf), [43_200, 1_800, 45])
})

test('days are read in German, too', () => {
  assert.deepEqual(['1 Tag', '7 Tage'].map(secondsOf), [86_400, 604_800])
})

test('an invalid duration is refused', () => {
  for (const text of ['', 'd', '1 week', '-1 d', '1.5 h', '1 d 2 h', '9999999999']) {
    assert.equal(secondsOf(text), undefined, text)
  }
})
