/** Tasks of one key run one after the other, also if one fails; tasks of other keys do not wait. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { KeyedSemaphore } from '../../../src/platform/lib/semaphore.ts'

test('tasks of one key run one at a time, in the order in which they came', async () => {
  const queue = new KeyedSemaphore({ concurrency: 1 })
  const order: number[] = []
  let running = 0
  const tasks = Array.from({ length: 20 }, (_, at) =>
    queue.run('a', async () => {
      running += 1
      assert.equal(running, 1)
      await sleep(at % 3)
      order.push(at)
      running -= 1
      return at
    }),
  )
  assert.deepEqual(await Promise.all(tasks), order)
  assert.deepEqual(
    order,
    Array.from({ length: 20 }, (_, at) => at),
  )
})

test('a task that fails fails alone', async () => {
  const queue = new KeyedSemaphore({ concurrency: 1 })
  const bad = queue.run('a', () => Promise.reject(new Error('no')))
  const good = queue.run('a', () => Promise.resolve('yes'))
  await assert.rejects(bad, /no/)
  assert.equal(await good, 'yes')
})

test('keys do not wait for each other', async () => {
  const queue = new KeyedSemaphore({ concurrency: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = queue.run('a', () => promise)
  assert.equal(await queue.run('b', () => Promise.resolve(1)), 1)
  resolve()
  await held
})
