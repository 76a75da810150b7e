/** Sets of values by key. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SetMap } from '../../../src/platform/lib/set-map.ts'

test('a key has each of its values once', () => {
  const map = new SetMap<number>()
  map.add('a', 1)
  map.add('a', 2)
  map.add('a', 1)
  map.add('b', 3)
  assert.deepEqual([...map.of('a')], [1, 2])
  assert.deepEqual([...map.of('b')], [3])
  assert.deepEqual([...map.of('c')], [])
})

test('a key without values is gone', () => {
  const map = new SetMap<number>()
  map.add('a', 1)
  map.add('a', 2)
  map.delete('a', 1)
  assert.deepEqual([...map.keys()], ['a'])
  map.delete('a', 3)
  map.delete('a', 2)
  map.delete('a', 2)
  assert.deepEqual([...map.keys()], [])
})

test('values can be deleted while they are read', () => {
  const map = new SetMap<number>()
  for (const value of [1, 2, 3]) map.add('a', value)
  const read: number[] = []
  for (const value of map.of('a')) {
    read.push(value)
    map.delete('a', value)
  }
  assert.deepEqual(read, [1, 2, 3])
})
