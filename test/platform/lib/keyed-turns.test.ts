/** Turns: a few pieces of work at once for each key, none lost, and a bound on who waits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createKeyedTurns } from '../../../src/platform/lib/keyed-turns.ts'

const full = (): Error => new Error('full')

test('at most as many run at once for one key, and all of them run', async () => {
  const turns = createKeyedTurns(3, 1_000, full)
  const running = new Map<string, number>()
  let most = 0
  const results = await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const key = index % 2 ? 'odd' : 'even'
      return turns.run(key, async () => {
        const now = (running.get(key) ?? 0) + 1
        running.set(key, now)
        most = Math.max(most, now)
        await turn()
        running.set(key, (running.get(key) ?? 0) - 1)
        return index
      })
    }),
  )
  assert.equal(most, 3)
  assert.deepEqual(results, [...results.keys()])
})

test('one key that is busy does not hold up another', async () => {
  const turns = createKeyedTurns(1, 1, full)
  const { promise, resolve } = Promise.withResolvers<void>()
  const busy = turns.run('busy', () => promise)
  assert.equal(await turns.run('free', () => Promise.resolve(7)), 7)
  resolve()
  await busy
})

test('who would be one too many is refused, and work that fails gives its place on', async () => {
  const turns = createKeyedTurns(1, 2, full)
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
