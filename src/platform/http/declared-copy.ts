/** Copies of values that have the declared members only, for schemas of the simple kinds. */
import type { TSchema } from 'typebox'

/** The result of a copier for a value that is not as declared. */
export const UNLIKE = Symbol('unlike')

/** @returns the copy, or UNLIKE */
export type Copy = (value: unknown) => unknown

interface Schema {
  type?: unknown
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  patternProperties?: Readonly<Record<string, Schema>>
  items?: Schema | readonly Schema[]
}

const primitives: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  null: (value) => value === null,
}

const passing =
  (test: (value: unknown) => boolean): Copy =>
  (value) =>
    test(value) ? value : UNLIKE

/** An object as literals make it, whose JSON is that of its own members. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return !('toJSON' in value)
}

/** Keywords that change which values or members a schema has, and are not read here. */
const UNREAD = ['$ref', 'allOf', 'oneOf', 'not', 'if', 'then', 'else', 'prefixItems', 'nullable']

const ANNOTATIONS: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples'])

/** @returns undefined for a schema of another kind */
export function copierOf(declared: TSchema): Copy | undefined {
  const schema = declared as Schema
  if (UNREAD.some((keyword) => keyword in schema)) return undefined
  if (schema.anyOf !== undefined) return nullableCopier(schema.anyOf)
  if ('const' in schema) return passing((value) => value === schema.const)
  if (schema.enum !== undefined) {
    const values = new Set(schema.enum)
    return passing((value) => values.has(value))
  }
  if (schema.type === 'object') return objectCopier(schema)
  if (schema.type === 'array') return arrayCopier(schema)
  // Declared as any JSON.
  if (Object.keys(schema).every((keyword) => ANNOTATIONS.has(keyword))) return passing(() => true)
  const test = typeof schema.type === 'string' ? primitives[schema.type] : undefined
  return test && passing(test)
}

/** At most one of the types may be an object or an array: which one it is must be certain. */
function nullableCopier(parts: readonly Schema[]): Copy | undefined {
  const copiers = parts.map((part) => copierOf(part))
  const isStructure = ({ type, anyOf }: Schema): boolean =>
    type === 'object' || type === 'array' || anyOf !== undefined
  if (copiers.includes(undefined) || parts.filter(isStructure).length > 1) return undefined
  const each = copiers as Copy[]
  return (value) => {
    for (const copy of each) {
      const copied = copy(value)
      if (copied !== UNLIKE) return copied
    }
    return UNLIKE
  }
}

function arrayCopier({ items }: Schema): Copy | undefined {
  if (items === undefined || Array.isArray(items)) return undefined
  const copy = copierOf(items)
  if (copy === undefined) return undefined
  return (value) => {
    if (!Array.isArray(value)) return UNLIKE
    const copies: unknown[] = []
    for (const item of value) {
      const copied = copy(item)
      if (copied === UNLIKE) return UNLIKE
      copies.push(copied)
    }
    return copies
  }
}

function objectCopier(schema: Schema): Copy | undefined {
  const { properties = {}, additionalProperties, patternProperties } = schema
  if (patternProperties !== undefined) return undefined
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  if (isOpen) {
    return Object.keys(properties).length > 0 ? undefined : mapCopier(additionalProperties)
  }
  return membersCopier(properties, new Set(schema.required))
}

/** An object with any members. */
function mapCopier(values: true | Schema): Copy | undefined {
  // Declared as free JSON.
  if (values === true) return passing(isPlain)
  const copy = copierOf(values)
  if (copy === undefined) return undefined
  return (value) => {
    if (!isPlain(value)) return UNLIKE
    const copies: [string, unknown][] = []
    for (const [name, member] of Object.entries(value)) {
      const copied = copy(member)
      if (copied === UNLIKE) return UNLIKE
      copies.push([name, copied])
    }
    return Object.fromEntries(copies)
  }
}

function membersCopier(
  properties: Readonly<Record<string, Schema>>,
  required: ReadonlySet<string>,
): Copy | undefined {
  const members: { name: string; copy: Copy; isRequired: boolean }[] = []
  for (const [name, schema] of Object.entries(properties)) {
    const copy = copierOf(schema)
    if (copy === undefined || name === '__proto__') return undefined
    members.push({ name, copy, isRequired: required.has(name) })
  }
  return (value) => {
    if (!isPlain(value)) return UNLIKE
    const copies: Record<string, unknown> = {}
    for (const { name, copy, isRequired } of members) {
      const member = value[name]
      if (member === undefined) {
        if (isRequired) return UNLIKE
        continue
      }
      const copied = copy(member)
      if (copied === UNLIKE) return UNLIKE
      copies[name] = copied
    }
    return copies
  }
}
