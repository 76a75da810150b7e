/** JSON Schema becomes the TypeScript type of the same values. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { comment, schemaType } from '../../generate/schema-types.ts'

/** The type on one line. */
const typeOf = (schema: object): string =>
  schemaType(schema as TSchema & Record<string, unknown>).replaceAll(/\s+/g, ' ')

test('simple types are the same whatever limits their values have', () => {
  assert.equal(typeOf(Type.String({ minLength: 1, pattern: '^a', format: 'uuid' })), 'string')
  assert.equal(typeOf(Type.Integer({ minimum: 1 })), 'number')
  assert.equal(typeOf(Type.Number()), 'number')
  assert.equal(typeOf(Type.Boolean()), 'boolean')
  assert.equal(typeOf(Type.Null()), 'null')
  assert.equal(typeOf(Type.Unknown()), 'unknown')
})

test('constants and enumerations are literals, with quotes escaped', () => {
  assert.equal(typeOf(Type.Literal('a')), "'a'")
  assert.equal(typeOf(Type.Literal(true)), 'true')
  assert.equal(
    typeOf({ enum: ['a', "it's", 'a "b" \\', 3, null] }),
    `'a' | 'it\\'s' | 'a "b" \\\\' | 3 | null`,
  )
  assert.equal(typeOf({ enum: [] }), 'never')
})

test('unions are alternatives, each once, and unknown includes all', () => {
  assert.equal(typeOf(Type.Union([Type.String(), Type.Null()])), 'string | null')
  assert.equal(typeOf({ type: ['string', 'null'] }), 'string | null')
  assert.equal(typeOf({ oneOf: [Type.Integer(), Type.Number()] }), 'number')
  assert.equal(typeOf(Type.Union([Type.String(), Type.Unknown()])), 'unknown')
})

test('intersections keep the alternatives of their parts together', () => {
  const parts = [Type.Union([Type.String(), Type.Null()]), { $ref: '#/components/schemas/Name' }]
  assert.equal(typeOf({ allOf: parts }), '(string | null) & Name')
  assert.equal(
    typeOf({ type: 'string', anyOf: [{ const: 'a' }, { const: 'b' }] }),
    "string & ('a' | 'b')",
  )
})

test('arrays have elements of one type, tuples of one type at each place', () => {
  assert.equal(typeOf(Type.Array(Type.String())), 'string[]')
  assert.equal(typeOf(Type.Array(Type.Union([Type.String(), Type.Null()]))), '(string | null)[]')
  assert.equal(typeOf({ type: 'array' }), 'unknown[]')
  assert.equal(
    typeOf({ type: 'array', prefixItems: [Type.String(), Type.Integer()] }),
    '[string, number]',
  )
})

test('members are optional unless required, and quoted unless their name is an identifier', () => {
  const schema = Type.Object({
    id: Type.String(),
    name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    'x-tag': Type.Boolean(),
  })
  assert.equal(typeOf(schema), "{ id: string name?: string | null 'x-tag': boolean }")
})

test('records have an index signature, and objects without members allow none or any', () => {
  assert.equal(typeOf(Type.Record(Type.String(), Type.Integer())), '{ [name: string]: number }')
  const byPattern = { type: 'object', patternProperties: { '^[a-z]+$': Type.String() } }
  assert.equal(typeOf({ ...byPattern, additionalProperties: false }), '{ [name: string]: string }')
  assert.equal(typeOf({ type: 'object' }), '{ [name: string]: unknown }')
  assert.equal(
    typeOf(Type.Object({}, { additionalProperties: false })),
    '{ [name: string]: never }',
  )
})

test('additional members are of their type or that of any named member', () => {
  const members = { id: Type.String(), size: Type.Optional(Type.Integer()) }
  assert.equal(
    typeOf(Type.Object(members, { additionalProperties: Type.Boolean() })),
    '{ id: string size?: number [name: string]: boolean | string | number | undefined }',
  )
  const closed = '{ id: string size?: number }'
  assert.equal(typeOf(Type.Object(members, { additionalProperties: false })), closed)
  assert.equal(typeOf(Type.Object(members)), closed)
})

test('a component may refer to itself', () => {
  const children = { type: 'array', items: { $ref: '#/components/schemas/Tree' } }
  assert.equal(typeOf({ type: 'object', properties: { children } }), '{ children?: Tree[] }')
})

test('a column without a type is refused', () => {
  assert.throws(() => typeOf({ not: { type: 'string' } }), /keyword not/)
  assert.throws(() => typeOf({ type: 'array', contains: {} }), /keyword contains/)
  assert.throws(() => typeOf({ type: 'date' }), /the type "date"/)
  assert.throws(() => typeOf({ $ref: '#/$defs/Tree' }), /refers to no component/)
})

test('descriptions and defaults become comments, which they cannot close', () => {
  assert.equal(comment({ type: 'string' }), '')
  assert.equal(comment({ description: 'A */ b.' }, '  '), '  /** A *\\/ b. */\n')
  assert.equal(
    comment({ description: 'One.\n\nTwo.', default: 'x', deprecated: true }),
    '/**\n * One.\n *\n * Two.\n * @default "x"\n * @deprecated\n */\n',
  )
  const schema = Type.Object({ id: Type.String({ description: 'An id.' }) })
  assert.equal(schemaType(schema as never), '{\n  /** An id. */\n  id: string\n}')
})
