/** Counts by key. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tally } from '../../../src/platform/lib/tally.ts'

test('keys are counted apart, and never below zero', () => {
  const tally = new Tally()
  tally.add('a', 1)
  tally.add('a', 1)
  tally.add('b', 1)
  tally.add('c', -1)
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => tally.of(key)),
    [2, 1, 0, 0],
  )
  tally.add('a', -1)
  tally.add('b', -1)
  assert.deepEqual(
    ['a', 'b'].map((key) => tally.of(key)),
    [1, 0],
  )
})
