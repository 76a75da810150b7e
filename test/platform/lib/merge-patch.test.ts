/** JSON merge patch, by the test cases of RFC 7396 appendix A and its laws. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { mergePatch } from '../../../src/platform/lib/merge-patch.ts'

/** Original, patch, result. */
const CASES: [unknown, unknown, unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]

test('the cases of the RFC have their results', () => {
  for (const [original, patch, result] of CASES) {
    assert.deepEqual(mergePatch(original, patch), result)
  }
})

test('neither the original nor the patch is changed', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (original, patch) => {
      const before = JSON.stringify([original, patch])
      mergePatch(original, patch)
      assert.equal(JSON.stringify([original, patch]), before)
    }),
  )
})

test('patching twice is the same as patching once', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (original, patch) => {
      const once = mergePatch(original, patch)
      assert.deepEqual(mergePatch(once, patch), once)
    }),
  )
})

test('a member named __proto__ stays a member', () => {
  const patched = mergePatch(JSON.parse('{"__proto__":{"a":1}}'), { b: 2 }) as object
  assert.equal(Object.getPrototypeOf(patched), Object.prototype)
  assert.equal(JSON.stringify(patched), '{"__proto__":{"a":1},"b":2}')
})
