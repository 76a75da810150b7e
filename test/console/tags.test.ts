/** Tags as people type them, and what is sent of a change. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOneLine, linesOf, mergeOf, tagsOf } from '../../console/src/api/tags.ts'

test('tags are lines of a name and a value, which may have an equals sign', () => {
  const tags = { floor: 'ground', note: 'a = b', empty: '' }
  assert.deepEqual(tagsOf(linesOf(tags)), tags)
  assert.equal(inOneLine(tags), 'floor = ground, note = a = b, empty = ')
  assert.deepEqual(tagsOf(' floor=ground \n\n'), { floor: 'ground' })
  assert.equal(tagsOf('floor'), undefined)
  assert.equal(tagsOf('two words = x'), undefined)
})

test('a change has only what differs, and null for what is gone', () => {
  assert.deepEqual(mergeOf({ a: 1, b: [1], c: 3 }, { a: 1, b: [2], d: 4 }), {
    c: null,
    b: [2],
    d: 4,
  })
  assert.deepEqual(mergeOf({ a: { x: 1 } }, { a: { x: 1 } }), {})
})
