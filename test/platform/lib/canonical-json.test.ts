/** One value, one text. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalJson } from '../../../src/platform/lib/canonical-json.ts'

test('members are sorted by code unit at every level, and nothing stands between', () => {
  const value = { b: [{ y: 1, x: [true, null] }], a: 'é"\n', '10': 1, '9': 2, A: {} }
  assert.equal(
    canonicalJson(value),
    '{"10":1,"9":2,"A":{},"a":"é\\"\\n","b":[{"x":[true,null],"y":1}]}',
  )
})

// The example of RFC 8785 section 3.2.2.
test('the example of the standard gets the text of the standard', () => {
  const text = `{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
    "literals": [null, true, false]
  }`
  const value: unknown = JSON.parse(text)
  assert.equal(
    canonicalJson(value),
    `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA'B\\"\\\\\\\\\\"/"}`,
  )
})

test('members that are undefined do not count, as in JSON', () => {
  assert.equal(canonicalJson({ a: undefined, b: 1 }), '{"b":1}')
})

test('a number that JSON has no text for is refused', () => {
  assert.throws(() => canonicalJson({ a: Number.NaN }), RangeError)
  assert.throws(() => canonicalJson([Number.POSITIVE_INFINITY]), RangeError)
})
