/** A value is made once for each object. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oncePer } from '../../../src/platform/lib/once-per.ts'

test('a value is made once for each object, also one that is false', () => {
  let made = 0
  const isEmpty = oncePer((list: readonly string[]) => {
    made += 1
    return list.length === 0
  })
  const [one, other] = [['a'], ['a']]
  assert.deepEqual(
    [isEmpty(one), isEmpty(one), isEmpty(other), isEmpty([])],
    [false, false, false, true],
  )
  assert.equal(made, 3)
})
