/** The response to a refused request: words that say what to write instead. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../../src/platform/errors/errors.ts'
import { Id, Name, Nullable, Timestamp } from '../../../src/features/common/shapes.ts'
import { bodyCheck, queryCheck } from '../../../src/platform/http/validation.ts'
import Type from 'typebox'

test('an invalid time is refused with a valid example', () => {
  const check = bodyCheck(Type.Object({ after: Timestamp }), 'refuse')
  check({ after: '2026-11-20T18:00:00Z' })
  for (const after of ['yesterday', '2026-11-20', '2026-11-20T18:00:00']) {
    assert.throws(
      () => check({ after }),
      (failure: unknown) =>
        failure instanceof Failure &&
        failure.message ===
          '/after must be a time with its zone, such as 2026-11-20T18:00:00Z, in the years 0001 to 9999.',
    )
  }
})

const Body = Type.Object({
  id: Type.Optional(Nullable(Id('dev'))),
  name: Type.Optional(Name),
  kind: Type.Optional(Nullable(Type.Enum(['a', 'b']))),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
  list: Type.Optional(
    Nullable(Type.Array(Id('tpl'), { minItems: 1, maxItems: 2, uniqueItems: true })),
  ),
  tags: Type.Optional(
    Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }), Type.String({ maxLength: 1 }), {
      additionalProperties: false,
    }),
  ),
  inner: Type.Optional(
    Nullable(Type.Object({ on: Type.Boolean() }, { additionalProperties: false })),
  ),
})
const dev = 'dev_01h455vb4pex5vsknk084sn02q'
const tpl = 'tpl_01h455vb4pex5vsknk084sn02q'

const refused: readonly (readonly [unknown, string])[] = [
  [{ id: 'nonsense' }, `/id must be an id such as ${dev}, or null`],
  [{ id: tpl }, `/id must be an id such as ${dev}, or null`],
  [{ id: 1 }, '/id must be a string or null'],
  [{ name: '' }, '/name must not be empty'],
  [
    { name: ' ' },
    '/name must be more than white space, without line breaks and other control characters',
  ],
  [{ name: 'x'.repeat(121) }, '/name must have at most 120 characters'],
  [{ name: null }, '/name must be a string'],
  [{ kind: 'c' }, '/kind must be one of a, b, or null'],
  [{ count: 0 }, '/count must be at least 1'],
  [{ count: 10 }, '/count must be at most 9'],
  [{ count: 1.5 }, '/count must be an integer'],
  [{ list: [] }, '/list must have at least 1 item'],
  [{ list: [tpl, tpl] }, '/list must not have the same item twice'],
  [{ list: [tpl, tpl, tpl] }, '/list must have at most 2 items'],
  [{ list: [dev] }, `/list/0 must be an id such as ${tpl}`],
  [{ list: 'x' }, '/list must be a list or null'],
  [
    { tags: { 'a b': 'x' } },
    '/tags/a b is not a valid name: it must be 1 to 64 letters, digits and . _ -',
  ],
  [{ tags: { a: 'xx' } }, '/tags/a must have at most 1 character'],
  [{ inner: {} }, '/inner/on is missing'],
  [{ inner: { on: 1 } }, '/inner/on must be true or false'],
  [{ inner: { on: true, off: 1 } }, '/inner/off is unknown; known are: on'],
  [{ other: 1 }, '/other is unknown; known are: id, name, kind, count, list, tags, inner'],
  [[], '/ must be an object'],
]

test('an invalid value gets a description of valid ones', () => {
  const check = bodyCheck(Body, 'refuse')
  for (const [value, words] of refused) {
    assert.throws(() => check(value), { message: `${words}.` })
  }
  const query = queryCheck(
    Type.Object({ limit: Type.Optional(Type.Integer({ maximum: 5 })) }),
    'refuse',
  )
  assert.throws(() => query({ limit: '6' }), { message: '/query/limit must be at most 5.' })
  assert.throws(() => query({ limt: '6' }), {
    message: '/query/limt is unknown; known are: limit.',
  })
})
