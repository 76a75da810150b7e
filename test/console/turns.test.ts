/** Reads of many places at once: a few run, the others wait, and none is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { turnsOf } from '../../console/src/api/turns.ts'

test('no more than a few acts run at once, and each one runs in its turn', async () => {
  const inTurn = turnsOf(2)
  const ends: PromiseWithResolvers<void>[] = []
  const act = (n: number) =>
    inTurn(async () => {
      const end = Promise.withResolvers<void>()
      ends.push(end)
      await end.promise
      return n
    })
  const all = Promise.allSettled([1, 2, 3, 4, 5].map(act))
  await setImmediate()
  assert.equal(ends.length, 2)
  // An act that fails gives its turn to the next one, too.
  ends[0]?.reject(new Error('refused'))
  await setImmediate()
  assert.equal(ends.length, 3)
  for (let next = 1; next < 5; next += 1) {
    ends[next]?.resolve()
    await setImmediate()
  }
  const values = (await all).map((each) => (each.status === 'fulfilled' ? each.value : 'failed'))
  assert.deepEqual(values, ['failed', 2, 3, 4, 5])
  const after = act(6)
  await setImmediate()
  ends[5]?.resolve()
  assert.equal(await after, 6)
})
