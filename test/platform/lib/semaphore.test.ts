/** At most a few tasks of a key run at once; none is lost, and the queue is bounded. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { KeyedSemaphore } from '../../../src/platform/lib/semaphore.ts'

const full = (): Error => new Error('full')

test('at most as many tasks as allowed run at once for one key, and all of them run', async () => {
  const turns = new KeyedSemaphore({ concurrency: 3, queueLimit: 1_000, refuse: full })
  const running = new Map<string, number>()
  let peak = 0
  const results = await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const key = index % 2 ? 'odd' : 'even'
      return turns.run(key, async () => {
        const now = (running.get(key) ?? 0) + 1
        running.set(key, now)
        peak = Math.max(peak, now)
        await turn()
        running.set(key, (running.get(key) ?? 0) - 1)
        return index
      })
    }),
  )
  assert.equal(peak, 3)
  assert.deepEqual(results, [...results.keys()])
})

test('a busy key does not hold up another', async () => {
  const turns = new KeyedSemaphore({ concurrency: 1, queueLimit: 1, refuse: full })
  const { promise, resolve } = Promise.withResolvers<void>()
  const busy = turns.run('busy', () => promise)
  assert.equal(await turns.run('free', () => Promise.resolve(7)), 7)
  resolve()
  await busy
})

test('a task beyond the limit of the queue is refused, and a failed task frees its slot', async () => {
  const turns = new KeyedSemaphore({ concurrency: 1, queueLimit: 2, refuse: full })
  const { promise, reject } = Promise.withResolvers<void>()
  const first = turns.run('key', () => promise)
  const waiting = [1, 2].map((value) => turns.run('key', () => Promise.resolve(value)))
  await assert.rejects(
    turns.run('key', () => Promise.resolve(3)),
    /full/,
  )
  reject(new Error('broken'))
  await assert.rejects(first, /broken/)
  assert.deepEqual(await Promise.all(waiting), [1, 2])
  assert.equal(await turns.run('key', () => Promise.resolve(4)), 4)
})
