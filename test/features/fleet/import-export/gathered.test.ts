/** How the short lists of a stream become longer ones. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gathered } from '../../../../src/features/fleet/import-export/gathered.ts'

async function* lists(count: number, items: number): AsyncGenerator<number[]> {
  for (let at = 0; at < count; at += 1) yield Array.from({ length: items }, () => at)
}

async function lengths(count: number, items: number, max: number): Promise<number[]> {
  const found: number[] = []
  for await (const list of gathered(lists(count, items), max)) found.push(list.length)
  return found
}

test('lists are put together up to so many items, and none is lost', async () => {
  assert.deepEqual(await lengths(10, 3, 12), [12, 12, 6])
})

test('held items are bounded by the lists too, since an item may be large', async () => {
  assert.deepEqual(await lengths(300, 1, 2_000), [128, 128, 44])
})
