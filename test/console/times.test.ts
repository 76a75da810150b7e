/** Lengths of time in words: texts for ages, and for times to come. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awayIn, awayInWords, inWords } from '../../console/src/kit/times.ts'
import { german as frame } from '../../console/src/i18n/frame.de.ts'
import { german as shared } from '../../console/src/i18n/shared.de.ts'
import { makeTranslator } from '../../console/src/i18n/translate.ts'

const S = 1_000
const MIN = 60 * S
const H = 60 * MIN
const D = 24 * H

/** As the console says it in German. */
const inGerman = awayIn(makeTranslator<keyof typeof frame | keyof typeof shared>([frame, shared]))

test('a length of time is said in whole units, the largest alone', () => {
  const said: readonly [number, string][] = [
    [0, '0 s'],
    [-5 * S, '0 s'],
    [59 * S, '59 s'],
    [60 * S, '1 min'],
    [59 * MIN + 59 * S, '59 min'],
    [60 * MIN, '1 h'],
    [23 * H + 59 * MIN, '23 h'],
    [24 * H, '1 d'],
    [47 * H, '1 d'],
    [400 * D, '400 d'],
  ]
  for (const [milliseconds, words] of said) assert.equal(inWords(milliseconds), words)
})

test('past times are counted in whole units, future times to the nearest', () => {
  const said: readonly [away: number, english: string, german: string][] = [
    [0, 'now', 'jetzt'],
    [999, 'now', 'jetzt'],
    [S, '1 s ago', 'vor 1 s'],
    [59 * S, '59 s ago', 'vor 59 s'],
    [60 * S, '1 min ago', 'vor 1 min'],
    [119 * S, '1 min ago', 'vor 1 min'],
    [60 * MIN - S, '59 min ago', 'vor 59 min'],
    [23 * H + 59 * MIN, '23 h ago', 'vor 23 h'],
    [D, '1 d ago', 'vor 1 Tag'],
    [2 * D - MIN, '1 d ago', 'vor 1 Tag'],
    [3 * D, '3 d ago', 'vor 3 Tagen'],
    [-9_999, 'now', 'jetzt'],
    [-10 * S, 'in 10 s', 'in 10 s'],
    [-59 * S, 'in 59 s', 'in 59 s'],
    [-60 * S, 'in 1 min', 'in 1 min'],
    [-89 * S, 'in 1 min', 'in 1 min'],
    [-90 * S, 'in 2 min', 'in 2 min'],
    [-(60 * MIN - S), 'in 1 h', 'in 1 h'],
    [-(23 * H + 29 * MIN), 'in 23 h', 'in 23 h'],
    [-(24 * H - MIN), 'in 1 d', 'in 1 Tag'],
    [-36 * H, 'in 2 d', 'in 2 Tagen'],
    [-30 * D, 'in 30 d', 'in 30 Tagen'],
  ]
  for (const [away, english, german] of said) {
    assert.equal(awayInWords(away), english)
    assert.equal(inGerman(away), german)
  }
})
