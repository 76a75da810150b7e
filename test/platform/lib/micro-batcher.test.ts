/** Items that are processed in batches: none is lost, and a stuck batch delays the next briefly. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type BatchLimits, MicroBatcher } from '../../../src/platform/lib/micro-batcher.ts'
import { HOUR_MS } from '../../../src/platform/lib/time.ts'

/** Lots that are written down, and done when the test says so. */
function watched(limits: Partial<BatchLimits> = {}) {
  const lots: { items: readonly string[]; done: PromiseWithResolvers<string[]> }[] = []
  const work = new MicroBatcher<string, string>(
    (items) => {
      const done = Promise.withResolvers<string[]>()
      lots.push({ items, done })
      return done.promise
    },
    { batchSize: 3, inFlight: 1, timeoutMs: HOUR_MS, ...limits },
  )
  const finish = (at: number): void =>
    lots[at]?.done.resolve(lots[at].items.map((item) => `${item} done`))
  return { work, lots, finish, seen: () => lots.map(({ items }) => items.join('')) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('an item of a micro-batcher', () => {
  test('is done together with items that come or wait with it, and gets its own result', async () => {
    const { work, finish, seen } = watched()
    const asked = [work.run('k', 'a')]
    await turn()
    asked.push(...['b', 'c', 'd', 'e'].map((item) => work.run('k', item)))
    asked.push(work.run('other', 'f'))
    await turn()
    assert.deepEqual(seen(), ['a', 'f'], 'another key waits for nobody')
    finish(0)
    finish(1)
    await turn()
    await turn()
    assert.deepEqual(seen(), ['a', 'f', 'bcd'])
    finish(2)
    await turn()
    await turn()
    finish(3)
    assert.deepEqual(
      await Promise.all(asked),
      ['a', 'b', 'c', 'd', 'e', 'f'].map((item) => `${item} done`),
    )
  })

  test('fails only with its own batch', async () => {
    const { work, lots, finish } = watched()
    const together = [work.run('k', 'a'), work.run('k', 'b')]
    await turn()
    const later = work.run('k', 'c')
    lots[0]?.done.reject(new Error('away'))
    for (const one of together) await assert.rejects(one, /away/)
    await turn()
    finish(1)
    assert.equal(await later, 'c done')
  })

  test('does not delay others when it hangs', async () => {
    const { work, lots, finish } = watched({ timeoutMs: 1 })
    const stuck = work.run('k', 'a')
    await turn()
    const next = work.run('k', 'b')
    while (lots.length < 2) await turn()
    finish(1)
    assert.equal(await next, 'b done')
    finish(0)
    assert.equal(await stuck, 'a done')
    const last = work.run('k', 'c')
    await turn()
    finish(2)
    assert.equal(await last, 'c done')
  })

  test('a further batch is sent once it has enough items, and a smaller one afterwards', async () => {
    const { work, finish, seen } = watched({ inFlight: 2, minFurther: 2 })
    const asked = [work.run('k', 'a')]
    await turn()
    asked.push(work.run('k', 'b'))
    await turn()
    assert.deepEqual(seen(), ['a'])
    asked.push(work.run('k', 'c'))
    await turn()
    assert.deepEqual(seen(), ['a', 'bc'])
    asked.push(work.run('k', 'd'))
    finish(0)
    await turn()
    assert.deepEqual(seen(), ['a', 'bc'])
    finish(1)
    while (seen().length < 3) await turn()
    finish(2)
    assert.deepEqual(
      await Promise.all(asked),
      ['a', 'b', 'c', 'd'].map((item) => `${item} done`),
    )
  })
})
