/** How many connections of a pool write at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writerLimit } from '../../../src/platform/database/writer-limit.ts'

test('at most three quarters of the connections write, and at least one does', async () => {
  for (const size of [1, 2, 3, 4, 5, 10, 20, 50]) {
    const writers = writerLimit(size, 60_000)
    const gate = Promise.withResolvers<void>()
    let begun = 0
    const writes = Array.from({ length: size }, () =>
      writers.run(() => {
        begun += 1
        return gate.promise
      }),
    )
    assert.equal(begun, Math.max(1, Math.floor((size * 3) / 4)), `of ${size}`)
    gate.resolve()
    await Promise.all(writes)
    assert.equal(begun, size)
  }
})
