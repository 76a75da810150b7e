/** Responses contain what their schema declares, and nothing else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastJson from 'fast-json-stringify'
import fc from 'fast-check'
import Type, { type TSchema } from 'typebox'
import { Nullable } from '../../../src/features/common/shapes.ts'
import { copierOf, UNLIKE } from '../../../src/platform/http/declared-copy.ts'
import { serializerOf } from '../../../src/platform/http/serialization.ts'

const parsed = (schema: TSchema, value: unknown): unknown => JSON.parse(serializerOf(schema)(value))

const View = Type.Object({
  id: Type.String(),
  count: Type.Integer(),
  is_open: Type.Boolean(),
  note: Nullable(Type.String()),
  kind: Type.Enum(['a', 'b']),
  inner: Nullable(Type.Object({ name: Type.String() })),
  tags: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
  }),
  free: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
  list: Type.Optional(Type.Array(Type.Object({ at: Type.Number() }))),
})
const view = {
  id: 'one',
  count: 1,
  is_open: true,
  note: null,
  kind: 'a',
  inner: { name: 'in' },
  tags: { floor: 'ground' },
  free: { any: [1, { deep: null }] },
  list: [{ at: 1.5 }],
}

test('members that the schema does not name are dropped at every depth', () => {
  const secret = 'a secret'
  const leaky = {
    ...view,
    secret,
    inner: { ...view.inner, secret },
    list: [{ at: 1.5, secret }],
  }
  assert.deepEqual(parsed(View, leaky), view)
  assert.deepEqual(parsed(Type.Array(View), [leaky, leaky]), [view, view])
})

test('an object where a text is declared does not get into a response as it is', () => {
  const copy = copierOf(View)
  assert.ok(copy)
  assert.equal(copy({ ...view, id: { secret: 'a secret' } }), UNLIKE)
  assert.equal(copy({ ...view, tags: { floor: { secret: 'a secret' } } }), UNLIKE)
  assert.equal(copy({ ...view, kind: 'c' }), UNLIKE)
  const text = serializerOf(View)({ ...view, id: { secret: 'a secret' } })
  assert.ok(!text.includes('a secret'))
})

test('a response without a required member is an error', () => {
  const { id: _, ...rest } = view
  assert.throws(() => serializerOf(View)(rest), /id.* is required/)
})

test('an optional member that is undefined is left out', () => {
  const { list: _, ...rest } = view
  assert.deepEqual(parsed(View, { ...view, list: undefined }), rest)
})

const anything = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)

test('whatever a value is, the result is that of the general serializer, or both refuse', () => {
  const outcome = (run: () => string): unknown => {
    try {
      return JSON.parse(run())
    } catch {
      return 'refused'
    }
  }
  const names = Object.keys(view)
  const general = fastJson(View)
  const changes = fc.dictionary(fc.constantFrom(...names, 'unknown', '__proto__'), anything)
  fc.assert(
    fc.property(changes, (change) => {
      const value = { ...view, ...change }
      assert.deepEqual(
        outcome(() => serializerOf(View)(value)),
        outcome(() => general(value)),
      )
    }),
    { numRuns: 2_000 },
  )
})
