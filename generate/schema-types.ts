/** JSON Schema as the text of a TypeScript type. Components are named, all else is inlined. */
import type { Json } from '../src/platform/http/openapi-schemas.ts'

const COMPONENT = '#/components/schemas/'

/** Keywords that limit the values of a type but are no part of it. */
const IGNORED = new Set([
  'title',
  'description',
  'default',
  'deprecated',
  'examples',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
  'x-filter',
])

const UNDERSTOOD = new Set([
  '$ref',
  'type',
  'const',
  'enum',
  'anyOf',
  'oneOf',
  'allOf',
  'items',
  'prefixItems',
  'properties',
  'patternProperties',
  'additionalProperties',
])

const INDENT = '  '

/** A text as a literal, in single quotes. */
export const literal = (value: unknown): string =>
  typeof value === 'string'
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : JSON.stringify(value)

export const memberName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)

/** The constraints that the type cannot express, for the reader. */
function commentLines({ description, default: fallback, deprecated }: Json): string[] {
  const lines = typeof description === 'string' ? description.split('\n') : []
  if (fallback !== undefined) lines.push(`@default ${JSON.stringify(fallback)}`)
  if (deprecated === true) lines.push('@deprecated')
  return lines.map((line) => line.trimEnd().replaceAll('*/', '*\\/'))
}

/** The TSDoc comment of a schema with its line break, or nothing. */
export function comment(schema: Json, indent = ''): string {
  const lines = commentLines(schema)
  if (lines.length === 0) return ''
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  const middle = lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join('')
  return `${indent}/**\n${middle}${indent} */\n`
}

/** For use in a larger type. Types of members also get parentheses, which do no harm. */
const grouped = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type)

/** Distinct alternatives; `unknown` includes all others. */
function unionOf(types: readonly string[]): string {
  const distinct = [...new Set(types)]
  if (distinct.length === 0) return 'never'
  return distinct.includes('unknown') ? 'unknown' : distinct.join(' | ')
}

function intersectionOf(types: readonly string[]): string {
  const distinct = [...new Set(types)].filter((type) => type !== 'unknown')
  if (distinct.length === 1) return distinct[0] ?? 'unknown'
  return distinct.map(grouped).join(' & ') || 'unknown'
}

function arrayType({ items, prefixItems }: Json, indent: string): string {
  const members = prefixItems ?? items
  if (Array.isArray(members)) {
    return `[${members.map((item) => schemaType(item as Json, indent)).join(', ')}]`
  }
  return `${grouped(schemaType((members ?? {}) as Json, indent))}[]`
}

/** The type of members that have no name of their own; undefined if there are none. */
function otherMembers(schema: Json, indent: string): string | undefined {
  const { properties = {}, patternProperties = {}, additionalProperties = true } = schema
  const found: unknown[] = Object.values(patternProperties as Json)
  if (typeof additionalProperties === 'object') found.push(additionalProperties)
  if (found.length > 0) return unionOf(found.map((each) => schemaType(each as Json, indent)))
  if (Object.keys(properties as Json).length > 0) return undefined
  return additionalProperties === false ? 'never' : 'unknown'
}

function objectType(schema: Json, indent: string): string {
  const { properties = {}, required = [] } = schema
  const inner = indent + INDENT
  const named = Object.entries(properties as Record<string, Json>).map(([name, member]) => {
    const isOptional = !(required as string[]).includes(name)
    return { name, member, isOptional, type: schemaType(member, inner) }
  })
  const lines = named.map(
    ({ name, member, isOptional, type }) =>
      `${comment(member, inner)}${inner}${memberName(name)}${isOptional ? '?' : ''}: ${type}\n`,
  )
  const others = otherMembers(schema, inner)
  if (others !== undefined) {
    // An index signature must include the types of the named members.
    const absent = named.some(({ isOptional }) => isOptional) ? ['undefined'] : []
    const all = unionOf([others, ...named.map(({ type }) => type), ...absent])
    if (lines.length === 0) return `{ [name: string]: ${all} }`
    lines.push(`${inner}[name: string]: ${all}\n`)
  }
  return `{\n${lines.join('')}${indent}}`
}

function typeOfKind(kind: unknown, schema: Json, indent: string): string {
  if (kind === 'object') return objectType(schema, indent)
  if (kind === 'array') return arrayType(schema, indent)
  if (kind === 'integer') return 'number'
  if (kind === 'string' || kind === 'number' || kind === 'boolean' || kind === 'null') return kind
  throw new Error(`there is no TypeScript type for the type ${JSON.stringify(kind)}`)
}

/**
 * @param indent of the line that the type begins on
 * @throws Error for a keyword that would change the type and is not known here
 */
export function schemaType(schema: Json, indent = ''): string {
  for (const keyword of Object.keys(schema)) {
    if (!IGNORED.has(keyword) && !UNDERSTOOD.has(keyword)) {
      throw new Error(`there is no TypeScript type for the keyword ${keyword}`)
    }
  }
  const { $ref, type, enum: values, anyOf, oneOf, allOf } = schema
  const typesOf = (list: unknown): string[] =>
    (list as Json[]).map((each) => schemaType(each, indent))
  if (typeof $ref === 'string') {
    if (!$ref.startsWith(COMPONENT)) throw new Error(`${$ref} refers to no component`)
    return $ref.slice(COMPONENT.length)
  }
  if ('const' in schema) return literal(schema.const)
  if (Array.isArray(values)) return unionOf(values.map(literal))
  const kinds = type === undefined ? [] : [type].flat()
  const parts = kinds.length === 0 ? [] : [unionOf(kinds.map((k) => typeOfKind(k, schema, indent)))]
  for (const alternatives of [anyOf, oneOf]) {
    if (alternatives !== undefined) parts.push(unionOf(typesOf(alternatives)))
  }
  if (allOf !== undefined) parts.push(...typesOf(allOf))
  if (parts.length === 0 && 'properties' in schema) parts.push(objectType(schema, indent))
  return intersectionOf(parts)
}
