/** An event reaches every subscriber of a list. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toEach } from '../../../src/platform/lib/to-each.ts'

test('a subscriber that throws is reported, and those after it get the event in order', () => {
  const received: number[] = []
  const failures: unknown[] = []
  const fault = new Error('a subscriber is broken')
  toEach(
    [1, 2, 3],
    (each) => {
      if (each === 2) throw fault
      received.push(each)
    },
    (error) => failures.push(error),
  )
  assert.deepEqual([received, failures], [[1, 3], [fault]])
})
