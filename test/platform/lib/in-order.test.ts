/** Chunks of an import overtake nothing, although several are in flight. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOrder } from '../../../src/platform/lib/in-order.ts'

/** Work that ends on request. */
function tasks() {
  const started: number[] = []
  const ends = new Map<number, PromiseWithResolvers<string>>()
  const work = (item: number): Promise<string> => {
    started.push(item)
    const end = Promise.withResolvers<string>()
    ends.set(item, end)
    return end.promise
  }
  const end = (item: number): void => ends.get(item)?.resolve(`done ${item}`)
  const fail = (item: number): void => ends.get(item)?.reject(new Error(`failed ${item}`))
  return { started, work, end, fail }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function* numbers(count: number): AsyncGenerator<number, undefined> {
  for (let item = 1; item <= count; item += 1) yield item
  return undefined
}

test('as many tasks as allowed run at once, and results come in the order of the items', async () => {
  const { started, work, end } = tasks()
  const results = inOrder(numbers(3), 2, work)
  const first = results.next()
  await turn()
  assert.deepEqual(started, [1, 2])
  end(2)
  await turn()
  assert.deepEqual(started, [1, 2], 'the first one is still in flight')
  end(1)
  assert.equal((await first).value, 'done 1')
  const second = results.next()
  assert.equal((await second).value, 'done 2')
  const third = results.next()
  await turn()
  assert.deepEqual(started, [1, 2, 3])
  end(3)
  assert.equal((await third).value, 'done 3')
  assert.equal((await results.next()).done, true)
})

test('a result does not wait for an item that is still to come', async () => {
  const { work, end } = tasks()
  const silence = Promise.withResolvers<undefined>()
  async function* one(): AsyncGenerator<number, undefined> {
    yield 1
    return silence.promise
  }
  const results = inOrder(one(), 2, work)
  const first = results.next()
  await turn()
  end(1)
  assert.equal((await first).value, 'done 1')
  silence.resolve(undefined)
  assert.equal((await results.next()).done, true)
})

test('a failure is reported in its turn', async () => {
  const { work, end, fail } = tasks()
  async function* broken(): AsyncGenerator<number, undefined> {
    yield 1
    throw new Error('the stream broke')
  }
  const results = inOrder(broken(), 2, work)
  const first = results.next()
  await turn()
  end(1)
  assert.equal((await first).value, 'done 1')
  await assert.rejects(results.next(), /the stream broke/)

  const others = inOrder(numbers(2), 2, work)
  const earlier = others.next()
  await turn()
  fail(2)
  await turn()
  end(1)
  assert.equal((await earlier).value, 'done 1')
  await assert.rejects(others.next(), /failed 2/)
})
