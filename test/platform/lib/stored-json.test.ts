/** JSON of an older release is read with defaults for what it lacks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { readStored, withDefault } from '../../../src/platform/lib/stored-json.ts'

const Stored = Type.Object({
  name: Type.String(),
  tags: withDefault(Type.Array(Type.String()), []),
  rules: Type.Array(
    Type.Object({ topic: Type.String(), retain: withDefault(Type.Boolean(), true) }),
  ),
  image: Type.Union([
    Type.Null(),
    Type.Object({ url: Type.String(), size: withDefault(Type.Integer(), 0) }),
  ]),
  note: Type.Optional(Type.String()),
})

test('members that are missing get their defaults, at any depth', () => {
  const old = { name: 'a', rules: [{ topic: 't' }, { topic: 'u', retain: false }], image: null }
  assert.deepEqual(readStored(Stored, old), {
    name: 'a',
    tags: [],
    rules: [
      { topic: 't', retain: true },
      { topic: 'u', retain: false },
    ],
    image: null,
  })
})

test('stored values stay, also null, falsy values and members that no schema names', () => {
  const stored = { name: '', tags: ['x'], rules: [], image: { url: 'u', size: 1 }, unknown: 1 }
  assert.deepEqual(readStored(Stored, structuredClone(stored)), stored)
})

test('a default is a copy for each value', () => {
  const first = readStored(Stored, { name: 'a', rules: [], image: null })
  first.tags.push('x')
  assert.deepEqual(readStored(Stored, { name: 'b', rules: [], image: null }).tags, [])
})
