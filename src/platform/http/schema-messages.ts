/**
 * The violations of a schema by a value, in words: the one place where responses to requests and
 * refusals of configuration files get them from. Values are never echoed: they might be secrets.
 */
import type { ErrorObject } from 'ajv'
import type { FieldError } from '../errors/errors.ts'
import { describePattern } from './pattern-description.ts'

/** More are looked up in the reference. */
const MAX_NAMED = 20

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

const typesOf = ({ params }: ErrorObject): string[] =>
  [(params as { type: string | string[] }).type].flat().map((type) => types[type] ?? type)

const count = (number: unknown, one: string, many: string): string =>
  number === 1 ? `1 ${one}` : `${String(number)} ${many}`

interface Members {
  properties?: Record<string, unknown>
  patternProperties?: Record<string, unknown>
}

/** A member that is too many, or that has a name that it can't have. */
function unknownMember({ parentSchema }: ErrorObject): string {
  const { properties = {}, patternProperties = {} } = (parentSchema ?? {}) as Members
  const [pattern] = Object.keys(patternProperties)
  const shape = pattern === undefined ? undefined : describePattern(pattern)
  if (shape !== undefined) return `is not a valid name: it ${shape}`
  const known = Object.keys(properties)
  if (known.length === 0 || known.length > MAX_NAMED) return 'is unknown'
  return `is unknown; known are: ${known.join(', ')}`
}

const messagesBy: Readonly<
  Record<string, (params: Record<string, unknown>, e: ErrorObject) => string>
> = {
  additionalProperties: (_params, error) => unknownMember(error),
  required: () => 'is missing',
  type: (_params, error) => `must be ${typesOf(error).join(' or ')}`,
  enum: ({ allowedValues }) => {
    const allowed = (allowedValues as unknown[]).map(String)
    return `must be ${allowed.length === 1 ? '' : 'one of '}${allowed.join(', ')}`
  },
  const: ({ allowedValue }) => `must be ${String(allowedValue)}`,
  pattern: ({ pattern }) => describePattern(String(pattern)) ?? 'does not have the required format',
  format: ({ format }) =>
    format === 'date-time'
      ? 'must be a time with its zone, such as 2026-11-20T18:00:00Z, in the years 0001 to 9999'
      : 'does not have the required format',
  minLength: ({ limit }) =>
    limit === 1
      ? 'must not be empty'
      : `must have at least ${count(limit, 'character', 'characters')}`,
  maxLength: ({ limit }) => `must have at most ${count(limit, 'character', 'characters')}`,
  minItems: ({ limit }) => `must have at least ${count(limit, 'item', 'items')}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, 'item', 'items')}`,
  minProperties: ({ limit }) => `must have at least ${count(limit, 'member', 'members')}`,
  maxProperties: ({ limit }) => `must have at most ${count(limit, 'member', 'members')}`,
  uniqueItems: () => 'must not have the same item twice',
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
}

/** The keywords that this file has words for, for the law that checks that these are all. */
export const describedKeywords: ReadonlySet<string> = new Set([...Object.keys(messagesBy), 'anyOf'])

interface Violation {
  error: ErrorObject
  message: string
}

const isOfOtherType = ({ keyword, instancePath }: ErrorObject, whole: ErrorObject): boolean =>
  keyword === 'type' && instancePath === whole.instancePath

/** The violation of the alternative that was meant: the one of the value's type. */
function ofAlternatives(whole: ErrorObject, errors: readonly ErrorObject[]): Violation {
  const groups = (whole.schema as unknown[]).map((_alternative, index) =>
    errors.filter(({ schemaPath }) => schemaPath.startsWith(`${whole.schemaPath}/${index}/`)),
  )
  const meant = groups.find(([first]) => first !== undefined && !isOfOtherType(first, whole))
  if (meant === undefined) {
    const all = groups.flatMap(([first]) => (first === undefined ? [] : typesOf(first)))
    return { error: whole, message: `must be ${[...new Set(all)].join(' or ')}` }
  }
  const found = violationOf(meant)
  const isWhole = found.error.instancePath === whole.instancePath
  const isNullable = groups
    .flat()
    .some(({ params }) => (params as { type?: string }).type === 'null')
  if (!isWhole || !isNullable || !found.message.startsWith('must be ')) return found
  return { error: found.error, message: `${found.message}, or null` }
}

/** Ajv stops at the first, but reports each alternative, and the whole of the last. */
function violationOf(errors: readonly ErrorObject[]): Violation {
  const error = errors.at(-1) as ErrorObject
  if (error.keyword === 'anyOf') return ofAlternatives(error, errors.slice(0, -1))
  const message = messagesBy[error.keyword]?.(error.params as Record<string, unknown>, error)
  return { error, message: message ?? 'is invalid' }
}

function pointerTo({ params, instancePath }: ErrorObject, root: string): string {
  const { missingProperty, additionalProperty } = params as Record<string, string>
  const member = missingProperty ?? additionalProperty
  const tail = member === undefined ? '' : `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return `${root}${instancePath}${tail}` || '/'
}

/**
 * @param errors what Ajv found, with `verbose` and without `allErrors`
 * @param root before every pointer, such as `/query`
 */
export function fieldErrorOf(errors: readonly ErrorObject[], root: string): FieldError {
  const { error, message } = violationOf(errors)
  return { pointer: pointerTo(error, root), message }
}
